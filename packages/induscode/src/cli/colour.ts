/** Whether a stream gets colours: it is a terminal, not a dumb one, and NO_COLOR is not set (no-color.org). */
export function usesColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

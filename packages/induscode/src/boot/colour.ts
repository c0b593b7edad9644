/** Whether a stream shows colours: a terminal that is not dumb, unless NO_COLOR is set (no-color.org). */
export function usesColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

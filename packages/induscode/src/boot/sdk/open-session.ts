import { briefValue } from "indusagi/core";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { promptProblem } from "../../conductor/turns/prompt-problem.ts";
import type { FromSchema, SchemaLiteral } from "./from-schema.ts";
import { checkOptions, type SessionOptions } from "./sdk-options.ts";
import type { SdkSession } from "./sdk-session.ts";
import { NO_USAGE, type TaskResult } from "./task-events.ts";

const CLOSED = "the session is closed: open another one, with resume for its conversation";

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Opens a session. Rejects with a `Problem` that says what to do: no model is configured, an option cannot be meant. */
export async function openSession<const S extends SchemaLiteral | undefined = undefined>(
  options: SessionOptions<S> = {},
): Promise<SdkSession<FromSchema<S>>> {
  checkOptions(options);
  const { transport = "here", signal } = options;
  const session: SdkSession<FromSchema<S>> =
    transport === "here"
      ? await (await import("./open-here.ts")).openHere(options)
      : await (await import("./child/open-in-child.ts")).openInChild(options, transport);
  const interrupt = (): void => session.interrupt();
  signal?.addEventListener("abort", interrupt);
  let isClosed = false;
  let soFar: Pick<TaskResult, "cost" | "usage"> = { cost: 0, usage: NO_USAGE };
  const refused = (kind: string, message: string): TaskResult<FromSchema<S>> => ({
    ...{ type: "result", kind: "faulted", fault: { kind, message } },
    ...{ sessionId: session.id(), ...soFar },
  });
  const refuseUnless = (fits: boolean, expected: string, value: unknown): void => {
    if (isClosed) throw new Problem(CLOSED);
    if (!fits) throw new Problem(`${expected}; got ${briefValue(value)}`, EXIT_USAGE);
  };
  return {
    ...session,
    steer(line) {
      refuseUnless(typeof line === "string" && line.trim() !== "", "steer takes a text", line);
      session.steer(line);
    },
    async fork(back) {
      refuseUnless(isCount(back), "fork takes the number of your last lines to leave out", back);
      return session.fork(back);
    },
    async rewind(line) {
      refuseUnless(isCount(line) && line > 0, "rewind takes the number of one of your lines, from 1", line);
      return session.rewind(line);
    },
    subscribe(listener) {
      refuseUnless(typeof listener === "function", "subscribe takes a function", listener);
      return session.subscribe(listener);
    },
    submit: async (prompt) => {
      const problem = promptProblem(prompt);
      if (isClosed) return refused("broken", CLOSED);
      if (problem !== undefined) return refused("config", problem);
      const running = session.submit(prompt);
      if (signal?.aborted) session.interrupt();
      const result = await running;
      soFar = { cost: result.cost, usage: result.usage };
      return result;
    },
    async close() {
      isClosed = true;
      signal?.removeEventListener("abort", interrupt);
      return session.close();
    },
  };
}

import type { FromSchema, SchemaLiteral } from "./from-schema.ts";
import { promptProblem } from "./prompt-problem.ts";
import { checkOptions, type SessionOptions } from "./sdk-options.ts";
import type { SdkSession } from "./sdk-session.ts";
import { NO_USAGE, type TaskResult } from "./task-events.ts";

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
  return {
    ...session,
    submit: async (prompt) => {
      const problem = promptProblem(prompt);
      if (isClosed)
        return refused("broken", "the session is closed: open another one, with resume for its conversation");
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

import type { FromSchema, SchemaLiteral } from "./from-schema.ts";
import { checkOptions, type SessionOptions } from "./sdk-options.ts";
import type { SdkSession } from "./sdk-session.ts";

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
  if (signal === undefined) return session;
  const interrupt = (): void => session.interrupt();
  signal.addEventListener("abort", interrupt);
  return {
    ...session,
    submit: async (prompt) => {
      const running = session.submit(prompt);
      if (signal.aborted) session.interrupt();
      return running;
    },
    async close() {
      signal.removeEventListener("abort", interrupt);
      return session.close();
    },
  };
}

// A key printed by a command of the person's (`pass show …`, `op read …`). The host decides how it is run.

import type { FetchedKey } from "./fetched-key.ts";

/** What a command printed, or why its output does not count; completes a sentence. */
export type Printed =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** Runs a program with its arguments, without a shell; bounded in time and size. Never rejects. */
export type RunCommand = (words: readonly string[], signal: AbortSignal) => Promise<Printed>;

/** The first line that `command` prints. */
export async function keyOfCommand(
  id: string,
  command: readonly string[],
  {
    run,
    signal,
    keyName,
  }: {
    readonly run: RunCommand | undefined;
    readonly signal: AbortSignal;
    /** What to check if there is none. */
    readonly keyName?: string | undefined;
  },
): Promise<FetchedKey> {
  const advice = keyName === undefined ? "" : ` Check ${keyName}.`;
  const refuse = (why: string): FetchedKey => ({
    ok: false,
    fault: {
      kind: "auth",
      message: `The command that prints the key of ${id} (${command[0]}) ${why}.${advice}`,
    },
  });
  if (!run) return refuse("cannot be run here");
  const printed = await run(command, signal);
  if (!printed.ok) return refuse(printed.why);
  const key = printed.text.trimStart().split("\n", 1)[0]?.trim() ?? "";
  if (!/^[\x21-\x7e]{1,16384}$/.test(key)) return refuse("printed no key: expected one line without spaces");
  return { ok: true, key };
}

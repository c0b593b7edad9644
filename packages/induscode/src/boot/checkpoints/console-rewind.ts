// `/rewind` in a console.

import { existsSync } from "node:fs";
import type { Conductor } from "../../conductor/contract.ts";
import { readEntries } from "../../conductor/log-reader.ts";
import { REWIND_USAGE, type RewindFacts, rewind, rewindWish } from "./rewind-report.ts";

export interface ConsoleRewind {
  readonly home: string;
  readonly cwd: string;
  readonly conductor: Pick<Conductor, "status" | "fork" | "noteRewind" | "secure">;
  readonly kept: RewindFacts["kept"];
}

export async function consoleRewind(
  words: string,
  { home, cwd, conductor, kept }: ConsoleRewind,
): Promise<string> {
  const wish = rewindWish(words.trim());
  if (!wish) return REWIND_USAGE;
  const { sessionId, logPath, busy } = conductor.status();
  if (busy) return "The session is busy. Wait for the answer, or stop it first.";
  const { text, isDone } = await rewind(
    {
      ...{ home, cwd, kept, sessionId },
      entries: existsSync(logPath) ? readEntries(logPath).entries : [],
      fork(back) {
        const made = conductor.fork(back);
        return "fault" in made
          ? { problem: made.fault.message }
          : { sessionId: conductor.status().sessionId };
      },
      async note(entry) {
        conductor.noteRewind(entry);
        await conductor.secure();
      },
    },
    wish,
  );
  return wish.kind === "show" && isDone
    ? `${text}\nNothing was changed yet. To go back there: /rewind apply ${wish.turn}`
    : text;
}

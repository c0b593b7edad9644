// `/rewind` in a console.

import { existsSync } from "node:fs";
import type { Conductor } from "../../conductor/contract.ts";
import { readEntries } from "../../conductor/log-reader.ts";
import { REWIND_USAGE, rewind, rewindWish } from "./rewind-report.ts";

export interface ConsoleRewind {
  readonly home: string;
  readonly cwd: string;
  readonly conductor: Pick<Conductor, "status" | "fork" | "noteRewind" | "secure">;
  readonly isOn: boolean;
}

export async function consoleRewind(
  words: string,
  { home, cwd, conductor, isOn }: ConsoleRewind,
): Promise<string> {
  const wish = rewindWish(words.trim());
  if (!wish) return REWIND_USAGE;
  const { sessionId, logPath, busy } = conductor.status();
  if (busy) return "The session is busy. Wait for the answer, or stop it first.";
  const { text, isDone } = await rewind(
    {
      ...{ home, cwd, sessionId },
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
  const shown =
    wish.kind === "show" && isDone
      ? `${text}\nNothing was changed yet. To go back there: /rewind apply ${wish.turn}`
      : text;
  return isOn
    ? shown
    : `${shown}\nCheckpoints are off, so files of turns since then are not known. To keep them from now on: "checkpoints": true in ~/.indus/settings.json`;
}

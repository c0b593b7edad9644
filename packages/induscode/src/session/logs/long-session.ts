// The note that a long session leaves, so that it is found without opening the other logs.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nowMs } from "indusagi/core";
import type { SessionPart } from "../../cli/part.ts";
import type { Conductor } from "../../conductor/contract.ts";
import { isLong, MAX_BEGAN, NOTED, notedSessions } from "../../conductor/sessions.ts";
import { replaceFile } from "../../store/replace-file.ts";

/** Notes the session when it ends, if it began long ago. */
export function longSession({ status }: Pick<Conductor, "status">): SessionPart {
  let beganAt = nowMs();
  return {
    entered([first]) {
      beganAt = first?.at ?? nowMs();
    },
    close: () => noteLongSession(status().logPath, beganAt),
  };
}

/** Notes a session that ends now and began long ago, so that `newestSessions` finds it. Never throws. */
export function noteLongSession(path: string, beganAt: number): void {
  if (!isLong(beganAt)) return;
  const folder = dirname(path);
  const id = basename(path, ".jsonl");
  try {
    if (!existsSync(path)) return; // nobody said anything in it
    const noted = notedSessions(folder).filter((each) => each !== id);
    replaceFile(join(folder, NOTED), `${[...noted, id].slice(-MAX_BEGAN).join("\n")}\n`);
  } catch {
    // Without the note, the session is still found by its id and by `indus sessions`.
  }
}

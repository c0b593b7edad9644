// The trash of a session folder: what a person deletes stays there for a while.

import { renameSync, utimesSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeError, nowMs } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import { sessionPath, trashOf } from "../../conductor/sessions.ts";
import { isLockHeld } from "../../store/lock.ts";
import { makeFolder } from "../../store/make-folder.ts";

/** Moves a session's log there. Never an open one: its process would write it again. Throws a {@link Problem}. */
export function moveToTrash(path: string): void {
  const id = basename(path, ".jsonl");
  if (isLockHeld(`${path}.lock`))
    throw new Problem(`the session ${id} is open in another process: end that process first`);
  const to = sessionPath(trashOf(dirname(path)), id);
  orProblem(`the session ${id} cannot be moved to the trash`, () => {
    makeFolder(dirname(to));
    renameSync(path, to);
    const now = new Date(nowMs());
    utimesSync(to, now, now);
  });
}

/** Turns an obstacle into one line for the person. */
export function orProblem(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new Problem(`${what}: ${describeError(error)}`);
  }
}

// Whether the logs that an answer rests on explain their sessions, as `indus session verify` finds out.

import { statSync } from "node:fs";
import { basename } from "node:path";
import { describeError } from "indusagi/core";
import { newerFormatReason } from "../../conductor/log-reader.ts";
import { findLogProblems, verifyLog } from "../../conductor/verify.ts";

/** Longer ones are left to `indus session verify`. */
const MAX_BYTES: number = 64 * 1024 * 1024;

/** A note for each log that does not explain its session. */
export function damagedLogs(paths: ReadonlySet<string>): readonly string[] {
  return [...paths].flatMap((path) => {
    const id = basename(path, ".jsonl");
    const why = problemOf(path);
    return why === undefined ? [] : [`The session ${id}, on which this rests: ${why}`];
  });
}

function problemOf(path: string): string | undefined {
  const id = basename(path, ".jsonl");
  try {
    if (statSync(path).size > MAX_BYTES)
      return `its log was not checked, because it is longer than 64 MiB. To check it: indus session verify ${id}`;
    const read = verifyLog(path);
    if (read.newerFormat !== undefined) return newerFormatReason(read.newerFormat);
    const [first] = findLogProblems(read, read.verification);
    return first === undefined ? undefined : `${first} To see all: indus session verify ${id}`;
  } catch (error) {
    return describeError(error);
  }
}

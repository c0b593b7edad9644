// Whether the logs that an answer rests on explain their sessions, as `indus session verify` finds out.

import { statSync } from "node:fs";
import { basename } from "node:path";
import { describeError } from "indusagi/core";
import { limitedLines } from "../../cli/limited-lines.ts";
import { newerFormatReason } from "../../conductor/log-reader.ts";
import { findLogProblems, verifyLog } from "../../conductor/verify.ts";
import type { MaybeOrigin } from "./origin.ts";

/** Longer ones are left to `indus session verify`. */
const MAX_BYTES: number = 64 * 1024 * 1024;

/** A line for each of their logs that does not explain its session, up to ten, and one for the rest. */
export function damagedLogs(origins: readonly MaybeOrigin[]): readonly string[] {
  const paths = new Set(origins.flatMap((origin) => (origin ? [origin.log] : [])));
  const problems = [...paths].flatMap((path) => {
    const why = problemOf(path);
    return why === undefined
      ? []
      : [`The session ${basename(path, ".jsonl")}, on which this result depends: ${why}`];
  });
  return limitedLines(problems, "indus session verify ID reports each one");
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

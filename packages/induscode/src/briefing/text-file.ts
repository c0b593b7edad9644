// Reads a text that a repository may have put there: a regular file in UTF-8, up to a byte limit.

import { realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describeError, errorCode, readFileOpening } from "indusagi/core";
import type { LookBudget } from "../store/look-budget.ts";

/** An existing file, after following links. */
export interface FoundFile {
  readonly realPath: string;
  readonly stats: Stats;
}

/** The file at `path`; undefined when there is none that may be read. */
export function findFile(path: string): FoundFile | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && { stats, realPath: realpathSync.native(path) };
  } catch {
    return undefined; // a file that may not be read is skipped like a missing one
  }
}

/** `path` with links resolved; `path` itself when nothing is there. */
export function realPathOf(path: string): string {
  return findFile(path)?.realPath ?? path;
}

/** Where a path leads, with links resolved as far as it exists. */
export function realPlace(path: string): string {
  const rest: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      return join(realpathSync(folder), ...rest);
    } catch {
      if (folder === dirname(folder)) return path;
      rest.unshift(basename(folder));
    }
  }
}

type TextFile =
  | { readonly ok: true; readonly text: string; readonly isWhole: boolean }
  | { readonly ok: false; readonly problem: string; readonly isMissing: boolean };

/** At most `maxBytes` of a text file, without a byte order mark; `look` pays for it. Never throws, and never blocks on a pipe. */
export function readTextFile(path: string, maxBytes: number, look?: LookBudget): TextFile {
  try {
    const bytes = readFileOpening(path, maxBytes + 1, { followsLinks: true });
    look?.takeFiles(1, bytes.length);
    return decode(bytes, maxBytes);
  } catch (error) {
    look?.takeFiles(1);
    return { ok: false, problem: describeError(error), isMissing: errorCode(error) === "ENOENT" };
  }
}

function decode(bytes: Buffer, maxBytes: number): TextFile {
  if (bytes.includes(0)) return unusable("it is not UTF-8 text");
  const text = bytes
    .subarray(0, maxBytes)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  return { ok: true, text, isWhole: bytes.length <= maxBytes };
}

function unusable(problem: string): TextFile {
  return { ok: false, problem, isMissing: false };
}

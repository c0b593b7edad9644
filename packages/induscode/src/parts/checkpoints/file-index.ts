// The state of a folder's files when a session last looked at all of them, so that the next session's first look reads only what changed
// since. It is a cache: if it is old, damaged or gone, one look reads everything.

import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { nowMs } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJsonIfGood } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { isKept } from "./file-contents.ts";
import { markOf, type SeenFile, withMark } from "./seen-file.ts";

export interface FileIndex {
  readonly files: Map<string, SeenFile>;
  /** When everything was read: contents that have not been read since can be removed after a month. */
  readonly readAt: number;
}

const { maxBytes: MAX_BYTES, version: VERSION } = HOME_FILES.checkpointIndex;
/** Half of the time after which unused contents are removed. */
const MAX_AGE_MS = 15 * 24 * 60 * 60 * 1000;

/** What is known about the folder; no files if everything must be read. Never throws. */
export function readFileIndex(home: string, folder: string): FileIndex {
  const nothing: FileIndex = { files: new Map(), readAt: nowMs() };
  try {
    const path = homePath(home, "checkpointIndex", folder);
    const { v, readAt, files } = (readJsonIfGood(path, MAX_BYTES) ?? {}) as {
      readonly v?: unknown;
      readonly readAt?: unknown;
      readonly files?: unknown;
    };
    const age = typeof readAt === "number" ? nowMs() - readAt : Number.NaN;
    if (
      v !== VERSION ||
      typeof readAt !== "number" ||
      !(age >= 0 && age < MAX_AGE_MS) ||
      !Array.isArray(files)
    )
      return nothing;
    const there = new Set(readdirSync(dirname(homePath(home, "checkpoint", folder, "x"))));
    const isThere = (state: string): boolean =>
      state === "unkept" || (isKept(state) && there.has(state.slice(0, state.indexOf(":"))));
    const known = new Map<string, SeenFile>();
    for (const row of files as readonly unknown[]) {
      if (!Array.isArray(row)) continue;
      const [name, mark, state] = row as readonly unknown[];
      if (typeof name === "string" && typeof mark === "string" && typeof state === "string" && isThere(state))
        known.set(name, withMark(mark, state));
    }
    return { files: known, readAt };
  } catch {
    return nothing; // none yet, or none that is usable
  }
}

/** Never throws: without it the next session reads more. */
export function writeFileIndex(home: string, folder: string, { files, readAt }: FileIndex): void {
  const rows = Array.from(files, ([name, seen]) => [name, markOf(seen), seen.state]);
  try {
    replaceFile(
      homePath(home, "checkpointIndex", folder),
      JSON.stringify({ v: VERSION, readAt, files: rows }),
    );
  } catch {
    // the disk is full, or the home is read-only: storing contents reports that itself
  }
}

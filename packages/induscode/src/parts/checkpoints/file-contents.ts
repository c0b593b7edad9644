// Earlier contents of one folder's files, stored by content in the home: identical bytes once, no large files; what no checkpoint needs
// is removed after a month.

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, rmSync, type Stats, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError, errorCode, nowMs, readBoundedFile } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { replaceFile } from "../../store/replace-file.ts";

/** `absent`; `unkept` if too large, unreadable, not a regular file or impossible to store; else the content's digest and the mode, `<sha256>:644`. */
export type FileState = string;

export interface FileContents {
  /** Stores the file as it is now. Never throws, whatever the file is. */
  readonly keep: (path: string) => FileState;
  /** Undefined if it is gone or damaged. */
  readonly content: (state: FileState) => Buffer | undefined;
}

const { maxBytes: MAX_FILE_BYTES } = HOME_FILES.checkpoint;
/** For one folder, before the oldest are removed. */
const MAX_BYTES: number = 1024 ** 3;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** `tell` hears once that contents cannot be stored. */
export function createFileContents(
  home: string,
  folder: string,
  tell: (text: string) => void = () => undefined,
): FileContents {
  let isTold = false;
  const placeOf = (digest: string): string => homePath(home, "checkpoint", folder, digest);
  return {
    keep(path) {
      let found: Stats;
      try {
        found = lstatSync(path);
      } catch (error) {
        return errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR" ? "absent" : "unkept";
      }
      if (!found.isFile() || found.size > MAX_FILE_BYTES) return "unkept";
      let bytes: Buffer;
      try {
        bytes = readBoundedFile(path, MAX_FILE_BYTES);
      } catch {
        return "unkept"; // it changed or cannot be read: a rewind reports that it stays as it is
      }
      const digest = createHash("sha256").update(bytes).digest("hex");
      try {
        store(placeOf(digest), bytes);
      } catch (error) {
        if (!isTold)
          tell(
            `Checkpoints: ${path} could not be stored (${describeError(error)}): a rewind cannot restore it.`,
          );
        isTold = true;
        return "unkept";
      }
      return `${digest}:${(found.mode & 0o777).toString(8)}`;
    },
    content(state) {
      const [digest = ""] = state.split(":");
      try {
        const bytes = readBoundedFile(placeOf(digest), MAX_FILE_BYTES);
        return createHash("sha256").update(bytes).digest("hex") === digest ? bytes : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Whether the content for this state was stored. */
export function isKept(state: FileState): boolean {
  return /^[0-9a-f]{64}:[0-7]{1,3}$/.test(state);
}

function store(place: string, bytes: Buffer): void {
  if (statSync(place, { throwIfNoEntry: false })?.size !== bytes.length) replaceFile(place, bytes);
  else
    try {
      const now = new Date(nowMs());
      utimesSync(place, now, now);
    } catch {
      // It is there, only not younger: the home is read-only.
    }
}

/** Removes what was not used for a month, and the oldest beyond one gigabyte. Never throws. */
export function pruneContents(home: string, folder: string): void {
  const root = dirname(homePath(home, "checkpoint", folder, "x"));
  try {
    const all = readdirSync(root).map((name) => {
      const path = join(root, name);
      const { mtimeMs, size } = statSync(path);
      return { path, mtimeMs, size };
    });
    let bytes = 0;
    for (const { path, mtimeMs, size } of all.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
      bytes += size;
      if (bytes > MAX_BYTES || nowMs() - mtimeMs > MAX_AGE_MS) rmSync(path, { force: true });
    }
  } catch {
    // None exist yet, or another process is cleaning up.
  }
}

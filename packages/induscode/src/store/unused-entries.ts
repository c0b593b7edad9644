// Bounds a cache in the person's home folder. Each file or folder in it is an entry, and its modification time stands for
// its last use. A failure here costs disk space or a use that is not recorded, never what is cached.

import { lstatSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { nowMs } from "indusagi/core";
import { CACHE_BOUND } from "./home-files.ts";

const DAY_MS: number = 24 * 60 * 60 * 1000;
const KEEP_MS: number = CACHE_BOUND.days * DAY_MS;

/** Records that an entry is used, once a day, so that most starts only read. Never throws. */
export function noteUse(entry: string): void {
  try {
    if (nowMs() - statSync(entry).mtimeMs < DAY_MS) return;
    const now = new Date(nowMs());
    utimesSync(entry, now, now);
  } catch {
    // A read-only home still serves what it contains.
  }
}

/**
 * Removes entries unused for 30 days and those over the limit; the entry `keep` stays. Call it after writing an entry, so
 * that sessions that write none pay nothing. Never throws.
 */
export function removeUnused(folder: string, keep: string): void {
  const oldestMs = nowMs() - KEEP_MS;
  try {
    const entries = readdirSync(folder)
      .filter((name) => name !== keep)
      .flatMap((name) => {
        const info = lstatSync(join(folder, name), { throwIfNoEntry: false });
        return info ? [{ name, usedMs: info.mtimeMs }] : [];
      })
      .sort((one, other) => other.usedMs - one.usedMs);
    for (const [at, { name, usedMs }] of entries.entries())
      if (at >= CACHE_BOUND.entries || usedMs < oldestMs) tryRemove(join(folder, name));
  } catch {
    // A folder that cannot be read now is tried again with the next entry.
  }
}

/** What cannot be removed is retried with the next entry and does not block the others. */
function tryRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    return;
  }
}

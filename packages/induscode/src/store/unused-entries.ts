// What bounds a cache below the person's home folder. Each file or folder in it is an entry, and the time of its last change
// is that of its last use. A fault here costs room or a use that is not noted, never what the cache is for.

import { lstatSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { nowMs } from "indusagi/core";
import { CACHE_BOUND } from "./home-files.ts";

const DAY_MS: number = 24 * 60 * 60 * 1000;
const KEEP_MS: number = CACHE_BOUND.days * DAY_MS;

/** Notes that an entry is used, once a day: a start then mostly reads. Never throws. */
export function noteUse(entry: string): void {
  try {
    if (nowMs() - statSync(entry).mtimeMs < DAY_MS) return;
    const now = new Date(nowMs());
    utimesSync(entry, now, now);
  } catch {
    // A home that cannot be written to serves what it holds.
  }
}

/**
 * Removes what was not used for 30 days, and what is too much; the entry `keep` stays. Call it when an entry was written, so
 * that a session that writes none spends nothing on it. Never throws.
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
    // A folder that cannot be looked into now is looked into with the next entry.
  }
}

/** What cannot be removed is tried again with the next entry, and keeps nothing else. */
function tryRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    return;
  }
}

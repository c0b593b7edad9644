// A lock for the milliseconds of one read-change-write of a small file among several processes.

import { randomUUID } from "node:crypto";
import { linkSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { delay, describeError, errorCode, monotonicMs, nowMs, readBoundedFile } from "indusagi/core";

/** How long to wait for a live holder, in milliseconds; it needs a few at most. */
const PATIENCE_MS = 5_000;
/** A lock this old belongs to a process that died or was stopped while it held it. */
const STALE_MS = 10_000;
const RETRY_MS = 10;

/**
 * Runs `work` while holding the lock file `path`, whose folder must exist. `work` is synchronous, so that holding stays
 * short; just before it makes its change visible it asks `isMine`, since a process that was stopped may have lost the
 * lock meanwhile. Rejects when another process keeps the lock.
 */
export async function withFileLock<T>(path: string, work: (isMine: () => boolean) => T): Promise<T> {
  const token = randomUUID();
  const deadlineMs = monotonicMs() + PATIENCE_MS;
  while (!take(path, token)) {
    if (breakStale(path)) continue;
    if (monotonicMs() > deadlineMs)
      throw new Error(`${path} is held by another process; delete it if none is running`);
    await delay(RETRY_MS * (1 + Math.random()), new AbortController().signal);
  }
  try {
    return work(() => content(path) === token);
  } finally {
    if (content(path) === token) unlinkSync(path);
  }
}

function take(path: string, token: string): boolean {
  try {
    writeFileSync(path, token, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Moves a stale lock aside and removes it; gives it back if a live one was caught instead. */
function breakStale(path: string): boolean {
  const seen = content(path);
  const age = statSync(path, { throwIfNoEntry: false });
  if (!age || nowMs() - age.mtimeMs < STALE_MS) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (content(aside) !== seen) linkSync(aside, path);
    unlinkSync(aside);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(errorCode(error) ?? "")) throw error; // another process was faster
  }
  return true;
}

const MAX_LOCK_BYTES = 64 * 1024;

function content(path: string): string | undefined {
  try {
    return readBoundedFile(path, MAX_LOCK_BYTES).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new Error(`the lock ${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
}

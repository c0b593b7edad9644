// One writer for each session file. The owner is a process and the moment it started, so that a recycled process
// number is not taken for the owner; the lock appears by a hard link, so it is never seen half written.

import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { describeError, errorCode, readBoundedFile } from "indusagi/core";

export interface SessionLock {
  readonly release: () => void;
}

export type LockResult =
  | { readonly ok: true; readonly lock: SessionLock }
  /** `holder` completes "is in use …". */
  | { readonly ok: false; readonly holder: string };

interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

/**
 * Takes the lock, breaking one whose owner is gone. The folder must exist. Throws what the file system throws, and
 * leaves nothing behind then.
 */
export function acquireSessionLock(path: string): LockResult {
  return acquire(path, MAX_BROKEN_LOCKS);
}

// Breaking a lock takes a lock, which a process that died meanwhile may have left as well, and so on; not for ever.
const MAX_BROKEN_LOCKS = 3;
// Others may break, take and release a lock between two looks at it.
const ATTEMPTS = 3;

function acquire(path: string, mayBreak: number): LockResult {
  const mine: Owner = { pid: process.pid, startedAt: processStart(process.pid) ?? "", host: hostname() };
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (appears(draft, path)) return { ok: true, lock: { release: () => removeIfMine(path, mine) } };
      const owner = readOwner(path);
      if (owner === "none") continue;
      if (owner !== "unreadable" && isAlive(owner)) return { ok: false, holder: `by process ${owner.pid}` };
      if (mayBreak === 0 || !breakLock(path, mayBreak - 1)) break;
    }
    return { ok: false, holder: "by another process that is taking it over" };
  } finally {
    rmSync(draft, { force: true });
  }
}

function appears(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

// Removing a dead lock is look and remove, two steps, between which someone else could put a live one there: so only who
// holds a second lock may do it. Then the one removed is the one looked at: its owner is dead, no other may remove it,
// and none can replace it. False when someone else is at it.
function breakLock(path: string, mayBreak: number): boolean {
  const breaking = acquire(`${path}.break`, mayBreak);
  if (!breaking.ok) return false;
  try {
    const owner = readOwner(path);
    if (owner === "unreadable" || (owner !== "none" && !isAlive(owner))) rmSync(path, { force: true });
  } finally {
    breaking.lock.release();
  }
  return true;
}

function removeIfMine(path: string, mine: Owner): void {
  if (JSON.stringify(readOwner(path)) === JSON.stringify(mine)) rmSync(path, { force: true });
}

const MAX_LOCK_BYTES = 64 * 1024;

/** `unreadable`: a lock that a crash of the machine left without content is nobody's. */
function readOwner(path: string): Owner | "none" | "unreadable" {
  let text: string;
  try {
    text = readBoundedFile(path, MAX_LOCK_BYTES).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "none";
    throw new Error(`the lock ${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
  try {
    const { pid, startedAt, host } = JSON.parse(text) as Partial<Owner>;
    return typeof pid === "number" && typeof startedAt === "string" && typeof host === "string"
      ? { pid, startedAt, host }
      : "unreadable";
  } catch {
    return "unreadable"; // not JSON, or JSON `null`
  }
}

function isAlive({ pid, startedAt, host }: Owner): boolean {
  if (host !== hostname()) return true; // cannot be told from here: never steal it
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
  }
  return processStart(pid) === startedAt;
}

/** When a process started, in the kernel's own words; empty where the system does not say, undefined once it ended. */
function processStart(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ""; // no /proc here: the process number alone has to do
  }
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : (rest[18] ?? ""); // it waits for its parent to notice its end
}

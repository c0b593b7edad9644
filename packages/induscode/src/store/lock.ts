// The one lock: on a session file while it is open, and on a small file for the milliseconds of one change. The owner is a
// process id with the process's start time, so that a reused id is not mistaken for the owner, and the scope where the id is
// valid: this boot of this machine, and this container. The lock is created by a hard link, so it is never seen half
// written.

import { randomBytes } from "node:crypto";
import { linkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import {
  delay,
  describeError,
  errorCode,
  monotonicMs,
  nowMs,
  type ProcessPlace,
  processFacts,
  processPlace,
  readBoundedFile,
} from "indusagi/core";

export interface FileLock {
  /** False once someone else has taken the lock. */
  readonly isMine: () => boolean;
  readonly release: () => void;
}

export type LockResult =
  | { readonly ok: true; readonly lock: FileLock }
  /** `holder` completes "is in use …". */
  | { readonly ok: false; readonly holder: string };

interface Owner extends Partial<ProcessPlace> {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

/**
 * Takes the lock, breaking one whose owner is gone. The folder must exist. Throws the file system's errors, leaving nothing
 * behind.
 */
export function acquireLock(path: string): LockResult {
  return acquire(path, { mayBreak: MAX_BROKEN_LOCKS, strangerMs: Number.POSITIVE_INFINITY });
}

/** Whether somebody holds the lock, as far as this process can tell. */
export function isLockHeld(path: string): boolean {
  return lockHolder(path) !== undefined;
}

/** Who holds the lock; completes "is in use …". */
export function lockHolder(path: string): string | undefined {
  const owner = readOwner(path);
  const isHeld = typeof owner === "object" && holds(owner, path, Number.POSITIVE_INFINITY);
  return isHeld ? holderOf(owner, path) : undefined;
}

/** How long to wait for a live holder, in milliseconds; it needs a few at most. */
const PATIENCE_MS = 5_000;
/** A lock held this long from another machine belongs to a process that died or was stopped. */
const STRANGER_MS = 10_000;
const RETRY_MS = 10;

/**
 * Runs `work` while holding the lock `path`, whose folder must exist. `work` is synchronous to keep the lock short; it calls
 * `isMine` just before making its change visible. Rejects when another process keeps the lock.
 */
export async function withLock<T>(path: string, work: (isMine: () => boolean) => T): Promise<T> {
  const deadlineMs = monotonicMs() + PATIENCE_MS;
  for (;;) {
    const taken = acquire(path, { mayBreak: MAX_BROKEN_LOCKS, strangerMs: STRANGER_MS });
    if (taken.ok) {
      try {
        return work(taken.lock.isMine);
      } finally {
        taken.lock.release();
      }
    }
    if (monotonicMs() > deadlineMs)
      throw new Error(`${path} is locked by another process; delete it if no other process is running`);
    await delay(RETRY_MS * (1 + Math.random()), new AbortController().signal);
  }
}

interface Acquiring {
  /** How many nested locks on breaking a lock may themselves be broken. */
  readonly mayBreak: number;
  /** Age at which a lock from another machine, with processes that cannot be seen, counts as abandoned. */
  readonly strangerMs: number;
}

// Breaking a lock takes another lock, which a dead process may also have left behind, and so on; the depth is limited.
const MAX_BROKEN_LOCKS = 3;
// Others may break, take and release a lock between two looks at it.
const ATTEMPTS = 3;

function acquire(path: string, { mayBreak, strangerMs }: Acquiring): LockResult {
  const startedAt = processFacts(process.pid)?.startedAt ?? "";
  const mine: Owner = { pid: process.pid, startedAt, host: hostname(), ...processPlace() };
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (appears(draft, path)) return { ok: true, lock: lockOf(path, mine) };
      const owner = readOwner(path);
      if (owner === "none") continue;
      if (owner !== "unreadable" && holds(owner, path, strangerMs))
        return { ok: false, holder: holderOf(owner, path) };
      if (mayBreak === 0 || !breakLock(path, { mayBreak: mayBreak - 1, strangerMs })) break;
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

// Removing a dead lock takes two steps, look and remove, and in between someone could put a live lock there. So only the
// holder of a second lock may remove it; then the removed lock is the one looked at: its owner is dead, and nobody else can
// remove or replace it. False when someone else is doing this.
function breakLock(path: string, how: Acquiring): boolean {
  const breaking = acquire(`${path}.break`, how);
  if (!breaking.ok) return false;
  try {
    const owner = readOwner(path);
    const isLeft = owner === "unreadable" || (owner !== "none" && !holds(owner, path, how.strangerMs));
    if (isLeft) rmSync(path, { force: true });
  } finally {
    breaking.lock.release();
  }
  return true;
}

function lockOf(path: string, mine: Owner): FileLock {
  const isMine = (): boolean => JSON.stringify(readOwner(path)) === JSON.stringify(mine);
  return {
    isMine,
    release() {
      if (isMine()) rmSync(path, { force: true });
    },
  };
}

const MAX_LOCK_BYTES = 64 * 1024;

/** `unreadable`: a machine crash left the lock without content, so nobody holds it. */
function readOwner(path: string): Owner | "none" | "unreadable" {
  let text: string;
  try {
    text = readBoundedFile(path, MAX_LOCK_BYTES).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return "none";
    throw new Error(`the lock ${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
  try {
    const owner = JSON.parse(text) as Partial<Owner>;
    const { pid, startedAt, host } = owner;
    if (typeof pid !== "number" || typeof startedAt !== "string" || typeof host !== "string")
      return "unreadable";
    const place = ["machine", "boot", "namespace"] as const;
    const stated = place.flatMap((name) => (typeof owner[name] === "string" ? [[name, owner[name]]] : []));
    return { pid, startedAt, host, ...Object.fromEntries(stated) };
  } catch {
    return "unreadable"; // not JSON, or JSON `null`
  }
}

/** Whether the owner named in a lock still holds it. */
function holds(owner: Owner, path: string, strangerMs: number): boolean {
  switch (standing(owner)) {
    case "ended":
      return false;
    case "stranger": {
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined || nowMs() - found.mtimeMs < strangerMs;
    }
    case "visible": {
      const facts = processFacts(owner.pid);
      return facts !== undefined && (facts.startedAt === undefined || facts.startedAt === owner.startedAt);
    }
  }
}

/**
 * `visible`: the id refers to a process here. `ended`: the machine was rebooted since. `stranger`: another machine or
 * container, where the same id is another process. A lock written by an earlier version names only its host.
 */
function standing({ host, machine, boot, namespace }: Owner): "visible" | "ended" | "stranger" {
  const here = processPlace();
  if (boot !== undefined && boot !== "" && boot !== here.boot)
    return machine !== undefined && machine !== "" && machine === here.machine && host === hostname()
      ? "ended"
      : "stranger";
  if (namespace !== undefined && namespace !== here.namespace) return "stranger";
  return boot || host === hostname() ? "visible" : "stranger";
}

/** Who holds it; if its processes cannot be seen from here, also how to tell that it is abandoned. */
function holderOf(owner: Owner, path: string): string {
  const who = `by process ${owner.pid}`;
  if (standing(owner) === "visible") return who;
  return `${who} on ${owner.host}, another machine or container (if nothing runs there, delete its lock ${path})`;
}

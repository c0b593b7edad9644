// The one lock: of a session file for as long as it is open, and of a small file for the milliseconds of one change. The
// owner is a process and the moment it started, so that a recycled process number is not taken for the owner, and where its
// number means something: this run of this machine, and this container. The lock appears by a hard link, so it is never seen
// half written.

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
  /** False once somebody else has taken the lock away. */
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
 * Takes the lock, breaking one whose owner is gone. The folder must exist. Throws what the file system throws, and
 * leaves nothing behind then.
 */
export function acquireLock(path: string): LockResult {
  return acquire(path, { mayBreak: MAX_BROKEN_LOCKS, strangerMs: Number.POSITIVE_INFINITY });
}

/** Whether somebody holds the lock, as far as that can be seen from here. */
export function isLockHeld(path: string): boolean {
  const owner = readOwner(path);
  return typeof owner === "object" && holds(owner, path, Number.POSITIVE_INFINITY);
}

/** How long to wait for a live holder, in milliseconds; it needs a few at most. */
const PATIENCE_MS = 5_000;
/** A lock that another machine has held for so long belongs to a process that died or was stopped. */
const STRANGER_MS = 10_000;
const RETRY_MS = 10;

/**
 * Runs `work` while holding the lock `path`, whose folder must exist. `work` is synchronous, so that holding stays short;
 * just before it makes its change visible it asks `isMine`. Rejects when another process keeps the lock.
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
      throw new Error(`${path} is held by another process; delete it if none is running`);
    await delay(RETRY_MS * (1 + Math.random()), new AbortController().signal);
  }
}

interface Acquiring {
  /** How many locks on breaking a lock may be broken in turn. */
  readonly mayBreak: number;
  /** After how long a lock of another machine, whose processes cannot be seen, is nobody's. */
  readonly strangerMs: number;
}

// Breaking a lock takes a lock, which a process that died meanwhile may have left as well, and so on; not for ever.
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

// Removing a dead lock is look and remove, two steps, between which someone else could put a live one there: so only who
// holds a second lock may do it. Then the one removed is the one looked at: its owner is dead, no other may remove it,
// and none can replace it. False when someone else is at it.
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

/** `unreadable`: a lock that a crash of the machine left without content is nobody's. */
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

/** Whether the owner that a lock names still has it. */
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
 * `visible`: its number means a process here. `ended`: the machine was started again since. `stranger`: it is on another machine,
 * or in another container, where the same number is another process. A lock of an earlier version names its host alone.
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

/** Who has it, and for one whose processes cannot be seen from here, how to tell that it is nobody's. */
function holderOf(owner: Owner, path: string): string {
  const who = `by process ${owner.pid}`;
  if (standing(owner) === "visible") return who;
  return `${who} on ${owner.host}, another machine or container, by its lock ${path} (delete that file if nothing runs there)`;
}

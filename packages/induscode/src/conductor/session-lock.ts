// One writer for each session file. The owner is a process and the moment it started, so that a recycled process
// number is not taken for the owner; the lock appears by a hard link, so it is never seen half written.

import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "indusagi/core";

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

/** Takes the lock, breaking one whose owner is gone. The folder must exist. */
export function acquireSessionLock(path: string): LockResult {
  const mine: Owner = { pid: process.pid, startedAt: processStart(process.pid), host: hostname() };
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        linkSync(draft, path);
        return { ok: true, lock: { release: () => removeIfMine(path, mine) } };
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
      const owner = readOwner(path);
      if (owner && isAlive(owner)) return { ok: false, holder: `by process ${owner.pid}` };
      breakLock(path, owner);
    }
    return { ok: false, holder: "by another process that keeps taking it" };
  } finally {
    unlinkSync(draft);
  }
}

/** Moves the dead lock aside and removes it, unless a live one has taken its place meanwhile. */
function breakLock(path: string, dead: Owner | undefined): void {
  const aside = `${path}.${randomBytes(6).toString("hex")}.dead`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return; // someone else broke it first
    throw error;
  }
  const moved = readOwner(aside);
  if (JSON.stringify(moved) !== JSON.stringify(dead) && moved && isAlive(moved)) {
    linkSync(aside, path); // a live owner slipped in: give it back
  }
  unlinkSync(aside);
}

function removeIfMine(path: string, mine: Owner): void {
  if (JSON.stringify(readOwner(path)) === JSON.stringify(mine)) unlinkSync(path);
}

function readOwner(path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, "utf8")) as Partial<Owner>;
    const { pid, startedAt, host } = owner;
    return typeof pid === "number" && typeof startedAt === "string" && typeof host === "string"
      ? { pid, startedAt, host }
      : undefined;
  } catch {
    return undefined; // gone or unreadable: nobody's
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

/** When a process started, in the kernel's own words; empty where the system does not say. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return ""; // no /proc here: the process number alone has to do
  }
}

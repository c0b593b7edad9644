// Whose a command is. Its mark names the process that started it so that no later one is taken for it: a process number
// is only unique inside its namespace (a container sees its own) and until it is given out again.

import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../../core/faults.ts";

/** The environment variable that carries a command's mark to every process that it starts, wherever that goes. */
export const MARK_VARIABLE = "INDUS_JOB";

export interface CommandOwner {
  /** Of process numbers; "0" where the system has none. */
  readonly namespace: string;
  readonly pid: number;
  /** Clock ticks since boot; "0" where the system does not say. */
  readonly startedAt: string;
}

/** A mark that no other command has: `<namespace>-<pid>-<start>-<random>`, safe as a file name. */
export function createCommandMark(): string {
  return ownMarkStart() + randomBytes(4).toString("hex");
}

/** How the mark of every command of this process begins. */
export function ownMarkStart(): string {
  const { namespace, pid, startedAt } = thisProcess();
  return `${namespace}-${pid}-${startedAt}-`;
}

/** The owner that a mark names; undefined when `text` is no mark. */
export function ownerOf(text: string): CommandOwner | undefined {
  const [, namespace, pid, startedAt] = /^(\d+)-(\d+)-(\d+)-[\da-f]{8}$/.exec(text) ?? [];
  if (namespace === undefined || pid === undefined || startedAt === undefined) return undefined;
  return { namespace, pid: Number(pid), startedAt };
}

/** What the system says of the process that now has a number. */
export interface ProcessFacts {
  /** Undefined where the system does not say. */
  readonly startedAt: string | undefined;
  /** 0 where the system does not say. */
  readonly parent: number;
  /** The number of its process group; 0 where the system does not say. */
  readonly group: number;
  /** As the system writes it: R runs or is about to, S and D wait. Empty where the system does not say. */
  readonly state: string;
}

/**
 * True only when `owner` has certainly ended: nothing has its number, or what has it started at another time. An owner
 * of another namespace cannot be seen from here and counts as alive.
 */
export function isOwnerGone(owner: CommandOwner, factsOf = processFacts, here = thisProcess()): boolean {
  if (owner.namespace !== here.namespace) return false;
  const facts = factsOf(owner.pid);
  if (facts === undefined) return true;
  return facts.startedAt !== undefined && facts.startedAt !== owner.startedAt;
}

/** Facts of a running process; undefined when there is none, or only one that waits for its parent to notice its end. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const stat = fromProc(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined)
    return isRunning(pid) ? { startedAt: undefined, parent: 0, group: 0, state: "" } : undefined;
  // The name, in brackets, may itself hold brackets and blanks.
  const [state = "", parent, group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return { startedAt: rest[START_TIME], parent: Number(parent), group: Number(group), state };
}

const START_TIME = 16; // field 22 of /proc/<pid>/stat, counted behind state, parent and group

let own: CommandOwner | undefined;

function thisProcess(): CommandOwner {
  own ??= {
    namespace: /\d+/.exec(fromProc(() => readlinkSync("/proc/self/ns/pid")) ?? "")?.[0] ?? "0",
    pid: process.pid,
    startedAt: processFacts(process.pid)?.startedAt ?? "0",
  };
  return own;
}

/** Undefined where there is no such file: another system, an ended process, or one that is hidden from us. */
function fromProc(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === "EPERM"; // there is one, and it is not ours
  }
}

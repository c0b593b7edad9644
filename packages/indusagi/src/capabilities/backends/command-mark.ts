// Whose a command is. Its mark names the process that started it so that no later one is taken for it: a process number
// is only unique inside its namespace (a container sees its own) and until it is given out again.

import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { fromProc, processFacts } from "../../core/process-facts.ts";

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

/** The owner that a mark names; undefined when `text` is not a mark. */
export function ownerOf(text: string): CommandOwner | undefined {
  const [, namespace, pid, startedAt] = /^(\d+)-(\d+)-(\d+)-[\da-f]{8}$/.exec(text) ?? [];
  if (namespace === undefined || pid === undefined || startedAt === undefined) return undefined;
  return { namespace, pid: Number(pid), startedAt };
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

let own: CommandOwner | undefined;

function thisProcess(): CommandOwner {
  own ??= {
    namespace: /\d+/.exec(fromProc(() => readlinkSync("/proc/self/ns/pid")) ?? "")?.[0] ?? "0",
    pid: process.pid,
    startedAt: processFacts(process.pid)?.startedAt ?? "0",
  };
  return own;
}

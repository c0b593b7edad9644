// Identifies the owner of a command. A command's mark names the process that started it in a way that no later process matches:
// a PID is unique only inside its namespace (a container sees its own) and until it is reused.

import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { fromProc, processFacts } from "../../core/process-facts.ts";

/** The environment variable that carries a command's mark to every process it starts, wherever those go. */
export const MARK_VARIABLE = "INDUS_JOB";

export interface CommandOwner {
  /** The PID namespace; "0" where the system has none. */
  readonly namespace: string;
  readonly pid: number;
  /** Clock ticks since boot; "0" where the system does not report it. */
  readonly startedAt: string;
}

/** A mark unique to one command: `<namespace>-<pid>-<start>-<random>`, safe as a file name. */
export function createCommandMark(): string {
  return ownMarkStart() + randomBytes(4).toString("hex");
}

/** The prefix of the mark of every command of this process. */
export function ownMarkStart(): string {
  const { namespace, pid, startedAt } = thisProcess();
  return `${namespace}-${pid}-${startedAt}-`;
}

/** The owner named in a mark; undefined if `text` is not a mark. */
export function ownerOf(text: string): CommandOwner | undefined {
  const [, namespace, pid, startedAt] = /^(\d+)-(\d+)-(\d+)-[\da-f]{8}$/.exec(text) ?? [];
  if (namespace === undefined || pid === undefined || startedAt === undefined) return undefined;
  return { namespace, pid: Number(pid), startedAt };
}

/**
 * True only if `owner` has certainly ended: its PID is free, or belongs to a process started at another time. An owner in
 * another namespace is not visible from here and counts as alive.
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

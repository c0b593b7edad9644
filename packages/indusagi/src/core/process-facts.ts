// What the system reports about processes: the only reader of /proc/PID/stat.

import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "./faults.ts";

/** What the system reports about the process that currently has a PID. */
export interface ProcessFacts {
  /** Undefined where the system does not report it. */
  readonly startedAt: string | undefined;
  /** 0 where the system does not report it. */
  readonly parent: number;
  /** The process group id; 0 where the system does not report it. */
  readonly group: number;
  /** The system's letter: R is running or runnable, S and D are waiting. Empty where the system does not report it. */
  readonly state: string;
}

/** Facts about a running process; undefined if there is none or it is a zombie. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const stat = fromProc(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined)
    return isRunning(pid) ? { startedAt: undefined, parent: 0, group: 0, state: "" } : undefined;
  // The name, in parentheses, can itself contain parentheses and spaces.
  const [state = "", parent, group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return { startedAt: rest[START_TIME], parent: Number(parent), group: Number(group), state };
}

const START_TIME = 16; // field 22 of /proc/<pid>/stat, counted after state, parent and group

/** What `read` finds in /proc; undefined if the file is missing (another system, an ended process) or hidden from us. */
export function fromProc<Found>(read: () => Found): Found | undefined {
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
    return errorCode(error) === "EPERM"; // it exists but belongs to another user
  }
}

/** Where PIDs are comparable: two equal places mean that each sees the other's processes. */
export interface ProcessPlace {
  /** The machine; empty where the system does not report it. */
  readonly machine: string;
  /** The boot of that machine; empty where the system does not report it. */
  readonly boot: string;
  /** The PID namespace, different in each container; empty where the system does not report it. */
  readonly namespace: string;
}

export function processPlace(): ProcessPlace {
  const text = (path: string): string => fromProc(() => readFileSync(path, "latin1").trim()) ?? "";
  return {
    machine: text("/etc/machine-id"),
    boot: text("/proc/sys/kernel/random/boot_id"),
    namespace: fromProc(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  };
}

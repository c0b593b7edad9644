// What the system says of processes: the one reader of /proc/PID/stat.

import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "./faults.ts";

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

const START_TIME = 16; // field 22 of /proc/<pid>/stat, counted after state, parent and group

/** What `read` finds there; undefined where there is no such file: another system, an ended process, or one that is hidden from us. */
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
    return errorCode(error) === "EPERM"; // there is one, and it is not ours
  }
}

/** Where the numbers of processes mean something: the same text at two places means that each sees the other's processes. */
export interface ProcessPlace {
  /** The machine; empty where the system does not say. */
  readonly machine: string;
  /** The run of that machine since it started; empty where the system does not say. */
  readonly boot: string;
  /** The namespace of process numbers: another in each container; empty where the system does not say. */
  readonly namespace: string;
}

/** Where this process is. */
export function processPlace(): ProcessPlace {
  const text = (path: string): string => fromProc(() => readFileSync(path, "latin1").trim()) ?? "";
  return {
    machine: text("/etc/machine-id"),
    boot: text("/proc/sys/kernel/random/boot_id"),
    namespace: fromProc(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  };
}

// The resource limits of a confined process.

import { readFileSync } from "node:fs";
import { BROWSER_DATA_BYTES, BROWSER_OPEN_FILES } from "./browser-places.ts";
import type { SandboxSpec } from "./contract.ts";

export interface ProcessLimits {
  /**
   * RLIMIT_DATA: heap and every private writable mapping. Not RLIMIT_AS: WebAssembly reserves gigabytes it never uses. Absent where the
   * system sets it but does not enforce it.
   */
  readonly dataBytes?: number | undefined;
  /** For the first thread; the other threads of Node and Python have no larger ones. Without a limit it could fill the memory. */
  readonly stackBytes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Per user, as the kernel counts; root is exempt. Absent when the system's load cannot be read. */
  readonly processes?: number | undefined;
}

/** The limits of a program. Core dumps are always off. Memory is bounded on Linux only. */
export function programLimits(
  { isNode, maxMemoryBytes, hasBrowser }: Pick<SandboxSpec, "isNode" | "maxMemoryBytes" | "hasBrowser">,
  platform: NodeJS.Platform = process.platform,
): ProcessLimits {
  const running = runningTasks();
  const ownBytes = maxMemoryBytes + (isNode ? NODE_RESERVED_BYTES : 0);
  const dataBytes = hasBrowser ? Math.max(ownBytes, BROWSER_DATA_BYTES) : ownBytes;
  return {
    dataBytes: platform === "linux" ? dataBytes : undefined,
    stackBytes: STACK_BYTES,
    fileBytes: 1024 ** 3,
    openFiles: hasBrowser ? BROWSER_OPEN_FILES : OPEN_FILES,
    processes: running === undefined ? undefined : running + SPARE_TASKS,
  };
}

/** The limit that most systems begin with. A program of .NET in one file opens it for each of its parts: Azure's server needs more than 256. */
const OPEN_FILES = 1_024;

/** The default of most systems. */
export const STACK_BYTES: number = 8 * 1024 ** 2;

/**
 * What V8 maps writable at start and never fills with a program's data: 512 MiB for code, the stacks of its threads (measured: Node 26.10
 * on x86-64 starts with 536 to 575 MiB, and fails below).
 */
export const NODE_RESERVED_BYTES: number = 576 * 1024 ** 2;

/** How many tasks can be added to those that ran at the start: the limit counts all of the user's. */
const SPARE_TASKS = 1024;

/** All of the machine's tasks: at least as many as this user's. One small read, where counting /proc would take thousands. */
function runningTasks(): number | undefined {
  try {
    const total = /\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1];
    return total === undefined ? undefined : Number(total);
  } catch {
    // No such file outside Linux, or /proc is not mounted: then no process limit is set.
    return undefined;
  }
}

// The resource limits of a confined process, and the shell line that sets them where no program of ours does.

import { readFileSync } from "node:fs";
import type { SandboxSpec } from "./contract.ts";

export interface ProcessLimits {
  /** RLIMIT_DATA: heap and every private writable mapping. Not RLIMIT_AS: WebAssembly reserves gigabytes it never uses. */
  readonly dataBytes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Of the user, as the kernel counts; root is exempt. Absent where the system's load cannot be read. */
  readonly processes?: number;
}

/** The limits of a program. Core dumps are always off. */
export function programLimits({ isNode, maxMemoryBytes }: SandboxSpec): ProcessLimits {
  const running = runningTasks();
  return {
    dataBytes: maxMemoryBytes + (isNode ? NODE_RESERVED_BYTES : 0),
    fileBytes: 1024 ** 3,
    openFiles: 256,
    ...(running === undefined ? {} : { processes: running + SPARE_TASKS }),
  };
}

/**
 * A command line that sets the limits and then becomes `argv`. It refuses (code 126) where a limit cannot be set and
 * nothing tighter holds. POSIX sh; the units are its own.
 */
export function withLimits(argv: readonly string[], limits: ProcessLimits): readonly string[] {
  return ["/bin/sh", "-c", `${limitLines(limits)}\nexec "$@"`, "indus-sandbox", ...argv];
}

/** The lines of {@link withLimits} alone. */
export function limitLines({ dataBytes, fileBytes, openFiles, processes }: ProcessLimits): string {
  return [
    LIMIT_FUNCTION,
    "limit c 0",
    `limit f ${Math.floor(fileBytes / 512)}`,
    `limit n ${openFiles}`,
    // bash and busybox call it -u or -p, dash -p; in bash -p means something else and cannot be set.
    ...(processes === undefined
      ? []
      : [`ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null || :`]),
    `limit d ${Math.floor(dataBytes / 1024)}`,
  ].join("\n");
}

/**
 * What V8 maps writable at its start and never fills with a program's data: 512 MiB for code, the stacks of its threads
 * (measured: Node 26.10 on x86-64 starts with 536 to 575 MiB, and fails below).
 */
const NODE_RESERVED_BYTES = 576 * 1024 ** 2;

/** How many tasks may come on top of those that ran at the start: the limit counts all of the user's. */
const SPARE_TASKS = 1024;

const LIMIT_FUNCTION = `limit() {
  ulimit "-$1" "$2" 2>/dev/null && return
  [ "$(ulimit -H "-$1")" = unlimited ] || return 0
  echo "indus sandbox: ulimit -$1 $2 was refused by this system's shell" >&2
  exit 126
}`;

/** All of the machine's tasks: at least as many as this user's. One small read, where counting /proc would be thousands. */
function runningTasks(): number | undefined {
  try {
    const total = /\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1];
    return total === undefined ? undefined : Number(total);
  } catch {
    // No such file outside Linux, or /proc is not mounted: then the limit on processes is not set.
    return undefined;
  }
}

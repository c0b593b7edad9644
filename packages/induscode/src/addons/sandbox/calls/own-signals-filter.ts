// A second system call filter, for kernels whose Landlock does not confine signals: the process can signal only itself.

import { ALLOW, argumentLow, EPERM, encodeFilter, IF_EQUAL, LOAD, NUMBER, RETURN } from "./filter-program.ts";
import type { FilterArchitecture } from "./system-calls.ts";

/** The first Landlock ABI that confines signals; before it this filter does, for programs that start no processes. */
export const SCOPED_SIGNALS = 6;

/**
 * For the process with this id, which keeps it when it becomes another program. Applied on top of the main filter, which checks the
 * architecture. `abort()` still works: a process sends that signal to itself.
 */
export function ownSignalsFilter(pid: number, architecture: FilterArchitecture): Uint8Array {
  const calls = SIGNAL_CALLS.map((numbers) => numbers[architecture === "x64" ? 0 : 1]);
  return encodeFilter([
    { op: LOAD, value: NUMBER },
    // Names its target by an open file, which a filter cannot inspect.
    { op: IF_EQUAL, onTrue: calls.length + 3, value: PIDFD_SEND_SIGNAL },
    ...calls.map((value, index) => ({ op: IF_EQUAL, onTrue: calls.length - index, value })),
    { op: RETURN, value: ALLOW },
    { op: LOAD, value: argumentLow(0) },
    { op: IF_EQUAL, onTrue: 1, value: pid },
    { op: RETURN, value: EPERM },
    { op: RETURN, value: ALLOW },
  ]);
}

const PIDFD_SEND_SIGNAL = 424;

/** Calls whose first argument names the target, by [x64, arm64]. */
const SIGNAL_CALLS = [
  [62, 129], // kill
  [200, 130], // tkill
  [234, 131], // tgkill
  [129, 138], // rt_sigqueueinfo
  [297, 240], // rt_tgsigqueueinfo
] as const;

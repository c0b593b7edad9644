// Ends processes that left a command's group before the command ended: when the command ends, not only when the host does.

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../core/clock.ts";
import { argumentsOf, leftoversOf, signalProcess } from "./marked-processes.ts";
import { TERM_GRACE_MS } from "./process-group.ts";
import { isCommandRunning } from "./started-command.ts";

/** How long to wait for processes about to leave the group, and for those that left it to end. */
const MAX_MS = 2 * TERM_GRACE_MS;
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 100;

export interface RunCommand {
  readonly command: string;
  readonly mark: string;
  /** The PID of its shell, and its process group id. */
  readonly leader: number;
  readonly startedMs: number;
  /** Collects the PIDs of the processes that were ended. */
  readonly ended: Set<number>;
}

/**
 * Ends every process of a command outside its group: SIGTERM first, SIGKILL after a grace period. If the group `isEnding`,
 * processes that leave it until then are ended too, and the host does not wait for that.
 */
export async function endEscaped(
  run: RunCommand,
  { isEnding }: { readonly isEnding: boolean },
): Promise<void> {
  const { command, mark, leader, startedMs, ended } = run;
  const beganMs = monotonicMs();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    const nowMs = monotonicMs();
    const { staying, escaped } = leftoversOf({ mark, leader, ageMs: nowMs - startedMs });
    for (const pid of escaped) {
      if (nowMs > beganMs + TERM_GRACE_MS) signalProcess(pid, "SIGKILL");
      else if (!ended.has(pid)) signalProcess(pid, "SIGTERM");
      ended.add(pid);
    }
    const isAwaited = isEnding ? staying.length > 0 : staying.some((one) => isLeaving(one, command));
    if (escaped.length === 0 && !isAwaited) return;
    if (nowMs >= beganMs + MAX_MS) return; // the kernel releases the rest later, or never
    await sleep(pauseMs, undefined, { ref: !isEnding });
  }
}

// A copy of the shell that has not yet executed its program, or a program whose purpose is to leave the group.
function isLeaving(
  { pid, state }: { readonly pid: number; readonly state: string },
  command: string,
): boolean {
  const [program = "", , line] = argumentsOf(pid) ?? [];
  return (line === command && state !== "S") || basename(program) === "setsid";
}

/**
 * Checks once more after a while for processes that left the group late, unless nothing of the command is left by then that could: in a
 * sandbox the last process outlives the first by a moment. The host does not wait for that.
 */
export function endEscapedLater(run: RunCommand): void {
  if (process.platform !== "linux") return;
  const later = (ms: number, look: () => void): void => void setTimeout(look, ms).unref();
  later(SOON_MS, () => {
    if (isCommandRunning(run)) later(LATER_MS, () => void endEscaped(run, { isEnding: false }));
  });
}

const SOON_MS = 30;
const LATER_MS = 1_000;

// Ending what left a command's group before the command ended: with it, and not with the host.

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../core/clock.ts";
import { argumentsOf, leftoversOf, signalProcess } from "./marked-processes.ts";
import { TERM_GRACE_MS } from "./process-group.ts";

/** How long is waited for what is about to leave the group, and for the end of what has left it. */
const MAX_MS = 2 * TERM_GRACE_MS;
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 100;

export interface RunCommand {
  readonly command: string;
  readonly mark: string;
  /** The number of its shell, and of its group. */
  readonly leader: number;
  readonly startedMs: number;
  /** The processes that were ended are put in here. */
  readonly ended: Set<number>;
}

/**
 * Ends every process of a command outside of its group: politely, then after a grace not. When the group `isEnding`, what
 * leaves it until then is ended too, and the host does not wait for that.
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
    if (nowMs >= beganMs + MAX_MS) return; // the kernel lets go of what is left, or never
    await sleep(pauseMs, undefined, { ref: !isEnding });
  }
}

// A copy of the shell that has not yet come to become the program it is for, or a program that is for leaving.
function isLeaving(
  { pid, state }: { readonly pid: number; readonly state: string },
  command: string,
): boolean {
  const [program = "", , line] = argumentsOf(pid) ?? [];
  return (line === command && state !== "S") || basename(program) === "setsid";
}

/** Looks once more after a while for what left the group late. The host does not wait for that. */
export function endEscapedLater(run: RunCommand): void {
  if (process.platform !== "linux") return;
  const look = (): void => void endEscaped(run, { isEnding: false });
  setTimeout(look, LATER_MS).unref();
}

const LATER_MS = 1_000;

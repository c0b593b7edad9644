// A command that was started here, for whoever must know when nothing of it runs any more, or end all of it.

import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../core/clock.ts";
import { isGroupRunning, killMarked, leftoversOf } from "./marked-processes.ts";
import { isGroupAlive, signalGroup } from "./process-group.ts";

export interface StartedCommand {
  readonly mark: string;
  /** The PID of its first process, and its process group id. */
  readonly leader: number;
  readonly startedMs: number;
}

/** Whether any process of it runs: in its group, or elsewhere with its mark. */
export function isCommandRunning({ mark, leader, startedMs }: StartedCommand): boolean {
  const ageMs = monotonicMs() - startedMs;
  if (isGroupAlive(leader) && isGroupRunning({ leader, ageMs })) return true;
  const { staying, escaped } = leftoversOf({ mark, leader, ageMs });
  return staying.length + escaped.length > 0;
}

/** Kills every process of it, and waits for a while until none runs. */
export async function killCommand(command: StartedCommand): Promise<void> {
  signalGroup(command.leader, "SIGKILL");
  killMarked((mark) => mark === command.mark);
  await commandGone(command, KILLED_MS);
}

/** Waits until nothing of it runs, at most for `patienceMs`. */
export async function commandGone(command: StartedCommand, patienceMs: number): Promise<void> {
  const untilMs = monotonicMs() + patienceMs;
  for (let pauseMs = 1; isCommandRunning(command) && monotonicMs() < untilMs; pauseMs *= 2)
    await sleep(Math.min(pauseMs, LAST_PAUSE_MS));
}

const KILLED_MS = 2_000;
const LAST_PAUSE_MS = 5;

// The end of background jobs: of every process that they started, whatever it is called by then.

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../core/clock.ts";
import { killMarked, signalMarked } from "../backends/marked-processes.ts";
import type { BackgroundJob } from "./background-job.ts";

/** How long a job has after SIGTERM before SIGKILL. */
const TERM_GRACE_MS = 1_000;
const LOOK_AGAIN_MS = 20;

/** Ends every process of `jobs`: SIGTERM, then SIGKILL after a grace period. */
export async function endJobs(jobs: readonly BackgroundJob[], hurry: AbortSignal): Promise<void> {
  if (jobs.length === 0) return;
  const marks = new Set(jobs.map((job) => job.facts.mark));
  const isMeant = (mark: string): boolean => marks.has(mark);
  const isRunning = (): boolean => jobs.some((job) => job.exit === undefined) || signalMarked(isMeant, 0) > 0;
  const giveTime = async (until: number): Promise<void> => {
    while (!hurry.aborted && monotonicMs() < until && isRunning()) await sleep(LOOK_AGAIN_MS);
  };

  for (const job of jobs) job.facts.handle.kill("SIGTERM");
  signalMarked(isMeant, "SIGTERM");
  await giveTime(monotonicMs() + TERM_GRACE_MS);
  for (const job of jobs) job.facts.handle.kill("SIGKILL");
  killMarked(isMeant);
  await giveTime(monotonicMs() + TERM_GRACE_MS);
}

// A host that exits without disposing of a table ends its jobs on exit, as far as is still possible then.
const armed = new Set<ReadonlyMap<string, BackgroundJob>>();

export function armExit(jobs: ReadonlyMap<string, BackgroundJob>): void {
  if (armed.size === 0) process.on("exit", endAllNow);
  armed.add(jobs);
}

export function disarmExit(jobs: ReadonlyMap<string, BackgroundJob>): void {
  armed.delete(jobs);
  if (armed.size === 0) process.off("exit", endAllNow);
}

function endAllNow(): void {
  const jobs = [...armed].flatMap((table) => [...table.values()]);
  for (const job of jobs) job.facts.handle.kill("SIGKILL");
  const marks = new Set(jobs.map((job) => job.facts.mark));
  killMarked((mark) => marks.has(mark));
  for (const job of jobs) rmSync(job.facts.folder, { recursive: true, force: true });
}

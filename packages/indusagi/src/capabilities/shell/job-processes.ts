// Finding and ending the processes of a job by its mark. A process that left the job's group (setsid) still has the
// mark in its environment. Where the system shows no environments (all but Linux) nothing is found, and only the group
// is ended.

import { readdirSync, readFileSync } from "node:fs";
import { errorCode } from "../../core/faults.ts";
import { JOB_VARIABLE, processFacts } from "./job-owner.ts";

/** Sends `signal` (0: none) to every process whose mark `isMeant`. Returns how many there were. */
export function signalMarked(isMeant: (mark: string) => boolean, signal: NodeJS.Signals | 0): number {
  const spared = ownAncestry();
  let found = 0;
  for (const pid of processNumbers()) {
    if (spared.has(pid)) continue;
    const mark = markOf(pid);
    // Read and signalled in one go: a number is not given out again between two lines.
    if (mark !== undefined && isMeant(mark) && send(pid, signal)) found++;
  }
  return found;
}

// A process may start another between the look and the signal; each round catches what the last one missed.
const MAX_ROUNDS = 8;

/** Ends every process whose mark `isMeant`, and what those start meanwhile. Returns how many were ended at first. */
export function killMarked(isMeant: (mark: string) => boolean): number {
  const found = signalMarked(isMeant, "SIGKILL");
  for (let round = 1, left = found; left > 0 && round < MAX_ROUNDS; round++) {
    left = signalMarked(isMeant, "SIGKILL");
  }
  return found;
}

function processNumbers(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function markOf(pid: number): string | undefined {
  let environment: Buffer;
  try {
    environment = readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    // It has ended meanwhile, or is another person's.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
  const name = `${JOB_VARIABLE}=`;
  const at = environment.indexOf(`\0${name}`) + 1;
  if (at === 0 && !environment.subarray(0, name.length).equals(Buffer.from(name))) return undefined;
  const end = environment.indexOf(0, at);
  return environment.toString("latin1", at + name.length, end === -1 ? undefined : end);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === "ESRCH" || errorCode(error) === "EPERM") return false;
    throw error;
  }
}

/** This process and all above it: a job may have started a terminal in which a person now runs us. */
function ownAncestry(): ReadonlySet<number> {
  const ancestry = new Set<number>();
  for (let pid = process.pid; pid > 1 && !ancestry.has(pid); ) {
    ancestry.add(pid);
    pid = processFacts(pid)?.parent ?? 0;
  }
  return ancestry;
}

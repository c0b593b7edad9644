// Finds and ends the processes of a command by its mark. A process that left the command's group (setsid) still has the mark in
// its environment. Where environments are not readable (all but Linux) nothing is found and only the group is ended; the same
// is true for a process that cleared or hides its environment.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { errorCode } from "../../core/faults.ts";
import { fromProc, processFacts } from "../../core/process-facts.ts";
import { isOwnerGone, MARK_VARIABLE, ownerOf } from "./command-mark.ts";

/** Sends `signal` (0: none) to every process whose mark satisfies `isMeant`. Returns how many there were. */
export function signalMarked(isMeant: (mark: string) => boolean, signal: NodeJS.Signals | 0): number {
  const spared = ownAncestry();
  let found = 0;
  for (const pid of processNumbers()) {
    if (spared.has(pid)) continue;
    const mark = markOf(pid);
    // Read and signalled in one go: a PID is not reused between two lines.
    if (mark !== undefined && isMeant(mark) && send(pid, signal)) found++;
  }
  return found;
}

/** The processes of a command, wherever they are. */
export function markedProcesses(mark: string): readonly number[] {
  return processNumbers().filter((pid) => markOf(pid) === mark);
}

// A process can start another between being found and being signalled; each round catches what the last one missed.
const MAX_ROUNDS = 8;

/** Ends every process whose mark satisfies `isMeant`, and what those start meanwhile. Returns how many the first round ended. */
export function killMarked(isMeant: (mark: string) => boolean): number {
  const found = signalMarked(isMeant, "SIGKILL");
  for (let round = 1, left = found; left > 0 && round < MAX_ROUNDS; round++) {
    left = signalMarked(isMeant, "SIGKILL");
  }
  return found;
}

/** Ends what commands of ended hosts left running, wherever it is. Returns the number of processes. */
export function killOrphans(): number {
  const verdicts = new Map<string, boolean>();
  return killMarked((mark) => {
    const known = verdicts.get(mark) ?? isOrphan(mark);
    verdicts.set(mark, known);
    return known;
  });
}

/** True if the host that issued `mark` has certainly ended. */
export function isOrphan(mark: string): boolean {
  const owner = ownerOf(mark);
  return owner !== undefined && isOwnerGone(owner);
}

/** A command that has run, as needed to find its processes. */
interface MarkedCommand {
  readonly mark: string;
  /** The PID of its shell, and its process group id. */
  readonly leader: number;
  /** How long ago it was started, in milliseconds. */
  readonly ageMs: number;
}

interface Leftovers {
  /** Processes in the command's group. */
  readonly staying: readonly { readonly pid: number; readonly state: string }[];
  /** Processes that left the group and were not started by one still in it. */
  readonly escaped: readonly number[];
}

/** What remains of a command whose shell has ended. */
export function leftoversOf({ mark, leader, ageMs }: MarkedCommand): Leftovers {
  const parents = new Map<number, number>();
  const staying = new Map<number, string>();
  for (const pid of candidates({ leader, ageMs })) {
    if (markOf(pid) !== mark) continue;
    const facts = processFacts(pid);
    if (facts?.group === leader) staying.set(pid, facts.state);
    else if (facts !== undefined) parents.set(pid, facts.parent);
  }
  // A background server can give its children a group of their own: they belong to it.
  const belongs = (pid: number): boolean => {
    const seen = new Set<number>();
    for (let at: number | undefined = pid; at !== undefined && !seen.has(at); at = parents.get(at)) {
      if (staying.has(at)) return true;
      seen.add(at);
    }
    return false;
  };
  return {
    staying: Array.from(staying, ([pid, state]) => ({ pid, state })),
    escaped: [...parents.keys()].filter((pid) => !belongs(pid)),
  };
}

/** Whether a command's group has a process that is not a zombie. */
export function isGroupRunning(command: Omit<MarkedCommand, "mark">): boolean {
  const { leader } = command;
  return [leader, ...candidates(command)].some((pid) => processFacts(pid)?.group === leader);
}

/** The arguments of a process; undefined if it has ended or belongs to another user. */
export function argumentsOf(pid: number): readonly string[] | undefined {
  return fromProc(() => readFileSync(`/proc/${pid}/cmdline`))
    ?.toString("utf8")
    .split("\0");
}

// PIDs are assigned in order and start over after the highest. No machine starts this many processes in a millisecond, so
// within this time no PID is assigned twice.
const MOST_STARTS_A_MS = 20;

/** The PIDs that processes of the command besides its leader can have. */
function candidates({ leader, ageMs }: Omit<MarkedCommand, "mark">): readonly number[] {
  return ageMs < orderlyMs() ? numbersSince(leader) : processNumbers();
}

let orderly: number | undefined;

function orderlyMs(): number {
  orderly ??=
    Number(fromProc(() => readFileSync("/proc/sys/kernel/pid_max"))?.toString("latin1") ?? 0) /
    MOST_STARTS_A_MS;
  return orderly;
}

// Checking this many PIDs one by one takes as long as listing all processes.
const FEW_NUMBERS = 60;

/** The PIDs of processes started after `leader`; includes others if the numbering has wrapped around. */
function numbersSince(leader: number): readonly number[] {
  const last = Number(
    fromProc(() => readFileSync("/proc/loadavg"))
      ?.toString("latin1")
      .trim()
      .split(" ")
      .at(-1),
  );
  if (!(last >= leader)) return processNumbers();
  if (last - leader > FEW_NUMBERS) return processNumbers().filter((pid) => pid > leader);
  const numbers = Array.from({ length: last - leader }, (_, index) => leader + 1 + index);
  return numbers.filter((pid) => existsSync(`/proc/${pid}/environ`));
}

/** Sends a signal. False if there is no such process or it is not permitted. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  return send(pid, signal);
}

function processNumbers(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function markOf(pid: number): string | undefined {
  const environment = fromProc(() => readFileSync(`/proc/${pid}/environ`));
  if (environment === undefined) return undefined;
  const name = `${MARK_VARIABLE}=`;
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

/** This process and its ancestors: a job may have started a terminal in which a person now runs us. */
function ownAncestry(): ReadonlySet<number> {
  const ancestry = new Set<number>();
  for (let pid = process.pid; pid > 1 && !ancestry.has(pid); ) {
    ancestry.add(pid);
    pid = processFacts(pid)?.parent ?? 0;
  }
  return ancestry;
}

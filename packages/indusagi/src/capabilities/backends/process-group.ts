// Starts a shell or a program as the leader of its own process group, and ends the whole group: a signal to the leader alone
// leaves its children running.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { errorCode } from "../../core/faults.ts";
import { forgetGroup, startReaper, watchGroup } from "./host-reaper.ts";

/** How long a group has to end after SIGTERM before SIGKILL. */
export const TERM_GRACE_MS = 1_000;

export interface GroupLaunch {
  /** True for a command of the model, which is marked. Default: true for a shell line, false for a program. */
  readonly isCommand?: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
}

const SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

const liveGroups = new Set<number>();
/** Groups whose shell has ended while processes it started are still alive. */
const leaderless = new Set<number>();
let isSweepInstalled = false;

/**
 * Starts a shell line, or a program by its argument list, in its own group. A failure to start is reported by the `error`
 * event. Every group ends with this process, however this process ends.
 */
export function startGroup(command: string | readonly string[], launch: GroupLaunch): ChildProcess {
  for (const pid of leaderless) forgetIfEmpty(pid);
  const [program = SHELL, ...args] = typeof command === "string" ? [SHELL, "-c", command] : command;
  const { isCommand = typeof command === "string", ...options } = launch;
  if (isCommand) startReaper();
  const child = spawn(program, args, { ...options, detached: true, windowsHide: true });
  const { pid } = child;
  if (pid !== undefined) {
    liveGroups.add(pid);
    leaderless.delete(pid);
    watchGroup(pid, isCommand ? "command" : "program");
    child.once("exit", () => {
      leaderless.add(pid);
      forgetIfEmpty(pid);
    });
    installSweep();
  }
  return child;
}

// A group's number is reserved while it has a member; after that it can be reused for another group.
function forgetIfEmpty(pid: number): void {
  if (sendToGroup(pid, 0)) return;
  liveGroups.delete(pid);
  leaderless.delete(pid);
  forgetGroup(pid);
}

/** Whether a group that was started here still has a process. */
export function isGroupAlive(pid: number): boolean {
  return liveGroups.has(pid) && sendToGroup(pid, 0);
}

/** Signals every process of the group. Does nothing if none is left. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined && liveGroups.has(pid)) sendToGroup(pid, signal);
}

/** False if the group has no process, or none we can signal (one that changed its user). */
function sendToGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if (errorCode(error) === "ESRCH" || errorCode(error) === "EPERM") return false;
    throw error;
  }
}

/** SIGTERM now and SIGKILL after {@link TERM_GRACE_MS}, even if the leader has ended but members have not. */
export function endGroup(pid: number | undefined): void {
  signalGroup(pid, "SIGTERM");
  const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), TERM_GRACE_MS);
  timer.unref(); // a host that exits earlier kills the group on its way out
}

function installSweep(): void {
  if (isSweepInstalled) return;
  isSweepInstalled = true;
  process.on("exit", () => {
    for (const pid of liveGroups) signalGroup(pid, "SIGKILL");
  });
}

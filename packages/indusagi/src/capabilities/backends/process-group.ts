// Starting a shell or a program as the leader of its own process group, and ending the whole group: a signal to the
// leader alone leaves its children running.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { errorCode } from "../../core/faults.ts";
import { forgetGroup, watchGroup } from "./host-reaper.ts";

/** How long a group may take to end by itself after SIGTERM before SIGKILL. */
export const TERM_GRACE_MS = 1_000;

export interface GroupLaunch {
  /** A program that is a command of the model: it is marked, as a line is. Default: a line is one, a program none. */
  readonly isCommand?: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
}

const SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

const liveGroups = new Set<number>();
/** Those of them whose shell has ended while processes it started live on. */
const leaderless = new Set<number>();
let isSweepInstalled = false;

/**
 * Starts a shell line, or a program by its argument list, in a group of its own. What cannot start says so in its
 * `error` event. Every group ends with this process, however this process ends.
 */
export function startGroup(command: string | readonly string[], launch: GroupLaunch): ChildProcess {
  for (const pid of leaderless) forgetIfEmpty(pid);
  const [program = SHELL, ...args] = typeof command === "string" ? [SHELL, "-c", command] : command;
  const { isCommand = typeof command === "string", ...options } = launch;
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

// While a group has a member its number is taken; once it has none, the number may come to belong to a stranger.
function forgetIfEmpty(pid: number): void {
  if (sendToGroup(pid, 0)) return;
  liveGroups.delete(pid);
  leaderless.delete(pid);
  forgetGroup(pid);
}

/** Whether a group that was started here has a process. */
export function isGroupAlive(pid: number): boolean {
  return liveGroups.has(pid) && sendToGroup(pid, 0);
}

/** Signals every process of the group. Nothing happens when none is left. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined && liveGroups.has(pid)) sendToGroup(pid, signal);
}

/** False when the group has no process, or none within reach (one that changed its user). */
function sendToGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if (errorCode(error) === "ESRCH" || errorCode(error) === "EPERM") return false;
    throw error;
  }
}

/** SIGTERM now and SIGKILL after {@link TERM_GRACE_MS}, also when the leader has ended but members have not. */
export function endGroup(pid: number | undefined): void {
  signalGroup(pid, "SIGTERM");
  const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), TERM_GRACE_MS);
  timer.unref(); // a host that leaves earlier kills the group on its way out
}

function installSweep(): void {
  if (isSweepInstalled) return;
  isSweepInstalled = true;
  process.on("exit", () => {
    for (const pid of liveGroups) signalGroup(pid, "SIGKILL");
  });
}

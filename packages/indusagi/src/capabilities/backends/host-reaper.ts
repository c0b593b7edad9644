// A small helper process that ends this one's commands when this one is gone, however it ended: SIGKILL and SIGQUIT let none of
// our code run. It waits on a pipe that the kernel closes with the host, and costs nothing meanwhile. It is a shell, not Node:
// it starts in a millisecond and takes a megabyte. Without `sh` (Windows) none of this is possible.

import { type ChildProcess, spawn } from "node:child_process";
import { MARK_VARIABLE, ownMarkStart } from "./command-mark.ts";

// $1: the prefix of this host's marks. Input lines: `+ number` for a live group, `- number` for one that has no process any
// more. A reused number belongs to another group: a leader that is alive must be the one that was reported. Processes that left
// their group are found by their marks. A process that is just becoming a program has no readable mark, and one that ends may have started
// another meanwhile: only after three looks that found none there is none. No line of the first loop starts a process.
const SCRIPT = `
trap '' HUP INT QUIT TERM
look() {
  start=
  { read -r line < "/proc/$1/stat"; } 2>/dev/null || return 0
  set -- \${line##*') '}
  start=\${20}
}
groups=
while read -r change pid; do
  rest=
  for group in $groups; do [ "\${group%%:*}" = "$pid" ] || rest="$rest $group"; done
  groups=$rest
  [ "$change" = + ] && look "$pid" && groups="$groups $pid:$start"
done
for group in $groups; do
  pid=\${group%%:*}
  look "$pid"
  [ -z "$start" ] || [ "$start" = "\${group#*:}" ] && kill -KILL "-$pid" 2>/dev/null
done
[ -r /proc/self/environ ] || exit 0
round=0
empty=0
while [ $round -lt 24 ]; do
  round=$((round + 1))
  found=
  for file in $(printf '%s\\n' /proc/[0-9]*/environ | xargs grep -lsF "${MARK_VARIABLE}=$1"); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null && found=1
  done
  [ -n "$found" ] && empty=0 && continue
  empty=$((empty + 1))
  [ $empty -lt 3 ] || exit 0
  sleep 0.1 2>/dev/null || sleep 1
done
`;

/** Most commands end sooner and can be found by their marks; only those that clear their environment leave no other trace. */
const COMMAND_REPORT_MS = 250;
/** A program can be part of our own startup, and has its own ways to end with us. */
const PROGRAM_REPORT_MS = 500;

let reaper: ChildProcess | undefined;
const reported = new Set<number>();
const waiting = new Map<number, NodeJS.Timeout>();

/** Makes `group` end with this process: the group of a command, which is marked, or of a program started by an argument list. */
export function watchGroup(group: number, kind: "command" | "program"): void {
  if (process.platform === "win32") return;
  const report = (): void => {
    waiting.delete(group);
    reported.add(group);
    tell(`+ ${group}`);
  };
  if (kind === "command" && process.platform !== "linux") {
    report(); // it has no marks to be found by
    return;
  }
  const timer = setTimeout(report, kind === "command" ? COMMAND_REPORT_MS : PROGRAM_REPORT_MS);
  waiting.set(group, timer.unref());
}

/**
 * Before the first command starts: until it has become its program, that holds the other end of the reaper's pipe as well, so that the
 * reaper does not look before there is a mark.
 */
export function startReaper(): void {
  if (process.platform === "linux") reaper ??= start();
}

/** `group` has no process any more. */
export function forgetGroup(group: number): void {
  clearTimeout(waiting.get(group));
  waiting.delete(group);
  if (reported.delete(group)) tell(`- ${group}`);
}

function tell(line: string): void {
  if (reaper) reaper.stdin?.write(`${line}\n`);
  else reaper = start();
}

/** Starts a new reaper and tells it what was reported so far. */
function start(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "indus-reaper", ownMarkStart()], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // a signal that ends our group must not reach it
  });
  // If it is killed, the next command starts it again.
  const forget = (): void => {
    if (reaper === child) reaper = undefined;
  };
  child.once("exit", forget);
  child.once("error", forget);
  child.stdin?.on("error", forget);
  child.unref();
  if (child.stdin && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  for (const group of reported) child.stdin?.write(`+ ${group}\n`);
  return child;
}

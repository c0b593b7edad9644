// A small process next to this one that ends its commands when this one is gone, however it went: SIGKILL and SIGQUIT let
// no code of ours run. It waits on a pipe that the kernel closes with the host, and costs nothing meanwhile. A shell, and
// not Node: it is there in a millisecond and takes a megabyte. Nothing here can be done where there is no `sh` (Windows).

import { type ChildProcess, spawn } from "node:child_process";
import { MARK_VARIABLE, ownMarkStart } from "./command-mark.ts";

// $1: how the marks of this host begin. Lines of the input: `+ number` for a group that lives, `- number` for one that has
// no process any more. A number that was given out again since belongs to a stranger: a leader that lives must be the one
// that was reported. By their marks are found the processes that left their group. No line of the loop starts a process.
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
while [ $round -lt 20 ]; do
  round=$((round + 1))
  found=
  for file in $(printf '%s\\n' /proc/[0-9]*/environ | xargs grep -lsF "${MARK_VARIABLE}=$1"); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" 2>/dev/null && found=1
  done
  [ -n "$found" ] || exit 0
done
`;

/** Most commands end before that, and are found by their marks; only what clears its environment has no other trace. */
const COMMAND_REPORT_MS = 250;
/** A program may be a part of our own start, and has means of its own to end with us. */
const PROGRAM_REPORT_MS = 500;

let reaper: ChildProcess | undefined;
const reported = new Set<number>();
const waiting = new Map<number, NodeJS.Timeout>();

/** Makes `group` end with this process: that of a command, which is marked, or of a program by its argument list. */
export function watchGroup(group: number, kind: "command" | "program"): void {
  if (process.platform === "win32") return;
  const report = (): void => {
    waiting.delete(group);
    reported.add(group);
    tell(`+ ${group}`);
  };
  if (kind === "command" && process.platform !== "linux") {
    report(); // there are no marks to be found by
    return;
  }
  if (kind === "command") reaper ??= start();
  const timer = setTimeout(report, kind === "command" ? COMMAND_REPORT_MS : PROGRAM_REPORT_MS);
  waiting.set(group, timer.unref());
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

/** A new one, which knows what was reported. */
function start(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "indus-reaper", ownMarkStart()], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // what ends our group is to leave it
  });
  // Ended by somebody, it is started again with the next command.
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

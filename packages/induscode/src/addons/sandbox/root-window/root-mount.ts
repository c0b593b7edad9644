// Makes the mount of one folder in a running sandbox writable, or read-only again, from outside: what runs in the sandbox has neither the
// capability nor the system calls for that. Perl does it, because Node can make no system calls (see landlock-perl.ts).

import { spawn } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { deferred, describeError } from "indusagi/core";
import { PERL, PERL_VARIABLES } from "../landlock-perl.ts";

/** `busy`: something still has a file there open for writing, so it stays writable. Otherwise why it could not be changed. */
export type MountChange = "busy" | "done" | { readonly problem: string };

export interface MountedFolder {
  /** The first process of `bwrap` in the namespaces. */
  readonly pid: number;
  /** As in the sandbox. */
  readonly path: string;
}

/** The process inside that the running `bwrap` with this id has started; undefined where the system does not say, or it has ended. */
export function processInside(bwrap: number): number | undefined {
  const [pid] = readOr(`/proc/${bwrap}/task/${bwrap}/children`).split(" ");
  return pid === undefined || pid === "" ? undefined : Number(pid);
}

/**
 * Changes nothing else about the mount, but that each place of `keep`, in this folder, is a read-only mount of its own before it changes.
 * Never rejects.
 */
export async function changeMount(
  { pid, path }: MountedFolder,
  to: "read-only" | "writable",
  keep: readonly string[] = [],
): Promise<MountChange> {
  const mounts = mountsIn(readOr(`/proc/${pid}/mountinfo`));
  const kept = mounts.get(path);
  if (kept === undefined) return { problem: `${path} is no mount of process ${pid}` };
  if (linkOr(`/proc/${pid}/ns/mnt`) === linkOr("/proc/self/ns/mnt"))
    return { problem: `process ${pid} has no mounts of its own` };
  const flags = MS_REMOUNT | MS_BIND | kept | (to === "read-only" ? MS_RDONLY : 0);
  const numbers = [MOUNT[column], SETNS[column], flags].map(String);
  const missing = keep.filter((place) => !mounts.has(place));
  const { code, words } = await perl([...numbers, String(pid), path, ...missing]);
  if (code === 0) return "done";
  return code === constants.errno.EBUSY ? "busy" : { problem: words };
}

/** The column in the tables of call numbers. */
const column = process.arch === "arm64" ? 1 : 0;
const MOUNT = [165, 40] as const;
const SETNS = [308, 268] as const;
const MS_RDONLY = 1;
const MS_REMOUNT = 32;
const MS_BIND = 4096;
/** By their names in mountinfo. Those of the kinds `atime` stay when none is given. */
const FLAGS: Readonly<Record<string, number>> = { nosuid: 2, nodev: 4, noexec: 8, nosymfollow: 256 };

/** Where something is mounted, with the flags that a remount must repeat. The last mount of a place covers the others. */
function mountsIn(mountinfo: string): ReadonlyMap<string, number> {
  const rows = mountinfo.split("\n").map((line) => line.split(" "));
  return new Map(
    rows.map(([, , , , place = "", options = ""]) => [
      unescaped(place),
      options.split(",").reduce((flags, option) => flags | (FLAGS[option] ?? 0), 0),
    ]),
  );
}

function unescaped(field: string): string {
  return Buffer.from(
    field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    "latin1",
  ).toString("utf8");
}

const DEADLINE_MS = 10_000;

function perl(args: readonly string[]): Promise<{ readonly code: number; readonly words: string }> {
  const { promise, resolve } = deferred<{ readonly code: number; readonly words: string }>();
  const child = spawn(PERL, ["-e", CHANGE, ...args], {
    env: PERL_VARIABLES,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  child.on("error", (error) => resolve({ code: 255, words: describeError(error) }));
  child.on("close", (code, signal) => resolve({ code: code ?? 255, words: words.trim() || `${signal}` }));
  return promise;
}

// The numbers are those of linux/sched.h, mount.h and nsfs.h. Once it is inside, it loads no file: its files would be those of the sandbox. The
// user namespace is the one that the mounts belong to, in which the person who made it may do everything.
const CHANGE = `
my ($mount, $setns, $flags, $pid, $path, @keep) = @ARGV;
sub fail { my $code = $! + 0; print STDERR "$_[0]: error $code\\n"; exit($code || 255) }
open my $mounts, "<", "/proc/$pid/ns/mnt" or fail "its mounts cannot be opened";
my $number = ioctl $mounts, 0xb701, 0 or fail "their owner is unknown";
open my $owner, "<&=", $number + 0 or fail "their owner cannot be opened";
my $is_own = (stat $owner)[1] == (stat "/proc/self/ns/user")[1];
$is_own or syscall($setns + 0, fileno $owner, 0x10000000) == 0 or fail "its namespace cannot be entered";
syscall($setns + 0, fileno $mounts, 0x00020000) == 0 or fail "its mounts cannot be entered";
my $none = "none";
for my $place (@keep) {
  syscall($mount + 0, $place, $place, $none, 0x5000, 0) == 0 or fail "a protected place cannot be kept";
  syscall($mount + 0, $none, $place, $none, $flags | 1, 0) == 0 or fail "a protected place cannot be made read-only";
}
syscall($mount + 0, $none, $path, $none, $flags + 0, 0) == 0 or fail "the mount cannot be changed";
`;

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // the process has ended
  }
}

function linkOr(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // the same
  }
}

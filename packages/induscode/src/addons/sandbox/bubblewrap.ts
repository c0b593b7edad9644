// The level "bubblewrap": the command line that starts a program in namespaces of its own (processes, mounts, network,
// IPC, host name), with the same system call filter and limits as the launcher gives.

import { accessSync, constants, lstatSync, readlinkSync } from "node:fs";
import { dirname, sep } from "node:path";
import { isInside } from "indusagi/core";
import type { SandboxSpec } from "./contract.ts";
import { filterFile } from "./filter-file.ts";
import { launchShell } from "./launch-shell.ts";
import { nodePermissions } from "./node-permissions.ts";
import { programLimits } from "./process-limits.ts";
import type { FilterArchitecture } from "./system-calls.ts";
import { SYSTEM_FILES, SYSTEM_FOLDERS } from "./system-places.ts";
import { type WritablePart, writableParts } from "./writable-parts.ts";

export interface BubblewrapOptions {
  /** The absolute path of `bwrap`. */
  readonly bwrap: string;
  readonly architecture: FilterArchitecture;
}

/** A shell sets the limits, opens the filter and becomes bwrap, which becomes `argv` in the sandbox. */
export function bubblewrapCommand(
  argv: readonly string[],
  spec: SandboxSpec,
  { bwrap, architecture }: BubblewrapOptions,
): readonly string[] {
  // Read-only mounts keep mode and dates, so metadata needs no guard here.
  const filter = filterFile({
    architecture,
    mayStartProcesses: spec.mayStartProcesses,
    guardMetadata: false,
  });
  const command = [
    filter,
    bwrap,
    ...ISOLATION,
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...SYSTEM_FILES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...DEVICES,
    ...["--size", String(PRIVATE_TMP_BYTES), "--tmpfs", "/tmp"],
    // Whoever may write in the temporary folder itself must not reach the filters in it.
    ...binds({ ...spec, protected: [...spec.protected, dirname(filter)] }),
    // The root itself and /proc, whose settings root could change; the mounts on top keep what they have.
    ...["--remount-ro", "/proc", "--remount-ro", "/"],
    "--",
    ...nodePermissions(argv, spec),
  ];
  const lines = `exec ${FILTER_FD}<"$1" || exit 126\nshift`;
  return launchShell(command, { limits: programLimits(spec), lines });
}

/** Where distributions put it. Not PATH: a folder of the workspace may be on it. */
export function findBubblewrap(): string | undefined {
  return BWRAP_PLACES.find(isExecutable);
}

const BWRAP_PLACES = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

const FILTER_FD = "9";

const ISOLATION = [
  "--unshare-all",
  "--die-with-parent",
  "--new-session",
  ...["--cap-drop", "ALL"],
  ...["--proc", "/proc"],
  ...["--seccomp", FILTER_FD],
];

/** No /dev/zero: see SOURCE_DEVICES; a mount cannot make a device read-only. No terminal, no /dev/shm. */
const DEVICES = [
  ...["/dev/null", "/dev/random", "/dev/urandom"].flatMap((path) => ["--dev-bind", path, path]),
  ...["--symlink", "/proc/self/fd", "/dev/fd"],
  ...["--symlink", "/proc/self/fd/0", "/dev/stdin"],
  ...["--symlink", "/proc/self/fd/1", "/dev/stdout"],
  ...["--symlink", "/proc/self/fd/2", "/dev/stderr"],
];

/** Memory that no limit of a process counts, so it is little. */
const PRIVATE_TMP_BYTES = 64 * 1024 ** 2;

/** Each mount costs bwrap a look at all mounts before it. Folders come first; what is beyond stays read-only. */
const MAX_WRITABLE_PARTS = 256;

/** `/bin` is a folder on some systems and a link to `/usr/bin` on others. */
function systemFolder(path: string): readonly string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** Outer folders first, because a mount covers what was there. Where both are asked for, a path is writable. */
function binds(spec: SandboxSpec): readonly string[] {
  const writable = [...writableParts(spec)]
    .sort((a, b) => Number(b.isFolder) - Number(a.isFolder))
    .slice(0, MAX_WRITABLE_PARTS);
  const mounts = [
    // A folder that is opened by its entries is there itself, too.
    ...[...spec.readable, ...spec.writable]
      .filter((path) => !isWithin(writable, path))
      .map((path) => ({ path, how: "--ro-bind-try" })),
    ...writable.map(({ path }) => ({ path, how: "--bind-try" })),
  ];
  const depth = (path: string): number => path.split(sep).length;
  return mounts.sort((a, b) => depth(a.path) - depth(b.path)).flatMap(({ path, how }) => [how, path, path]);
}

function isWithin(parts: readonly WritablePart[], path: string): boolean {
  return parts.some((part) => (part.isFolder ? isInside(part.path, path) : path === part.path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not for us: both mean that this place has none.
    return false;
  }
}

// The level "bubblewrap": the command line that starts a program in namespaces of its own (processes, mounts, network, IPC, host name),
// with the same system call filter and limits that the launcher gives.

import { accessSync, constants, lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { isInside } from "indusagi/core";
import { BROWSER_TMP_BYTES, browserMounts } from "./browser-places.ts";
import type { FilterArchitecture } from "./calls/system-calls.ts";
import type { SandboxSpec } from "./contract.ts";
import { filterFile } from "./filter-file.ts";
import { FIRST_HANDED, identityOf, OPEN_HANDED } from "./handed-places.ts";
import { PROXY_FOLDER, proxyVariables, relayed } from "./hosts/proxy-relay.ts";
import { launchShell } from "./launch-shell.ts";
import { nodePermissions } from "./node-permissions.ts";
import { deviceFor } from "./own-devices.ts";
import { programLimits } from "./process-limits.ts";
import { type ProgramSearch, programOnPath } from "./program-on-path.ts";
import { SYSTEM_FILES, SYSTEM_FOLDERS } from "./system-places.ts";
import { openedFolders, type WritablePart, writableParts } from "./writable-parts.ts";

export interface BubblewrapOptions {
  /** The absolute path of `bwrap`. */
  readonly bwrap: string;
  readonly architecture: FilterArchitecture;
  /** bwrap accepts open places (`--bind-fd`) and the shell can open them, so exactly the places that were checked are mounted. */
  readonly handsPlaces: boolean;
}

/** A shell sets the limits, opens the filter and becomes bwrap, which becomes `argv` in the sandbox. */
export function bubblewrapCommand(
  argv: readonly string[],
  spec: SandboxSpec,
  { bwrap, architecture, handsPlaces }: BubblewrapOptions,
): readonly string[] {
  // Read-only mounts preserve mode and dates, so metadata needs no guard here.
  const filter = filterFile({
    architecture,
    mayStartProcesses: spec.mayStartProcesses,
    guardMetadata: false,
    command: spec.proxy || spec.hasBrowser ? ({ isAlone: true, sockets: "all" } as const) : undefined,
  });
  // A program that can write in the temporary folder itself must not reach the filters in it.
  const mounts = mountsOf({ ...spec, protected: [...spec.protected, dirname(filter)] });
  const handed = handsPlaces ? handedPlaces(mounts) : [];
  const command = [
    filter,
    ...handed.flatMap(({ path, identity }) => [path, identity]),
    "--",
    bwrap,
    ...ISOLATION,
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...SYSTEM_FILES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...(["null", "random", "urandom"] as const).flatMap((name) => [
      "--dev-bind",
      deviceFor(name),
      `/dev/${name}`,
    ]),
    ...DEVICES,
    ...["--size", String(spec.hasBrowser ? BROWSER_TMP_BYTES : PRIVATE_TMP_BYTES), "--tmpfs", "/tmp"],
    ...(spec.hasBrowser ? browserMounts() : []),
    ...(handsPlaces
      ? handed.flatMap(({ path, isWritable }, index) => [
          isWritable ? "--bind-fd" : "--ro-bind-fd",
          String(FIRST_HANDED + index),
          path,
        ])
      : mounts.flatMap(({ path, isWritable }) => [isWritable ? "--bind-try" : "--ro-bind-try", path, path])),
    ...(spec.proxy === undefined ? [] : ["--ro-bind", spec.proxy.folder, PROXY_FOLDER]),
    // Root itself and /proc, whose settings root could change; the mounts on top keep their own flags.
    ...["--remount-ro", "/proc", "--remount-ro", "/"],
    "--",
    ...(spec.proxy === undefined ? nodePermissions(argv, spec) : relayed(argv, proxyVariables(spec.proxy))),
  ];
  const lines = `exec ${FILTER_FD}<"$1" || exit 126\nshift\n${OPEN_HANDED}`;
  return launchShell(command, { limits: programLimits(spec), lines });
}

/** Where distributions install it, else on the person's PATH where only they and the system can write. */
export function findBubblewrap(search?: ProgramSearch): string | undefined {
  return BWRAP_PLACES.find(isExecutable) ?? (search && programOnPath("bwrap", search));
}

const BWRAP_PLACES = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

/** Where the launching shell opens the filter. */
export const FILTER_FD = "9";

const ISOLATION = [
  "--unshare-all",
  "--die-with-parent",
  "--new-session",
  ...["--cap-drop", "ALL"],
  ...["--proc", "/proc"],
  ...["--seccomp", FILTER_FD],
];

/** Plus those of {@link deviceFor}. No /dev/zero: see SOURCE_DEVICES; a mount cannot make a device read-only. No terminal, no /dev/shm. */
const DEVICES = [
  ...["--symlink", "/proc/self/fd", "/dev/fd"],
  ...["--symlink", "/proc/self/fd/0", "/dev/stdin"],
  ...["--symlink", "/proc/self/fd/1", "/dev/stdout"],
  ...["--symlink", "/proc/self/fd/2", "/dev/stderr"],
];

/** No process limit counts this memory, so it is small. */
const PRIVATE_TMP_BYTES = 64 * 1024 ** 2;

/**
 * For each mount bwrap scans all mounts before it, and each is an open file, of which its process may have 256. Folders come first; the
 * rest stays read-only.
 */
const MAX_WRITABLE_PARTS = 192;

/** `/bin` is a folder on some systems and a link to `/usr/bin` on others. */
export function systemFolder(path: string): readonly string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

export interface Mount {
  readonly path: string;
  readonly isWritable: boolean;
  /** Which place was judged, see {@link identityOf}; absent: whichever is there when it is opened. */
  readonly identity?: string | undefined;
}

/** Outer folders first, because a mount covers what was there. A path requested as both is writable. */
function mountsOf(spec: SandboxSpec): readonly Mount[] {
  const { keeps } = spec;
  // A file that is a mount of its own cannot be replaced or removed: where its folder becomes writable for a while, so does it.
  const parts = keeps ? openedFolders(spec) : writableParts(spec);
  const writable = [...parts]
    .sort((a, b) => Number(b.isFolder) - Number(a.isFolder))
    .slice(0, MAX_WRITABLE_PARTS - (keeps?.length ?? 0));
  // A folder that is opened entry by entry is also present itself.
  const readable = new Set([...spec.readable, ...spec.writable].filter((path) => !isWithin(writable, path)));
  const mounts = [
    ...[...readable].map((path) => ({ path, isWritable: false })),
    ...writable.map(({ path }) => ({ path, isWritable: true })),
    ...(keeps ?? []).map((path) => ({ path, isWritable: false })),
    ...(spec.own === undefined ? [] : [{ path: spec.own, isWritable: true }]),
  ];
  const depth = (path: string): number => path.split(sep).length;
  return mounts.sort((a, b) => depth(a.path) - depth(b.path));
}

export interface HandedPlace extends Mount {
  readonly identity: string;
}

/** The mounts that exist, each with its identity. */
export function handedPlaces(mounts: readonly Mount[]): readonly HandedPlace[] {
  return mounts.flatMap((mount) => {
    const identity = mount.identity ?? identityOf(mount.path);
    return identity === undefined ? [] : [{ ...mount, identity }];
  });
}

function isWithin(parts: readonly WritablePart[], path: string): boolean {
  return parts.some((part) => (part.isFolder ? isInside(part.path, path) : path === part.path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing or not permitted: either way this place has none.
    return false;
  }
}

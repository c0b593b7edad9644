// A model's command at the level "bubblewrap". As for an addon's program, but with its own processes, memory and network, a working
// directory that is writable as a whole, and read-only mounts on what is protected in it.

import { closeSync, openSync, statSync } from "node:fs";
import { sep } from "node:path";
import { isInside } from "indusagi/core";
import { type BubblewrapOptions, FILTER_FD, handedPlaces, type Mount, systemFolder } from "./bubblewrap.ts";
import type { LaunchVariables } from "./command-environment.ts";
import type { CommandLaunch, CommandSpec } from "./command-spec.ts";
import { filterFile } from "./filter-file.ts";
import { FIRST_HANDED, OPEN_HANDED, openPlace } from "./handed-places.ts";
import { PROXY_FOLDER, relayed } from "./hosts/proxy-relay.ts";
import { leavesFilesOpen } from "./inherited-files.ts";
import { launchShell } from "./launch-shell.ts";
import { DEVICE_NAMES, deviceFor } from "./own-devices.ts";
import { SYSTEM_FOLDERS } from "./system-places.ts";

/**
 * bwrap, which becomes `argv` in the sandbox. It inherits the filter and its mounts as files opened here. Where it would inherit other
 * files too, a shell closes those first and opens these; the same where bwrap accepts no open places.
 */
export function confinedByBubblewrap(
  argv: readonly string[],
  spec: CommandSpec,
  { outer, inner }: LaunchVariables,
  { bwrap, architecture, handsPlaces }: BubblewrapOptions,
): CommandLaunch {
  const filter = filterFile({
    architecture,
    mayStartProcesses: true,
    guardMetadata: false,
    command: { isAlone: true, sockets: spec.network === "all" ? "inet" : "all" },
  });
  const mounts = mountsOf(spec);
  if (handsPlaces && !leavesFilesOpen()) {
    const { handles, places } = opened(filter, mounts);
    const [filterAt, ...at] = handles.map((_handle, index) => String(FIRST_HANDLE + index));
    const mounting = places.flatMap((place, index) => handedMount(place, at[index] ?? ""));
    return { argv: [bwrap, ...confining(argv, spec, inner, filterAt ?? "", mounting)], env: outer, handles };
  }
  const handed = handsPlaces ? handedPlaces(mounts) : [];
  const mounting = handsPlaces
    ? handed.flatMap((place, index) => handedMount(place, String(FIRST_HANDED + index)))
    : mounts.flatMap(pathMount);
  const command = [
    filter,
    ...handed.flatMap(({ path, identity }) => [path, identity]),
    ...["--", bwrap, ...confining(argv, spec, inner, FILTER_FD, mounting)],
  ];
  const lines = `exec ${FILTER_FD}<"$1" || exit 126\nshift\n${OPEN_HANDED}`;
  return { argv: launchShell(command, { lines }), env: outer };
}

/** After the three that every program has. */
const FIRST_HANDLE = 3;

interface Opened {
  /** The filter's handle, then those of the places. */
  readonly handles: readonly number[];
  readonly places: readonly Mount[];
}

function opened(filter: string, mounts: readonly Mount[]): Opened {
  const handles = [openSync(filter, "r")];
  const places: Mount[] = [];
  try {
    for (const mount of mounts) {
      const handle = openPlace(mount.path, mount.identity);
      if (handle === undefined) continue;
      handles.push(handle);
      places.push(mount);
    }
  } catch (error) {
    for (const handle of handles) closeSync(handle);
    throw error;
  }
  return { handles, places };
}

/** The arguments of bwrap. `filterAt` is the file descriptor of the filter. */
function confining(
  argv: readonly string[],
  spec: CommandSpec,
  inner: LaunchVariables["inner"],
  filterAt: string,
  mounting: readonly string[],
): readonly string[] {
  const { network } = spec;
  return [
    ...ISOLATION,
    ...["--seccomp", filterAt],
    ...(network === "all" ? [] : ["--unshare-net"]),
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm"],
    ...DEVICE_NAMES.map((name) => [deviceFor(name), `/dev/${name}`]).flatMap(([own = "", place = ""]) =>
      own === place ? [] : ["--dev-bind", own, place],
    ),
    ...["--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"],
    ...["--ro-bind-try", "/sys/fs/cgroup", "/sys/fs/cgroup"],
    ...["--bind", spec.temporary, "/tmp"],
    ...["--bind", spec.home, spec.personHome],
    ...mounting,
    ...(typeof network === "object" ? ["--ro-bind", network.proxy, PROXY_FOLDER] : []),
    ...spec.hidden.flatMap(cover),
    ...READ_ONLY.flatMap((place) => ["--remount-ro", place]),
    ...["--chdir", spec.cwd],
    ...(typeof network === "object"
      ? ["--", ...relayed(argv, inner)]
      : [...Object.entries(inner).flatMap(([name, value]) => ["--setenv", name, value]), "--", ...argv]),
  ];
}

/** No separate session: there is no terminal to type into, and it stays in the group that the host kills. */
const ISOLATION = [
  ...["--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
  "--die-with-parent",
  ...["--cap-drop", "ALL"],
];

/**
 * What bwrap itself makes writable. In /proc, settings of the kernel belong to root, whatever capabilities it lacks. Mounts on top, such as
 * devices and the shared memory, keep their own flags.
 */
const READ_ONLY = ["/proc", "/dev", "/"];

/** Outer folders first, because a mount covers what was there. */
function mountsOf(spec: CommandSpec): readonly Mount[] {
  const { root, isWritable } = spec;
  const mounts = [
    ...spec.readable.map((path) => ({ path, isWritable: false })),
    ...spec.granted.map(({ path, identity, isWritable: writes }) => ({
      ...{ path, identity, isWritable: isWritable && writes === true },
    })),
    { path: root, isWritable },
    { path: spec.temporary, isWritable: true },
    ...(isWritable ? spec.pinned.map((path) => ({ path, isWritable: true })) : []),
    ...(isWritable ? spec.protected.map((path) => ({ path, isWritable: false })) : []),
  ];
  // Nothing needs another mount inside something that is read-only anyway.
  const needed = mounts.filter(
    ({ path, isWritable: writes }) =>
      writes ||
      path === root ||
      mounts.some((each) => each.path === path && each.isWritable) ||
      innermostAround(path, mounts)?.isWritable !== false,
  );
  const depth = (path: string): number => path.split(sep).length;
  return needed.sort((a, b) => depth(a.path) - depth(b.path));
}

/** The mount that a place would belong to without one of its own. */
function innermostAround(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts
    .filter((each) => each.path !== path && isInside(each.path, path))
    .reduce<Mount | undefined>((a, b) => (a && a.path.length > b.path.length ? a : b), undefined);
}

function handedMount({ path, isWritable }: Mount, at: string): readonly string[] {
  return [isWritable ? "--bind-fd" : "--ro-bind-fd", at, path];
}

function pathMount({ path, isWritable }: Mount): readonly string[] {
  return [isWritable ? "--bind-try" : "--ro-bind-try", path, path];
}

/** Replaces what is there with an empty folder, or with a device that nobody can open. */
function cover(path: string): readonly string[] {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  return entry.isDirectory()
    ? ["--perms", "0555", "--tmpfs", path, "--remount-ro", path]
    : ["--ro-bind", "/dev/null", path];
}

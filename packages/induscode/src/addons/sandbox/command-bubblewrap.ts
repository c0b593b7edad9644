// A command of the model at the level "bubblewrap". As for an addon's program, but with processes, memory and a network of its own,
// a working directory that may be written as a whole, and read-only mounts on what is protected in it.

import { statSync } from "node:fs";
import { sep } from "node:path";
import { isInside } from "indusagi/core";
import {
  type BubblewrapOptions,
  FILTER_FD,
  type HandedPlace,
  handedPlaces,
  type Mount,
  systemFolder,
} from "./bubblewrap.ts";
import type { LaunchVariables } from "./command-environment.ts";
import type { CommandLaunch, CommandSpec } from "./command-spec.ts";
import { filterFile } from "./filter-file.ts";
import { FIRST_HANDED, OPEN_HANDED } from "./handed-places.ts";
import { launchShell } from "./launch-shell.ts";
import { DEVICE_NAMES, deviceFor } from "./own-devices.ts";
import { PROXY_FOLDER, relayed } from "./proxy-relay.ts";
import { SYSTEM_FOLDERS } from "./system-places.ts";

/** A shell closes what was inherited, opens what is mounted and becomes bwrap, which becomes `argv` in the sandbox. */
export function confinedByBubblewrap(
  argv: readonly string[],
  spec: CommandSpec,
  { outer, inner }: LaunchVariables,
  { bwrap, architecture, handsPlaces }: BubblewrapOptions,
): CommandLaunch {
  const { network } = spec;
  const filter = filterFile({
    architecture,
    mayStartProcesses: true,
    guardMetadata: false,
    command: { isAlone: true, sockets: network === "all" ? "inet" : "all" },
  });
  const mounts = mountsOf(spec);
  const handed = handsPlaces ? handedPlaces(mounts) : [];
  const command = [
    filter,
    ...handed.flatMap(({ path, identity }) => [path, identity]),
    "--",
    bwrap,
    ...ISOLATION,
    ...(network === "all" ? [] : ["--unshare-net"]),
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...DEVICE_NAMES.map((name) => [deviceFor(name), `/dev/${name}`]).flatMap(([own = "", place = ""]) =>
      own === place ? [] : ["--dev-bind", own, place],
    ),
    ...["--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"],
    ...["--ro-bind-try", "/sys/fs/cgroup", "/sys/fs/cgroup"],
    ...["--bind", spec.temporary, "/tmp"],
    ...["--bind", spec.home, spec.personHome],
    ...(handsPlaces ? handed.flatMap(handedMount) : mounts.flatMap(pathMount)),
    ...(typeof network === "object" ? ["--ro-bind", network.proxy, PROXY_FOLDER] : []),
    ...spec.hidden.flatMap(cover),
    // The root itself; the mounts on top keep what they have.
    ...["--remount-ro", "/"],
    ...["--chdir", spec.cwd],
    ...(typeof network === "object"
      ? ["--", ...relayed(argv, inner)]
      : [...Object.entries(inner).flatMap(([name, value]) => ["--setenv", name, value]), "--", ...argv]),
  ];
  const lines = `exec ${FILTER_FD}<"$1" || exit 126\nshift\n${OPEN_HANDED}`;
  return { argv: launchShell(command, { lines }), env: outer };
}

/** No session of its own: there is no terminal to type into, and it stays in the group that the host ends. */
const ISOLATION = [
  ...["--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
  "--die-with-parent",
  ...["--cap-drop", "ALL"],
  ...["--seccomp", FILTER_FD],
];

/** Outer folders first, because a mount covers what was there. */
function mountsOf(spec: CommandSpec): readonly Mount[] {
  const { root, isWritable } = spec;
  const mounts = [
    ...spec.readable.map((path) => ({ path, isWritable: false })),
    { path: root, isWritable },
    { path: spec.temporary, isWritable: true },
    ...(isWritable ? spec.pinned.map((path) => ({ path, isWritable: true })) : []),
    ...(isWritable ? spec.protected.map((path) => ({ path, isWritable: false })) : []),
  ];
  // Inside of what is read-only anyway nothing is to be mounted again.
  const needed = mounts.filter(
    ({ path, isWritable: writes }) =>
      writes || path === root || !mounts.some((each) => each.path !== path && covers(each, path)),
  );
  const depth = (path: string): number => path.split(sep).length;
  return needed.sort((a, b) => depth(a.path) - depth(b.path));
}

function covers({ path: outer, isWritable }: Mount, path: string): boolean {
  return !isWritable && isInside(outer, path);
}

function handedMount({ path, isWritable }: HandedPlace, index: number): readonly string[] {
  return [isWritable ? "--bind-fd" : "--ro-bind-fd", String(FIRST_HANDED + index), path];
}

function pathMount({ path, isWritable }: Mount): readonly string[] {
  return [isWritable ? "--bind-try" : "--ro-bind-try", path, path];
}

/** An empty folder, or a device that nobody may open, in the place of what is there. */
function cover(path: string): readonly string[] {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  return entry.isDirectory()
    ? ["--perms", "0555", "--tmpfs", path, "--remount-ro", path]
    : ["--ro-bind", "/dev/null", path];
}

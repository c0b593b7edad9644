// Devices of root's sandboxes. Whoever owns a device may change its mode and its dates, also through a mount, and root owns the
// machine's: a program in a sandbox of root's could close /dev/null to everybody else. So root's sandboxes get devices
// with the same numbers in files of their own. Anybody else owns none, and has the machine's.

import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, constants, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { privateFolder } from "./filter-file.ts";

/** Major and minor number, by name below /dev. */
const NUMBERS = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
} as const;

type DeviceName = keyof typeof NUMBERS;

export const DEVICE_NAMES = Object.keys(NUMBERS) as readonly DeviceName[];

const MKNOD_PLACES = ["/usr/bin/mknod", "/bin/mknod"];

/**
 * The path of a device to mount as `/dev/<name>`. Root's own one is made when it is first asked for, or not as it was made;
 * where the system lets nobody make one (some containers), it is the machine's.
 */
export function deviceFor(name: DeviceName): string {
  const machines = `/dev/${name}`;
  if (process.getuid?.() !== 0) return machines;
  const own = join(privateFolder(), `device-${name}`);
  if (isAsMade(own, name) || make(own, name)) return own;
  return machines;
}

function make(path: string, name: DeviceName): boolean {
  const [major, minor] = NUMBERS[name];
  const draft = `${path}.${process.pid}`;
  try {
    for (const mknod of MKNOD_PLACES) {
      if (spawnSync(mknod, [draft, "c", String(major), String(minor)], { stdio: "ignore" }).status !== 0)
        continue;
      chmodSync(draft, 0o666);
      renameSync(draft, path);
      return isAsMade(path, name);
    }
  } catch {
    // A full disk, say: the machine's device serves.
  }
  rmSync(draft, { force: true });
  return false;
}

/** The device itself, open to all, on a file system that lets devices be opened. */
function isAsMade(path: string, name: DeviceName): boolean {
  const [major, minor] = NUMBERS[name];
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry?.isCharacterDevice() || entry.rdev !== major * 256 + minor || (entry.mode & 0o777) !== 0o666)
    return false;
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false; // a file system of no devices
  }
}

// Devices of root's sandboxes. The owner of a device can change its mode and dates, even through a mount, and root owns the machine's: a
// program in one of root's sandboxes could close /dev/null to everybody else. So root's sandboxes get devices with the same numbers in
// files of their own. Other users own none, and use the machine's.

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
 * The path of a device to mount as `/dev/<name>`. Root's own one is made on first use, or when it is no longer as made; where the system
 * lets nobody make one (some containers), the machine's is used.
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
    // A full disk, for example: the machine's device is used.
  }
  rmSync(draft, { force: true });
  return false;
}

/** The device itself, open to everyone, on a file system that allows opening devices. */
function isAsMade(path: string, name: DeviceName): boolean {
  const [major, minor] = NUMBERS[name];
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry?.isCharacterDevice() || entry.rdev !== major * 256 + minor || (entry.mode & 0o777) !== 0o666)
    return false;
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false; // a file system mounted without devices
  }
}

// What the system says of the entries of a folder: it says something else whenever an entry is changed or replaced, as long as only
// the kernel sets the time of the last change.

import { createHash } from "node:crypto";
import { lstatSync, statfsSync } from "node:fs";

const FIELDS = 6;
/** The field of the time of the last change: of its bytes, or of what the system says of it. */
const CHANGED = 5;

/** For each name {@link FIELDS} numbers; "" is the folder itself. Undefined if one is missing. */
export function marksOf(root: string, names: readonly string[]): BigInt64Array | undefined {
  const marks = new BigInt64Array(names.length * FIELDS);
  let at = 0;
  for (const name of names) {
    const path = name === "" ? root : `${root}/${name}`;
    const status = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!status) return undefined;
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = status;
    for (const value of [dev, ino, mode, size, mtimeNs, ctimeNs]) marks[at++] = value;
  }
  return marks;
}

export function digestOf(data: string | BigInt64Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** When one of the entries changed last. */
export function changedMs(marks: BigInt64Array): number {
  let newest = 0n;
  for (let at = CHANGED; at < marks.length; at += FIELDS) {
    const changed = marks[at] ?? 0n;
    if (changed > newest) newest = changed;
  }
  return Number(newest / 1_000_000n);
}

/** ext2 to ext4, XFS, Btrfs, F2FS, bcachefs, ZFS, tmpfs and overlayfs, by the numbers that Linux has for them. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

/** Whether it is a folder where no program can set the time of the last change. Elsewhere a server, a format or a system call may. */
export function isMarked(root: string): boolean {
  if (process.platform !== "linux") return false;
  const isFolder = lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && LOCAL.has(statfsSync(root).type);
}

// Reads files that the product opens on its own: only regular files up to a known maximum size, never a pipe or a device.
// Anything may be at such a path, so opening never blocks and no more is read into memory than was asked for.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";

// NONBLOCK: opening a pipe without a writer must not block. Windows has neither of these flags.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_LINK: number | undefined = constants.O_NOFOLLOW;

export interface BoundedRead {
  /** True: follow a symbolic link at the end of the path. Default: it fails with `ELOOP`. */
  readonly followsLinks?: boolean;
}

/** The bytes of a regular file. Throws the system's error, or one that says why the file was refused. */
export function readBoundedFile(path: string, maxBytes: number, options: BoundedRead = {}): Buffer {
  return withRegularFile(path, options, (file, size) => {
    if (size > maxBytes) throw new Error(`it has ${size} bytes; the limit is ${maxBytes}`);
    const bytes = readOpening(file, size, maxBytes + 1);
    if (bytes.length > maxBytes) throw new Error(`it grew beyond the limit of ${maxBytes} bytes`);
    return bytes;
  });
}

/** The first bytes of a regular file, at most `maxBytes`. */
export function readFileOpening(path: string, maxBytes: number, options: BoundedRead = {}): Buffer {
  return withRegularFile(path, options, (file, size) => readOpening(file, size, maxBytes));
}

/** Runs `work` with an open regular file and its size. The type is checked before opening: opening a device can have side effects. */
export function withRegularFile<Result>(
  path: string,
  { followsLinks = false }: BoundedRead,
  work: (file: number, size: number) => Result,
): Result {
  const before = followsLinks ? statSync(path) : lstatSync(path);
  if (!before.isFile() && !before.isSymbolicLink()) throw new Error("it is not a regular file");
  const isComparing = !followsLinks && NO_LINK === undefined; // where opening cannot refuse a link
  if (isComparing && before.isSymbolicLink()) throw linkRefused(path);
  const file = openSync(path, READ_FLAGS | (followsLinks ? 0 : (NO_LINK ?? 0)));
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new Error("it is not a regular file");
    if (isComparing && (info.ino !== before.ino || info.dev !== before.dev)) throw linkRefused(path);
    return work(file, info.size);
  } finally {
    closeSync(file);
  }
}

/** The system's own error where it has such a flag. */
function linkRefused(path: string): Error {
  return Object.assign(new Error(`ELOOP: too many symbolic links encountered, open '${path}'`), {
    code: "ELOOP",
  });
}

/** Files in /proc report a size of 0; a file that grows meanwhile is read further, up to the limit. */
function readOpening(file: number, size: number, maxBytes: number): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(maxBytes, size + 1));
  let length = 0;
  while (length < maxBytes) {
    if (length === bytes.length)
      bytes = Buffer.concat([bytes], Math.min(maxBytes, Math.max(4_096, 2 * length)));
    const count = readSync(file, bytes, length, bytes.length - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

// Reading a file of an addon: a regular file of a known largest size, never through a link and never a pipe or device,
// because what is read must be what was hashed and may come from a repository that nobody has looked at.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

// NONBLOCK: opening a pipe that nobody writes to must not wait. The flags that a system lacks count as nothing.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a regular file. Throws the system's error, or one that says what the file is instead; a link at the end
 * of the path is `ELOOP`.
 */
export function readBoundedFile(path: string, maxBytes: number): Buffer {
  const file = openSync(path, READ_FLAGS);
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new Error("it is not a regular file");
    if (info.size > maxBytes) throw new Error(`it has ${info.size} bytes; the limit is ${maxBytes}`);
    const bytes = readFileSync(file);
    if (bytes.length > maxBytes) throw new Error(`it grew beyond the limit of ${maxBytes} bytes`);
    return bytes;
  } finally {
    closeSync(file);
  }
}

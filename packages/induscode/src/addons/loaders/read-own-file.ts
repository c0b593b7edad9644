import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { describeError } from "indusagi/core";
import { readBoundedFile } from "../bounded-file.ts";
import { LoaderError } from "../contract.ts";

/** The bytes of an addon's file. Throws a {@link LoaderError} of kind `io`. */
export function readOwnFile(path: string, maxBytes: number): Buffer {
  return orLoaderError(path, () => readBoundedFile(path, maxBytes));
}

/** The first bytes of an addon's file as text, whatever its size. Throws a {@link LoaderError} of kind `io`. */
export function readOwnHead(path: string, maxBytes: number): string {
  return orLoaderError(path, () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(file).isFile()) throw new Error("it is not a regular file");
      const bytes = Buffer.alloc(maxBytes);
      return bytes.subarray(0, readSync(file, bytes, 0, maxBytes, 0)).toString("utf8");
    } finally {
      closeSync(file);
    }
  });
}

function orLoaderError<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be read: ${describeError(cause)}`, { cause });
  }
}

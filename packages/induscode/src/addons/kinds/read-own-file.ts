import { describeError, readBoundedFile, readFileOpening } from "indusagi/core";
import { LoaderError } from "../contract.ts";

/** The bytes of an addon's file. Throws a {@link LoaderError} of kind `io`. */
export function readOwnFile(path: string, maxBytes: number): Buffer {
  return orLoaderError(path, () => readBoundedFile(path, maxBytes));
}

/** The first bytes of an addon's file as text, whatever its size. Throws a {@link LoaderError} of kind `io`. */
export function readOwnHead(path: string, maxBytes: number): string {
  return orLoaderError(path, () => readFileOpening(path, maxBytes).toString("utf8"));
}

function orLoaderError<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be read: ${describeError(cause)}`, { cause });
  }
}

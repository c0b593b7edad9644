import { describeError } from "indusagi/core";
import { readBoundedFile } from "../bounded-file.ts";
import { LoaderError } from "../contract.ts";

/** The bytes of an addon's file. Throws a {@link LoaderError} of kind `io`. */
export function readOwnFile(path: string, maxBytes: number): Buffer {
  try {
    return readBoundedFile(path, maxBytes);
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be read: ${describeError(cause)}`, { cause });
  }
}

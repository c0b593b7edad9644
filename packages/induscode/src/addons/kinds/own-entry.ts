import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, isInside } from "indusagi/core";
import { LoaderError } from "../contract.ts";

/** The real path of one of the addon's own files. Throws if it is outside the addon's folder or is not a file. */
export function ownFile(root: string, path: string): string {
  const real = realpathSync(path);
  if (!isInside(realpathSync(root), real)) throw new Error("it is outside the addon's folder");
  if (!statSync(real).isFile()) throw new Error("it is not a file");
  return real;
}

/** The real path of an entry file that a manifest names: within the addon's folder, where the content hash covers it. */
export function ownEntry(root: string, entry: string): string {
  try {
    return ownFile(root, resolve(root, entry));
  } catch (cause) {
    const detail = `[run]: the entry ${JSON.stringify(entry)} cannot be used: ${describeError(cause)}`;
    throw new LoaderError({ kind: "invalid", path: root }, detail, { cause });
  }
}

// One folder for a corpus whose reader opens files, and what puts a bomb into it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

let root: string | undefined;

/** A path below this process's own folder, which goes when the process ends. */
export function scratch(...names: readonly string[]): string {
  if (root === undefined) {
    const made = mkdtempSync(join(tmpdir(), "indus-bombs-"));
    root = made;
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  }
  return join(root, ...names);
}

/** Writes it there, with the folders above, and answers where. */
export function put(content: string | Uint8Array, ...names: readonly string[]): string {
  const path = scratch(...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

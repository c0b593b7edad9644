// The one writer of whole files that the product keeps: a file is complete or absent, whatever interrupts the write and
// whoever else writes at the same time.

import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describeError, isInside } from "indusagi/core";
import { withLock } from "./lock.ts";
import { makeFolder } from "./make-folder.ts";

export interface Replacing {
  /** The file's mode; default: only the person can read and write it. A folder created on the way is closed to others too. */
  readonly mode?: number;
  /** Whether the file must survive a power cut, because it cannot be recreated. Default: false. */
  readonly isDurable?: boolean;
  /** Called just before the file appears; if it throws, the file stays as it was. */
  readonly beforeRename?: () => void;
}

/**
 * Creates or replaces the file in one step. A link in its place is replaced, not followed. Throws the system's error,
 * leaving nothing behind.
 */
export function replaceFile(path: string, content: string | Uint8Array, how: Replacing = {}): void {
  const { mode = 0o600, isDurable = false, beforeRename } = how;
  makeFolder(dirname(path), mode === 0o600 ? {} : { mode: 0o777 });
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, content, { mode, flag: "wx", flush: isDurable });
    beforeRename?.();
    renameSync(draft, path);
    if (isDurable) syncFolder(dirname(path));
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Where a file of the person's really is: the target of their symlink, if it is inside `within`. Otherwise throws why nothing is
 * written through the link; a new file would replace it.
 */
export function throughLink(path: string, within: string | undefined): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  const left = `${path} is a symlink and was not changed:`;
  let target: string;
  try {
    target = realpathSync(path);
  } catch (error) {
    throw new Error(`${left} its target cannot be resolved (${describeError(error)})`);
  }
  if (within !== undefined && isInside(realpathSync(within), target)) return target;
  throw new Error(`${left} ${target} is outside your home folder`);
}

/**
 * Writes to a path that a person gave. A device or a pipe is written to and never replaced by a file: `-o /dev/null` would destroy
 * the machine's only one. Throws the system's error.
 */
export function writeNamed(path: string, content: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile() || there.isDirectory()) replaceFile(path, content);
  else writeFileSync(path, content);
}

/**
 * Updates a file that several processes change: `change` reads it and returns the new content, under the lock `<path>.lock`;
 * the result is durable. Rejects when another process keeps the lock, or with what `change` or the system throws.
 */
export async function updateFile(path: string, change: () => string): Promise<void> {
  makeFolder(dirname(path));
  await withLock(`${path}.lock`, (isMine) =>
    replaceFile(path, change(), {
      isDurable: true,
      beforeRename() {
        if (isMine()) return;
        throw new Error(`${path} was not changed: this process was suspended for too long; try again`);
      },
    }),
  );
}

/**
 * Creates a folder with these files in one step; if two create the same one at once, the first wins and both have it. Throws
 * the system's error.
 */
export function placeFolder(
  path: string,
  files: readonly { readonly name: string; readonly code: string }[],
): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    makeFolder(draft);
    for (const { name, code } of files) {
      const file = join(draft, name);
      makeFolder(dirname(file));
      writeFileSync(file, code, { mode: 0o600 });
    }
    renameSync(draft, path);
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another one won
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A new name in a folder is safe once the folder is synced. Windows cannot open folders, and syncs names itself. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

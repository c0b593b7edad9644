// The portable walk over a tree, on nothing but the file seam.

import { join, sep } from "node:path";
import { Aborted } from "../../core/abort.ts";
import { errorCode } from "../../core/faults.ts";
import type { DirChild, Fs } from "../kernel/contract.ts";

/** Folders that no search enters or lists: other tools' stores, and the captures of background jobs. */
export const PRUNED_NAMES: ReadonlySet<string> = new Set([".git", "node_modules", ".indus-process"]);

export interface WalkEntry {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

export interface Walk {
  readonly fs: Fs;
  /** A folder; reading it must succeed. Folders below it that cannot be read are passed over. */
  readonly root: string;
  readonly signal: AbortSignal;
}

/**
 * Every entry below `root`, each folder before its content, children sorted by name; links are listed and not
 * followed. Throws {@link Aborted} at the next folder once `signal` has fired.
 */
export async function* walk({ fs, root, signal }: Walk): AsyncGenerator<WalkEntry, void, undefined> {
  const pending: Iterator<WalkEntry>[] = [sortedEntries(root, await fs.readDir(root))];
  for (let level = pending.at(-1); level !== undefined; level = pending.at(-1)) {
    if (signal.aborted) throw new Aborted();
    const next = level.next();
    if (next.done) {
      pending.pop();
      continue;
    }
    const entry = next.value;
    yield entry;
    if (entry.isDirectory) pending.push(sortedEntries(entry.path, await readDirIfAllowed(fs, entry.path)));
  }
}

/** The walk's order of two absolute paths under one root: segment by segment, by UTF-16 unit. */
export function compareWalkOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a.replaceAll(sep, "\0") < b.replaceAll(sep, "\0") ? -1 : 1;
}

function sortedEntries(folder: string, children: readonly DirChild[]): Iterator<WalkEntry> {
  return children
    .filter((child) => !(child.isDirectory && PRUNED_NAMES.has(child.name)))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, isDirectory, isSymlink }) => ({ path: join(folder, name), name, isDirectory, isSymlink }))
    .values();
}

async function readDirIfAllowed(fs: Fs, path: string): Promise<readonly DirChild[]> {
  try {
    return await fs.readDir(path);
  } catch (error) {
    if (isPassedOver(error)) return [];
    throw error;
  }
}

/** True for an entry that a search passes over: forbidden, or gone since it was listed. */
export function isPassedOver(error: unknown): boolean {
  return ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP", "EINVAL"].includes(errorCode(error) ?? "");
}

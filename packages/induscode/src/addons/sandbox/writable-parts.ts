// Which parts of the writable paths are really writable when some paths below them are protected. Both strong levels use it, so they give
// the same. Node's own modules only: the launcher imports it too.

import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

export interface WritablePart {
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * The parts to open for writing. A folder that contains a protected path is opened entry by entry, not as a whole, because neither Landlock
 * nor a mount can keep a missing name free. So nothing new can be made, removed or renamed directly in such a folder, and what exists
 * there, except what is protected, can be changed.
 */
export function writableParts(paths: {
  readonly writable: readonly string[];
  readonly protected: readonly string[];
}): readonly WritablePart[] {
  // Folded: on a volume that ignores case, `.GIT` is `.git`.
  const guarded = paths.protected.map(fold);
  return paths.writable.flatMap((path) => partsOf(path, guarded));
}

/** The folders among them: nothing in them is protected, so everything can be made there. */
export function openedFolders(paths: Parameters<typeof writableParts>[0]): readonly WritablePart[] {
  return writableParts(paths).filter(({ isFolder }) => isFolder);
}

/**
 * The protected places that exist outside of the `opened` folders, without what is below another one: each must be read-only by itself
 * where the folder that contains it becomes writable. A link is none: what it leads to is protected.
 */
export function keptPlaces(
  paths: Parameters<typeof writableParts>[0],
  opened: readonly WritablePart[] = openedFolders(paths),
): readonly string[] {
  const existing = paths.protected.filter((place) => {
    if (!paths.writable.some((path) => place !== path && isAtOrBelow(place, path))) return false;
    if (opened.some(({ path }) => isAtOrBelow(place, path))) return false;
    const entry = lstatSync(place, { throwIfNoEntry: false });
    return entry !== undefined && (entry.isDirectory() || entry.isFile());
  });
  return existing.filter((place) => !existing.some((other) => other !== place && isAtOrBelow(place, other)));
}

function partsOf(path: string, guarded: readonly string[]): readonly WritablePart[] {
  const folded = fold(path);
  if (guarded.some((place) => isAtOrBelow(folded, place))) return [];
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Symlinks are skipped: opening one would open its target. So are pipes, sockets and devices.
  if (entry === undefined || !(entry.isDirectory() || entry.isFile())) return [];
  if (!guarded.some((place) => isAtOrBelow(place, folded))) return [{ path, isFolder: entry.isDirectory() }];
  if (!entry.isDirectory()) return [];
  return entriesOf(path).flatMap(({ name }) => partsOf(join(path, name), guarded));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // What the person cannot list, their addon cannot write.
    if (error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "ENOENT"))
      return [];
    throw error;
  }
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** Of paths that are spelled alike. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

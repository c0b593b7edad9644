// Applies the table of protected names (`store/protected-names.ts`) to one workspace: the paths that a sandbox keeps
// read-only for an addon's process.

import { type Dirent, readdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { linkedGitFolder } from "../../store/git-links.ts";
import { linkedPlaces } from "../../store/linked-places.ts";
import { PROTECTED_NAMES, protectedName } from "../../store/protected-names.ts";
import { realPath } from "./on-disk.ts";

export interface ProtectedPlaces {
  /** Real paths, including everything below them. */
  readonly paths: readonly string[];
  /** The folders among them that are closed as a whole, because not all of their content could be looked at. */
  readonly closed: readonly string[];
}

/**
 * The names at the root, existing or not, the real paths of those that exist, and everything below that has such a name: a
 * kernel protects what exists, and at the root also what may be created.
 */
export function protectedPlaces(root: string): ProtectedPlaces {
  const named = PROTECTED_NAMES.map((name) => join(root, name));
  const gitFolder = linkedGitFolder(join(root, ".git"));
  const { paths, closed } = placesBelow(root);
  return {
    paths: [
      ...new Set([
        ...named,
        ...named.map(realPath),
        ...(gitFolder === undefined ? [] : [gitFolder]),
        ...linkedPlaces(root).places,
        ...paths,
        ...closed,
      ]),
    ],
    closed,
  };
}

// More than most workspaces have; about a tenth of a second if the system has them cached, and only for an addon that may write.
const MAX_FOLDERS = 2_000;
// Each place is one part of a command line and opens its folder by entries: too many would not fit.
const MAX_PLACES = 200;

/** Breadth first, so that only deep folders are missed. Installed packages are not searched. */
function placesBelow(root: string): ProtectedPlaces {
  const paths: string[] = [];
  const folders = [root];
  let at = 0;
  for (; at < Math.min(folders.length, MAX_FOLDERS); at++) {
    const folder = folders[at] as string;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (protectedName(entry.name, entry.isDirectory())) paths.push(path, realPath(path));
      else if (entry.isDirectory() && entry.name !== "node_modules") folders.push(path);
    }
  }
  const closed = folders.slice(at);
  if (paths.length + closed.length <= MAX_PLACES) return { paths, closed };
  const isBelow = (path: string): boolean => path.startsWith(`${root}${sep}`);
  const topOf = (path: string): string => join(root, path.slice(root.length + 1).split(sep)[0] as string);
  const inner = [...paths, ...closed].filter((path) => isBelow(path) && topOf(path) !== path);
  const tops = [...new Set(inner.map(topOf))];
  const kept = paths.filter((path) => !isBelow(path) || topOf(path) === path);
  return { paths: kept, closed: tops.length > MAX_PLACES ? [root] : tops };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // what the person cannot list, their addon cannot write
  }
}

/** Whether the path or a folder that contains it is one of them. */
export function isBelowOne(places: ReadonlySet<string>, path: string): boolean {
  for (let place = path; ; place = dirname(place)) {
    if (places.has(place)) return true;
    if (place === dirname(place)) return false;
  }
}

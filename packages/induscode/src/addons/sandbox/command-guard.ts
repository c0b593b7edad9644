// What a confined command must not change, or not see, in the working directory: existing names of the protected table, and what the
// person's rules are about. Looked up again for each command, because the previous one may have made a folder.

import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "indusagi/core";
import { ACTING_GIT_PARTS, protectedName } from "../../store/protected-names.ts";

/** Whether a rule of the person refuses, or asks about, this access to a real path. */
export type RefusesPlace = (kind: "read" | "write", path: string) => boolean;

interface GuardedPlaces {
  /** Real paths that are read-only, with what is below them. */
  readonly protected: readonly string[];
  /** Real paths of folders that can be changed but not moved: their contents are protected by name. */
  readonly pinned: readonly string[];
  /** Every existing place with a protected name, as named. */
  readonly names: ReadonlySet<string>;
  /** Real paths that are out of reach. */
  readonly hidden: readonly string[];
}

/** Beyond this many is installed or built content; it is deep, and nobody starts there. */
const MAX_FOLDERS = 2_000;
// Each is a separate mount, and opening it takes a line of the launching shell.
const MAX_PLACES = 150;

/** Breadth first. Installed packages are not searched. */
export function guardedPlaces(root: string, refuses: RefusesPlace | undefined): GuardedPlaces {
  if (refuses?.("write", root)) return { protected: [root], pinned: [], names: new Set(), hidden: [] };
  const found: string[] = [];
  const pinned: string[] = [];
  const names = new Set<string>();
  const hidden: string[] = [];
  const folders = [root];
  for (let at = 0; at < Math.min(folders.length, MAX_FOLDERS); at++) {
    const folder = folders[at] as string;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (refuses?.("read", path)) hidden.push(path);
      else if (isFolder && entry.name.toLowerCase() === ".git") {
        pinned.push(path);
        const parts = ACTING_GIT_PARTS.map((part) => join(path, part)).filter((part) => existsSync(part));
        found.push(...parts);
        for (const each of [path, ...parts]) names.add(each);
      } else if (protectedName(entry.name, isFolder)) {
        found.push(path);
        names.add(path);
      } else if (refuses?.("write", path)) found.push(path);
      else if (isFolder && entry.name !== "node_modules") folders.push(path);
    }
  }
  const closed = bounded(found.flatMap(realPlace), root);
  return { protected: closed, pinned: bounded(pinned, root), names, hidden: hidden.flatMap(realPlace) };
}

/**
 * Moves whatever has appeared under a protected name to a name next to it that nothing acts on. No mount and no kernel rule can keep a
 * missing name free (CVE-2026-25725). Returns what it moved, and where to.
 */
export function putAway(root: string, before: ReadonlySet<string>): readonly PutAway[] {
  const { names } = guardedPlaces(root, undefined);
  const appeared = [...names].filter((path) => !before.has(path));
  const outermost = appeared.filter(
    (path) => !appeared.some((other) => other !== path && isInside(other, path)),
  );
  return outermost.flatMap((from) => {
    const to = freePlace(from);
    try {
      renameSync(from, to);
      return [{ from, to }];
    } catch {
      return existsSync(from) ? [{ from }] : []; // another command's end was faster
    }
  });
}

export interface PutAway {
  readonly from: string;
  /** Absent when it is still there. */
  readonly to?: string;
  /** It was left, because approved work may have made it as well as a job; otherwise it could not be moved. */
  readonly isAnybodys?: true;
}

function freePlace(path: string): string {
  for (let count = 1; ; count++) {
    const place = join(dirname(path), `put-away-${count}-${basename(path)}`);
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return place;
  }
}

/** When there are too many to mount one by one, the top folders that contain them are closed instead, or the whole root. */
function bounded(paths: readonly string[], root: string): readonly string[] {
  const places = [...new Set(paths)];
  if (places.length <= MAX_PLACES) return places;
  const tops = places.map((path) => join(root, path.slice(root.length + 1).split("/")[0] ?? ""));
  const closed = [...new Set(tops)];
  return closed.length <= MAX_PLACES ? closed : [root];
}

/** A link is not a place of its own: its target is protected at its real path. */
function realPlace(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // a folder that the person cannot list is not writable for their commands either
  }
}

// What in the working directory a confined command must not change, or not see: names of the protected table that are there, and what
// rules of the person are about. Looked up anew for each command, because the one before may have made a folder.

import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "indusagi/core";
import { ACTING_GIT_PARTS, protectedName } from "../../store/protected-names.ts";

/** Whether a rule of the person refuses, or asks about, this at a real path. */
export type RefusesPlace = (kind: "read" | "write", path: string) => boolean;

interface GuardedPlaces {
  /** Real paths that are read-only, with what is below them. */
  readonly protected: readonly string[];
  /** Real paths of folders that may be changed and not moved: what is protected in them goes by their names. */
  readonly pinned: readonly string[];
  /** Every place of a protected name that there is, as it is named. */
  readonly names: ReadonlySet<string>;
  /** Real paths that are out of reach. */
  readonly hidden: readonly string[];
}

/** Beyond it lies what was installed or built; it is deep, and nobody starts there. */
const MAX_FOLDERS = 2_000;
// Each is a mount of its own, and its opening a line of the launching shell.
const MAX_PLACES = 150;

/** Breadth first. Packages that were installed are not looked into. */
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
 * Puts away what has come to stand under a protected name, next to where it was, and under another name that nothing acts on. No
 * mount and no rule of the kernel keeps a name free that is not there (CVE-2026-25725). Answers what it moved, and where to.
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
  /** Absent where it could not be moved: it stands there. */
  readonly to?: string;
}

function freePlace(path: string): string {
  for (let count = 1; ; count++) {
    const place = join(dirname(path), `put-away-${count}-${basename(path)}`);
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return place;
  }
}

/** Too many to be opened one by one: the folder that holds most of them is closed instead. */
function bounded(paths: readonly string[], root: string): readonly string[] {
  const places = [...new Set(paths)];
  if (places.length <= MAX_PLACES) return places;
  const tops = places.map((path) => join(root, path.slice(root.length + 1).split("/")[0] ?? ""));
  const closed = [...new Set(tops)];
  return closed.length <= MAX_PLACES ? closed : [root];
}

/** A link is not a place of its own: what it leads to is protected where it lies. */
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
    return []; // what the person cannot list, their commands cannot write
  }
}

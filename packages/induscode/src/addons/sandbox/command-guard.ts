// What a confined command must not change, or not see, in the working directory: existing names of the protected table, what instructions
// import, and what the person's rules are about. Looked up again for each command, because the previous one may have made a folder.

import {
  chmodSync,
  closeSync,
  type Dirent,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { beginningOf, errorCode, isInside } from "indusagi/core";
import { linkedPlaces } from "../../store/linked-places.ts";
import { actingParts, protectedName } from "../../store/protected-names.ts";
import { openPlace } from "./handed-places.ts";

/**
 * Whether a rule of the person refuses, or asks about, reading or writing a real path; absent where no rule is about that. What agents read
 * as instructions is not written either.
 */
export interface RefusedPlaces {
  readonly read?: ((path: string) => boolean) | undefined;
  readonly write?: (path: string) => boolean;
  /** Real paths of what agents read as instructions, also of what does not exist yet: nobody may make that unseen. */
  readonly documents?: (() => readonly string[]) | undefined;
  /** Unix sockets are not read either: a network of its own and a read-only mount keep no program from connecting to one. */
  readonly sockets?: true;
}

/** What there was that must not be changed: paths as named, each with its {@link identityOf}. */
export interface SeenNames {
  /** Every existing place with a protected name, or whose writing is refused. */
  readonly names: ReadonlyMap<string, string>;
  /** Folders that were not looked through. */
  readonly unseen: ReadonlyMap<string, string>;
  /** Folders that the person cannot list. */
  readonly unlisted: ReadonlySet<string>;
  /** Places without a file that are not to get one. */
  readonly awaited: readonly string[];
}

export interface GuardedPlaces extends SeenNames {
  /** Real paths that are read-only, with what is below them. */
  readonly protected: readonly string[];
  /** Real paths of folders that can be changed but not moved: their contents are protected by name. */
  readonly pinned: readonly string[];
  /** Real paths that are out of reach. */
  readonly hidden: readonly string[];
  /** Those among them that are closed because not every folder was looked through. */
  readonly closed: readonly string[];
  /** Real paths outside of the folder that act by links and settings in it; not all of them exist. */
  readonly outer: readonly string[];
}

/** Looked through for names, before and after a command: about a quarter of a second if the system has them cached. */
const MAX_FOLDERS = 10_000;
// Each is a separate mount, and opening it takes a line of the launching shell.
const MAX_PLACES = 150;
/** Folders named to the model because a command made too many. */
const MAX_TOLD = 3;

/** Breadth first. Installed packages are not searched. What was not reached is closed: it could be made unreachable on purpose. */
export function guardedPlaces(
  root: string,
  refuses: RefusedPlaces = {},
  maxFolders: number = MAX_FOLDERS,
): GuardedPlaces {
  const found: string[] = [];
  const pinned: string[] = [];
  const names: string[] = [];
  const hidden: string[] = [];
  const unlisted = new Set<string>();
  const folders = [{ path: root, isRefused: refuses.write?.(root) === true }];
  if (folders[0]?.isRefused) found.push(root);
  const linked = linkedPlaces(root);
  const places = linked.places.filter(canAct);
  found.push(...places);
  names.push(...places);
  let at = 0;
  for (; at < Math.min(folders.length, maxFolders); at++) {
    const { path: folder, isRefused: isAbove } = folders[at] as (typeof folders)[number];
    for (const entry of entriesOf(folder, unlisted)) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      const isHidden = refuses.read?.(path) === true || (refuses.sockets === true && entry.isSocket());
      const isRefused = isAbove || isHidden || refuses.write?.(path) === true;
      if (isHidden) hidden.push(path);
      else if (isRefused && !isAbove) {
        found.push(path);
        names.push(path);
      }
      const acting = isFolder ? actingParts(path === linked.repository ? ".git" : entry.name) : undefined;
      if (acting) {
        const parts = acting.map((part) => join(path, part)).filter(canAct);
        names.push(path, ...parts);
        if (isRefused) continue;
        pinned.push(path);
        found.push(...parts);
      } else if (protectedName(entry.name, isFolder) && (entry.isSymbolicLink() || canAct(path))) {
        names.push(path);
        if (!isRefused) found.push(path);
      } else if (isFolder && entry.name !== "node_modules") folders.push({ path, isRefused });
    }
  }
  const unseen = folders.slice(at);
  const closed = bounded(
    unseen.filter(({ isRefused }) => !isRefused).map(({ path }) => path),
    root,
  );
  const real = found.flatMap(realPlace);
  // A mount outside would show what a link names.
  const inside = real.filter((place) => isInside(root, place) && canAct(place));
  const kept = bounded([...inside, ...closed], root);
  return {
    protected: kept,
    // In what is read-only, a pin would be writable again.
    pinned: bounded(pinned, root).filter((path) => !kept.some((place) => isInside(place, path))),
    names: identified(names),
    unseen: identified(unseen.map(({ path }) => path)),
    unlisted,
    awaited: (refuses.documents?.() ?? []).filter((path) => isInside(root, path) && !isThere(path)),
    hidden: [...hidden.flatMap(realPlace), ...(refuses.read || refuses.sockets ? closed : [])],
    closed,
    outer: [...real.filter((place) => !isInside(root, place)), ...linked.outer],
  };
}

/**
 * Moves whatever has appeared under a protected name, or in place of what must not be changed, to a name next to it that nothing acts on.
 * No mount and no kernel rule can keep a missing name free (CVE-2026-25725). Returns what it moved, and where to.
 */
export function putAway(root: string, before: SeenNames, maxFolders?: number): readonly PutAway[] {
  let now = guardedPlaces(root, {}, maxFolders);
  const opened = new Map<string, number>();
  for (let round = 0; round < MAX_OPENED && opensNew(before, now, opened); round++)
    now = guardedPlaces(root, {}, maxFolders);
  const exchanged = [...before.names.keys()].filter((path) => existsSync(path));
  const made = before.awaited.filter(isThere);
  const appeared = [...new Set([...now.names.keys(), ...exchanged, ...made])].filter((path) =>
    isNew(before, path),
  );
  const outermost = appeared.filter(
    (path) => !appeared.some((other) => other !== path && isInside(other, path)),
  );
  const moved = outermost.flatMap((from): readonly PutAway[] => {
    try {
      return [{ from, to: moveAside(from) }];
    } catch {
      return existsSync(from) ? [{ from }] : []; // another command's end was faster
    }
  });
  closeAgain(opened, moved);
  const unseen = [...now.unseen.keys()].filter((path) => !wasUnseen(before, path));
  const told = topsOf(unseen, root).slice(0, MAX_TOLD);
  return [...moved, ...told.map((from) => ({ from, isUnseen: true }) as const)];
}

/** How often folders in folders are opened that nobody can list. */
const MAX_OPENED = 20;

/** Whoever made a folder unreadable can have put anything there: it is `opened`, with the mode that it had. Returns whether one was. */
function opensNew(before: SeenNames, { unlisted }: SeenNames, opened: Map<string, number>): boolean {
  const were = opened.size;
  for (const folder of unlisted) {
    if (before.unlisted.has(folder) || opened.has(folder)) continue;
    try {
      const mode = lstatSync(folder).mode & 0o7777;
      chmodSync(folder, mode | OWN);
      opened.set(folder, mode);
    } catch {} // somebody else's, or gone
  }
  return opened.size > were;
}

/** All that the owner may do with a folder. */
const OWN = 0o700;

/** Where nothing was moved from, inner folders first. */
function closeAgain(opened: ReadonlyMap<string, number>, moved: readonly PutAway[]): void {
  for (const [folder, mode] of [...opened].reverse()) {
    if (moved.some(({ from }) => isInside(folder, from))) continue;
    try {
      chmodSync(folder, mode);
    } catch {} // gone
  }
}

/** Whether anything is at a place, be it a link that leads nowhere. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether a place was not there before, or was another one; what was not looked through then could not be changed. */
export function isNew(before: SeenNames, path: string): boolean {
  return before.names.get(path) !== identityOf(path) && !wasUnseen(before, path);
}

function wasUnseen({ unseen }: SeenNames, path: string): boolean {
  for (let place = path; ; place = dirname(place)) {
    const identity = unseen.get(place);
    if (identity !== undefined) return identity === identityOf(place);
    if (place === dirname(place)) return false;
  }
}

function identified(paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(paths.map((path) => [path, identityOf(path)]));
}

/**
 * A mount stays in its folder, but the folder can be moved, and another one made in its place; a link can be replaced. So a place is the
 * same only in the same folder, and as a link only if it leads to the same place.
 */
function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(dirname(path));
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const targets = isLink ? realPlace(path).filter(canAct) : undefined;
    const target = targets?.map((real) => `${real} ${identityOf(real)}`);
    return JSON.stringify([dev, ino, target]);
  } catch {
    return ""; // its folder can be listed but not entered: nothing in it can be changed
  }
}

const ACTS = "it takes effect automatically later, or must not be changed";

/** What happened to it, and why. */
export function toldOf({ from, to, isAnybodys, isUnseen }: PutAway): string {
  if (isUnseen)
    return `${from} has more folders than indus searches: any files with protected names that were created there were not moved away.`;
  if (isAnybodys)
    return `${from} was left, although ${ACTS}: it appeared while a command ran outside and a background job ran, and either may have created it.`;
  return to === undefined
    ? `${from} could not be moved away, although ${ACTS}.`
    : `${from} was moved to ${to}, because ${ACTS}.`;
}

export interface PutAway {
  readonly from: string;
  /** Absent when it is still there. */
  readonly to?: string;
  /** It was left, because approved work may have made it as well as a job; otherwise it could not be moved. */
  readonly isAnybodys?: true;
  /** A folder with more in it than is looked through: what has appeared there was left. */
  readonly isUnseen?: true;
}

/** Of the name of what is moved, in UTF-16 units: with its new beginning it is still a file's name. */
const MAX_NAME = 70;

/** In the open folder: by its path, a link that took its place would lead to other files. Returns where to. */
function moveAside(from: string): string {
  const folder = openPlace(dirname(from));
  if (folder === undefined) throw new Error(`${from} is gone`);
  try {
    const at = `/proc/self/fd/${folder}`;
    const to = freeName(at, basename(from));
    const { mode } = fstatSync(folder);
    const isClosed = (mode & OWN) !== OWN;
    if (isClosed) fchmodSync(folder, (mode & 0o7777) | OWN);
    try {
      renameSync(join(at, basename(from)), join(at, to));
    } finally {
      if (isClosed) fchmodSync(folder, mode & 0o7777);
    }
    return join(dirname(from), to);
  } finally {
    closeSync(folder);
  }
}

/** A protected ending is not one any more, and a long name is cut. */
function freeName(folder: string, name: string): string {
  const kept = beginningOf(name, MAX_NAME);
  for (let count = 1; ; count++) {
    const plain = `put-away-${count}-${kept}`;
    const free = protectedName(plain, false) === undefined ? plain : `${plain}_`;
    if (lstatSync(join(folder, free), { throwIfNoEntry: false }) === undefined) return free;
  }
}

/** When there are too many to mount one by one, the top folders that contain them are closed instead, or the whole root. */
function bounded(paths: readonly string[], root: string): readonly string[] {
  const places = [...new Set(paths)];
  if (places.length <= MAX_PLACES) return places;
  const closed = topsOf(places, root);
  return closed.length <= MAX_PLACES ? closed : [root];
}

function topsOf(paths: readonly string[], root: string): readonly string[] {
  return [...new Set(paths.map((path) => join(root, path.slice(root.length + 1).split("/")[0] ?? "")))];
}

/** A file or a folder. Nothing acts by a pipe, a socket or a device, and no mount keeps one. */
function canAct(path: string): boolean {
  try {
    const entry = statSync(path);
    return entry.isFile() || entry.isDirectory();
  } catch {
    return false; // nothing there, or a link that leads to itself
  }
}

/** A link is not a place of its own: its target is protected at its real path. */
function realPlace(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function entriesOf(folder: string, unlisted: Set<string>): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === "EACCES") unlisted.add(folder);
    return [];
  }
}

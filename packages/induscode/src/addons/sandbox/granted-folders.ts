// Which folders outside of the workspace an answer may let commands in the sandbox read or change. Judged again for each command, because
// what is there can be exchanged: a granted folder is a real path, and is mounted only while no link leads there.

import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { isInside } from "indusagi/core";
import type { OutsideFolder } from "../../feature/permission.ts";
import { coreSetting } from "../../store/git-links.ts";
import { linkedPlaces } from "../../store/linked-places.ts";
import { isPrivateName } from "../../store/private-files.ts";
import { protectedBelow } from "../../store/protected-names.ts";
import { guardedPlaces } from "./command-guard.ts";
import { COMMAND_FOLDERS, programPlaces } from "./command-places.ts";
import { identityOf } from "./handed-places.ts";
import { isRepository } from "./linked-repository.ts";
import { SYSTEM_FOLDERS } from "./system-places.ts";

interface WritingBounds {
  /** The person's PATH. */
  readonly programs: string;
  /** Whether a rule denies or asks about changing a real path, or agents read it as instructions. */
  readonly isRefused?: ((path: string) => boolean) | undefined;
}

export interface FolderBounds {
  /** The working directory and the person's home, as real paths. */
  readonly root: string;
  readonly personHome: string;
  /** The product's home, as a real path. */
  readonly store?: string | undefined;
  /** Whether a rule denies or asks about reading a real path. */
  readonly isRefused?: ((path: string) => boolean) | undefined;
  /** Absent: no folder can be changed. */
  readonly writing?: WritingBounds | undefined;
}

/** The kernel's views, other programs' sockets, what starts the machine, and the home of root where it is not the person's. */
const CLOSED: readonly string[] = ["/dev", "/proc", "/sys", "/run", "/var/run", "/boot", "/root"];
/** Shared by all programs, or full of homes; a folder in one can be granted. */
const TOPS: ReadonlySet<string> = new Set([
  "/",
  "/tmp",
  "/var",
  "/var/tmp",
  "/home",
  "/Users",
  "/mnt",
  "/srv",
]);

/** Whether commands see a place anyway, or have one of their own under that name. */
export function isSeenAnyway(path: string): boolean {
  return [...SYSTEM_FOLDERS, ...COMMAND_FOLDERS, "/dev", "/proc", "/sys"].some((each) =>
    isInside(each, path),
  );
}

/** Why no answer lets commands read this folder, or change it; undefined if one can. */
export function whyNotGranted(path: string, bounds: FolderBounds, isWritable = false): string | undefined {
  return whyNotReadable(path, bounds) ?? (isWritable ? whyNotWritable(path, bounds) : undefined);
}

function whyNotReadable(
  path: string,
  { root, personHome, store, isRefused }: FolderBounds,
): string | undefined {
  const names = path.split(sep);
  const isHome = names.length === 3 && (names[1] === "home" || names[1] === "Users");
  const isBelowHome = isInside(personHome, path);
  if (TOPS.has(path) || isHome || isInside(path, personHome))
    return "it is a home, or contains one, or is shared";
  if (isInside(path, root)) return "it contains the working directory";
  if (!isBelowHome && CLOSED.some((each) => isInside(each, path))) return "it belongs to the system";
  if (store !== undefined && (isInside(store, path) || isInside(path, store)))
    return "indus stores its own data there";
  const own = isBelowHome ? path.slice(personHome.length).split(sep) : names;
  if (own.some((name) => name.startsWith(".") || isPrivateName(name, true)))
    return "it is in a hidden folder";
  if (isRefused?.(path)) return "a rule denies it or asks about it";
  return whatItHolds(path);
}

function whatItHolds(path: string): string | undefined {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isSocket()) return `it has a socket, ${entry.name}`;
      if (entry.name !== ".git" && isPrivateName(entry.name, entry.isDirectory()))
        return `it has ${entry.name}, which may hold keys`;
    }
    return undefined;
  } catch {
    return "it is not a folder that can be listed";
  }
}

/**
 * Why no answer lets commands change this folder, which they may read; undefined if one can. None can where something in it runs later,
 * outside of the sandbox.
 */
function whyNotWritable(path: string, { root, personHome, writing }: FolderBounds): string | undefined {
  if (writing === undefined) return "commands change no files here";
  if (isInside(root, path)) return "it is in the working directory";
  if (writing.isRefused?.(path))
    return "a rule denies changing it or asks about that, or it is read as instructions";
  if (protectedBelow("/", join(path, "x")) !== undefined) return "it has a protected name";
  if (isInRepository(path)) return "it is a git repository's own folder";
  if (linkedPlaces(root).outer.some((place) => isInside(place, path)))
    return "a link or a setting in the working directory makes it act later";
  const runs = [...programPlaces(personHome, writing.programs), ...hookFolders(personHome)];
  const near = runs.flatMap(spellings).find((place) => isInside(path, place) || isInside(place, path));
  return near === undefined ? undefined : `what is at ${near} runs outside of the sandbox`;
}

/** Also for a folder in one: that of its hooks. */
function isInRepository(path: string): boolean {
  return isRepository(path) || (path !== dirname(path) && isInRepository(dirname(path)));
}

/** What git runs in all repositories of the person. */
function hookFolders(personHome: string): readonly string[] {
  return [".gitconfig", ".config/git/config"].flatMap((file) => {
    const hooks = coreSetting(join(personHome, file), "hooksPath");
    return hooks === undefined ? [] : [resolve(personHome, hooks.replace(/^~\//, ""))];
  });
}

function spellings(place: string): readonly string[] {
  try {
    return [place, realpathSync(place)];
  } catch {
    return [place]; // not there yet
  }
}

/** The folder at a real path, as it is now; undefined if no answer can let commands read it, or change it. */
export function judgedFolder(
  path: string,
  bounds: FolderBounds,
  isWritable = false,
): OutsideFolder | undefined {
  if (isSeenAnyway(path) || whyNotGranted(path, bounds, isWritable) !== undefined) return undefined;
  try {
    const identity = identityOf(path);
    if (identity === undefined || !statSync(path).isDirectory()) return undefined;
    return isWritable ? { path, identity, isWritable } : { path, identity };
  } catch {
    return undefined; // a link
  }
}

interface GrantedFoldersFacts extends FolderBounds {
  /** Those of answers, as of now; absent where no folder can be granted. */
  readonly folders: (() => readonly OutsideFolder[]) | undefined;
  readonly maxFolders?: number | undefined;
  readonly sayOnce: (line: string) => void;
}

interface GrantedFolders {
  readonly judge: (path: string, isWritable?: boolean) => OutsideFolder | undefined;
  /** Whether an answer could let commands read it, or change it, and none does. */
  readonly isOffered: (path: string, isWritable: boolean) => boolean;
  /**
   * What a command reaches: folders of answers, and the one that it `asked` for; with what is hidden in those that it only reads. Throws if
   * that is another one now. Whoever mounts them compares once more, with what it has opened.
   */
  readonly now: (
    asked: OutsideFolder | undefined,
  ) => readonly (OutsideFolder & { readonly hidden: readonly string[] })[];
}

/** Does no lookups while nothing is granted. */
export function createGrantedFolders({
  folders,
  maxFolders,
  sayOnce,
  ...bounds
}: GrantedFoldersFacts): GrantedFolders {
  const judge: GrantedFolders["judge"] = (path, isWritable) =>
    folders && judgedFolder(path, bounds, isWritable);
  return {
    judge,
    isOffered(path, isWritable) {
      const isGranted = (each: OutsideFolder): boolean =>
        isInside(each.path, path) && (each.isWritable === true || !isWritable);
      return folders?.().some(isGranted) === false && judge(path, isWritable) !== undefined;
    },
    now(asked) {
      if (asked) requireSame(asked);
      const { isRefused: read } = bounds;
      const judged = [...(folders?.() ?? []), ...(asked ? [asked] : [])].flatMap((each) => {
        const found = judge(each.path, each.isWritable);
        if (found) return { ...found, ...each };
        const why = whyNotGranted(each.path, bounds, each.isWritable) ?? "a link leads elsewhere from there";
        const what = each.isWritable ? "read or change" : "read";
        sayOnce(`commands do not ${what} ${each.path}, although an answer allows it, because ${why}`);
        return [];
      });
      return withoutInner(judged).map((each) => {
        // In one that they change, that is looked for together with what they must not change.
        if (each.isWritable) return { ...each, hidden: [] };
        const { hidden } = guardedPlaces(each.path, { read, sockets: true }, maxFolders);
        return { ...each, hidden };
      });
    },
  };
}

/** What another one of them gives as well is left out; of the same folder, the one of the command itself stays. */
function withoutInner(folders: readonly OutsideFolder[]): readonly OutsideFolder[] {
  const gives = (other: OutsideFolder, each: OutsideFolder): boolean =>
    isInside(other.path, each.path) && (other.isWritable === true || !each.isWritable);
  return folders.filter(
    (each, at) =>
      !folders.some(
        (other, otherAt) => otherAt !== at && gives(other, each) && (otherAt > at || !gives(each, other)),
      ),
  );
}

/** Throws if it is no longer what was judged. */
function requireSame({ path, identity }: OutsideFolder): void {
  if (identity === undefined || identityOf(path) === identity) return;
  throw new Error(`${path} was replaced after the person let the command reach it`);
}

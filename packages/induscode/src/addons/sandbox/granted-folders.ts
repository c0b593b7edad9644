// Which folders outside of the workspace an answer may let commands in the sandbox read. Judged again for each command, because what is
// there can be exchanged: a granted folder is a real path, and is mounted only while no link leads there.

import { readdirSync, statSync } from "node:fs";
import { sep } from "node:path";
import { isInside } from "indusagi/core";
import type { JudgedFolder } from "../../feature/permission.ts";
import { isPrivateName } from "../../store/private-files.ts";
import { guardedPlaces } from "./command-guard.ts";
import { COMMAND_FOLDERS } from "./command-places.ts";
import { identityOf } from "./handed-places.ts";
import { SYSTEM_FOLDERS } from "./system-places.ts";

export interface FolderBounds {
  /** The working directory and the person's home, as real paths. */
  readonly root: string;
  readonly personHome: string;
  /** The product's home, as a real path. */
  readonly store?: string | undefined;
  /** Whether a rule denies or asks about reading a real path. */
  readonly isRefused?: ((path: string) => boolean) | undefined;
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

/** Why no answer lets commands read this folder; undefined if one can. */
export function whyNotGranted(
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

/** The folder at a real path, as it is now; undefined if no answer can let commands read it. */
export function judgedFolder(path: string, bounds: FolderBounds): JudgedFolder | undefined {
  if (isSeenAnyway(path) || whyNotGranted(path, bounds) !== undefined) return undefined;
  try {
    const identity = identityOf(path);
    return identity === undefined || !statSync(path).isDirectory() ? undefined : { path, identity };
  } catch {
    return undefined; // a link
  }
}

interface GrantedFoldersFacts extends FolderBounds {
  /** Those of answers, as of now; absent where no folder can be granted. */
  readonly folders: (() => readonly string[]) | undefined;
  readonly maxFolders?: number | undefined;
  readonly sayOnce: (line: string) => void;
}

interface GrantedFolders {
  readonly judge: (path: string) => JudgedFolder | undefined;
  /** Whether an answer could let commands read it, and none does. */
  readonly isOffered: (path: string) => boolean;
  /**
   * What a command reads: folders of answers, and the one that it `asked` for; with what is hidden in them. Throws if that is another one
   * now. Whoever mounts them compares once more, with what it has opened.
   */
  readonly now: (
    asked: JudgedFolder | undefined,
  ) => readonly (JudgedFolder & { readonly hidden: readonly string[] })[];
}

/** Does no lookups while nothing is granted. */
export function createGrantedFolders({
  folders,
  maxFolders,
  sayOnce,
  ...bounds
}: GrantedFoldersFacts): GrantedFolders {
  const judge = (path: string): JudgedFolder | undefined => folders && judgedFolder(path, bounds);
  return {
    judge,
    isOffered: (path) =>
      folders?.().some((each) => isInside(each, path)) === false && judge(path) !== undefined,
    now(asked) {
      if (asked) requireSame(asked);
      const granted = (folders?.() ?? []).map((path) => ({ path }));
      const { isRefused: read } = bounds;
      return [...granted, ...(asked ? [asked] : [])].flatMap((each) => {
        const judged = judge(each.path);
        if (judged !== undefined) {
          const { hidden } = guardedPlaces(each.path, { read, sockets: true }, maxFolders);
          return { ...judged, ...each, hidden };
        }
        const why = whyNotGranted(each.path, bounds) ?? "a link leads elsewhere from there";
        sayOnce(`commands do not read ${each.path}, although an answer allows it, because ${why}`);
        return [];
      });
    },
  };
}

/** Throws if it is no longer what was judged. */
function requireSame({ path, identity }: JudgedFolder): void {
  if (identity === undefined || identityOf(path) === identity) return;
  throw new Error(`${path} was replaced after the person let the command read it`);
}

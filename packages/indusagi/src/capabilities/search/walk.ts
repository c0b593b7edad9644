// The portable walk over a tree, on nothing but the file seam: folders are read several at a time and handed out in
// one fixed order.

import { sep } from "node:path";
import { Aborted, abortable } from "../../core/abort.ts";
import { errorCode } from "../../core/faults.ts";
import type { Fs } from "../kernel/contract.ts";
import { type Folder, type FolderLevel, FolderOpener, type WalkEntry } from "./folder-level.ts";
import type { IgnoreScope } from "./ignore-scope.ts";
import { createOmissions, type Omissions } from "./omissions.ts";

/** Ignored files are counted up to here: what a project builds may be larger than the project. */
export const MAX_IGNORED_COUNTED = 10_000;

/** What a walk met and did not hand out; above its limit, the number of ignored files stops growing. */
export interface WalkTally extends Omissions {
  /** False once an ignore file was met that ripgrep would read another way. */
  isPlain: boolean;
}

export function createTally(): WalkTally {
  return { ...createOmissions(), isPlain: true };
}

export interface Walk {
  readonly fs: Fs;
  /** A folder; reading it must succeed. Folders below it that cannot be read are counted and passed over. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** From `openIgnoreScope`. Present: what ignore files name is left out. */
  readonly scope?: IgnoreScope | undefined;
  readonly tally?: WalkTally;
}

/**
 * Every entry below `root`, each folder before its content, children sorted by name; links are listed and not
 * followed. Throws {@link Aborted} once `signal` has fired.
 */
export async function* walk(options: Walk): AsyncGenerator<WalkEntry, void, undefined> {
  for await (const run of walkInRuns(options)) yield* run;
}

/** {@link walk} for large trees: the entries up to and with the next folder come at once, possibly none. */
export async function* walkInRuns(options: Walk): AsyncGenerator<readonly WalkEntry[], void, undefined> {
  const { root, signal, scope, tally = createTally() } = options;
  const isWanted = (folder: Folder): boolean => !folder.isIgnored || tally.ignored <= MAX_IGNORED_COUNTED;
  const top: Folder = { path: root, name: "", isDirectory: true, isSymlink: false, isIgnored: false, scope };
  const opened = await abortable(new FolderOpener(options.fs).open(top), signal);
  if (opened.kind === "failed") throw opened.error;
  const levels: FolderLevel[] = [];
  const enter = (level: FolderLevel): void => {
    levels.push(level);
    tally.ignored += level.ignored;
    tally.isPlain &&= level.isPlain;
  };
  enter(opened.level);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (signal.aborted) throw new Aborted();
    for (const near of levels.slice(-LEVELS_AHEAD)) near.readAhead(LEVELS_AHEAD, isWanted);
    const { run, folder } = level.takeRun();
    if (run.length > 0) yield run;
    if (folder === undefined) {
      levels.pop();
    } else if (!isWanted(folder)) {
      level.skip(folder);
    } else {
      const next = await abortable(level.take(folder), signal);
      if (next.kind === "level") enter(next.level);
      else if (errorCode(next.error) === undefined) throw next.error;
      else if (!folder.isIgnored) countUnread(tally, folder.path, next.error);
    }
  }
}

// Up and down from where the walk is: a folder often has but one or two subfolders.
const LEVELS_AHEAD = 3;

/** The walk's order of two absolute paths under one root: segment by segment, by UTF-16 unit. */
export function compareWalkOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a.replaceAll(sep, "\0") < b.replaceAll(sep, "\0") ? -1 : 1;
}

const GONE: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "EISDIR"];

/** Counts an entry that could not be read, if anything is to be said of it. */
export function countUnread(omissions: Omissions, path: string, error: unknown): void {
  if (!isGone(error)) omissions.unreadable++;
  else if (path.includes("\ufffd")) omissions.undecoded++; // its bytes got lost when its name became a text
}

/** True for an entry that is not what it was when listed, or no file that has content: nothing is said of it. */
export function isGone(error: unknown): boolean {
  return GONE.includes(errorCode(error) ?? "");
}

/** True for an entry that a search passes over: gone, or forbidden. */
export function isPassedOver(error: unknown): boolean {
  return isGone(error) || ["EACCES", "EPERM"].includes(errorCode(error) ?? "");
}

// The portable walk over a tree, using only the file seam: folders are read several at a time and returned in one fixed order.

import { sep } from "node:path";
import { Aborted, abortable } from "../../core/abort.ts";
import { errorCode } from "../../core/faults.ts";
import type { Fs } from "../kernel/contract.ts";
import { type Folder, type FolderLevel, FolderOpener, type WalkEntry } from "./folder-level.ts";
import type { IgnoreScope } from "./ignore-scope.ts";
import { createOmissions, type Omissions } from "./omissions.ts";

/** Ignored files are counted up to this number: build output can be larger than the project. */
export const MAX_IGNORED_COUNTED = 10_000;

/** What a walk encountered but did not return; the count of ignored files stops at its limit. */
export interface WalkTally extends Omissions {
  /** False once an ignore file was found that ripgrep would interpret differently. */
  isPlain: boolean;
}

export function createTally(): WalkTally {
  return { ...createOmissions(), isPlain: true };
}

export interface Walk {
  readonly fs: Fs;
  /** A folder; reading it must succeed. Folders below it that cannot be read are counted and skipped. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** From `openIgnoreScope`. If present, files named in ignore files are left out. */
  readonly scope?: IgnoreScope | undefined;
  readonly tally?: WalkTally;
  /** Yields folders only, for the tally: files cost most of a walk. */
  readonly isCounting?: boolean;
}

/**
 * Every entry below `root`, each folder before its content, children sorted by name; links are listed and not followed. Throws
 * {@link Aborted} once `signal` has fired.
 */
export async function* walk(options: Walk): AsyncGenerator<WalkEntry, void, undefined> {
  for await (const run of walkInRuns(options)) yield* run;
}

/** {@link walk} for large trees: yields all entries up to and including the next folder at once, possibly none. */
export async function* walkInRuns(options: Walk): AsyncGenerator<readonly WalkEntry[], void, undefined> {
  const { root, signal, scope, tally = createTally(), isCounting = false } = options;
  const isWanted = (folder: Folder): boolean => !folder.isIgnored || tally.ignored <= MAX_IGNORED_COUNTED;
  const top: Folder = { path: root, name: "", isDirectory: true, isSymlink: false, isIgnored: false, scope };
  const opened = await abortable(new FolderOpener(options.fs, isCounting).open(top), signal);
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

// Levels up and down from the walk's position: a folder often has only one or two subfolders.
const LEVELS_AHEAD = 3;

/** The walk's order for two absolute paths under one root: segment by segment, by UTF-16 unit. */
export function compareWalkOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a.replaceAll(sep, "\0") < b.replaceAll(sep, "\0") ? -1 : 1;
}

const GONE: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "EISDIR"];

/** Counts an entry that could not be read, if it is worth reporting. */
export function countUnread(omissions: Omissions, path: string, error: unknown): void {
  if (!isGone(error)) omissions.unreadable++;
  else if (path.includes("\ufffd")) omissions.undecoded++; // its bytes were lost when its name was decoded
}

/** True for an entry that has changed since it was listed, or is not a file with content: not reported. */
export function isGone(error: unknown): boolean {
  return GONE.includes(errorCode(error) ?? "");
}

/** True for an entry that a search skips: gone, or forbidden. */
export function isPassedOver(error: unknown): boolean {
  return isGone(error) || ["EACCES", "EPERM"].includes(errorCode(error) ?? "");
}

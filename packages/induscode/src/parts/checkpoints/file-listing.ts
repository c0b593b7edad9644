// The files of a folder that are not ignored, listed again only where something changed that decides which those are: a folder, or a
// file with ignore rules. Listing 20,000 files takes as long as asking for the state of each; asking for their folders takes nothing.

import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { listFiles, PRUNED_NAMES } from "indusagi/capabilities";
import { nowMs } from "indusagi/core";
import { isInRepository } from "../../store/repository.ts";
import { inBatches } from "./in-batches.ts";
import { isAsSeen, NOT_SEEN, type SeenFile, seenAs } from "./seen-file.ts";

export interface ListedFiles {
  /** Relative to the folder, in no fixed order. */
  readonly paths: readonly string[];
  /** How many files were left out, because there are more than the limit. */
  readonly left: number;
  /** If some were, the last path before them; in any case those come after it. */
  readonly end: string | undefined;
  /** Changes when ignore rules do that may lie outside of the listing: those of the folder itself, and of the folders above it. */
  readonly outerRules: string;
}

/** What decides which files are listed, as of before they were. */
interface Deciders {
  /** By absolute path. */
  readonly folders: ReadonlyMap<string, SeenFolder>;
  /** Files with ignore rules, and where one would be. */
  readonly rules: ReadonlyMap<string, SeenFile>;
  /** In a repository, rules of the folders above count. */
  readonly isInRepository: boolean;
}

interface SeenFolder {
  readonly seen: SeenFile;
  readonly subfolders: readonly string[];
  readonly rules: readonly string[];
}

/** With more, for example in a folder of build results, files are listed each time. */
const MAX_FOLDERS = 5_000;

/** For a folder with this real path. The listing rejects if ripgrep cannot run. */
export function createFileListing(cwd: string, maxFiles: number): () => Promise<ListedFiles> {
  let last: ListedFiles | undefined;
  let deciders: Deciders | undefined;
  let areFew = true;
  return async () => {
    if (last && deciders && (await areAsSeen(deciders, cwd))) return last;
    // Found before files are listed, so that what changes meanwhile counts as changed. A session's first listing may be its only one.
    if (last && areFew) deciders = await findDeciders(cwd, deciders?.folders);
    if (last && !deciders) areFew = false;
    last = await list(cwd, maxFiles);
    return last;
  };
}

async function list(cwd: string, maxFiles: number): Promise<ListedFiles> {
  const paths: string[] = [];
  const rules = foldersFrom(cwd).flatMap(rulesIn).map(stats);
  const outerRules = rules.map((found) => (found ? `${found.ctimeMs} ${found.ino}` : "")).join();
  await listFiles({
    root: cwd,
    isInRepository: isInRepository(cwd),
    signal: new AbortController().signal,
    onPaths: (more) => {
      for (const path of more) paths.push(path);
    },
  });
  // They arrive in no particular order, and the same ones must be skipped each time.
  const left = paths.length > maxFiles ? paths.sort().splice(maxFiles).length : 0;
  return { paths, left, end: left > 0 ? paths.at(-1) : undefined, outerRules };
}

async function areAsSeen({ folders, rules, ...as }: Deciders, cwd: string): Promise<boolean> {
  let areSame = as.isInRepository === isInRepository(cwd);
  await inBatches([...rules], ([path, seen]) => {
    areSame &&= isStill(path, seen);
  });
  await inBatches([...folders], ([path, { seen }]) => {
    areSame &&= isStill(path, seen);
  });
  return areSame;
}

/** Undefined if there are too many folders. A folder that is as in `known` is not read again. */
async function findDeciders(
  cwd: string,
  known: Deciders["folders"] = new Map(),
): Promise<Deciders | undefined> {
  const folders = new Map<string, SeenFolder>();
  const rules = new Map<string, SeenFile>();
  const isWithin = isInRepository(cwd);
  for (const at of foldersFrom(cwd)) for (const rule of rulesIn(at)) rules.set(rule, seenNow(rule));
  for (let level = [cwd]; level.length > 0; ) {
    const below: string[] = [];
    await inBatches(level, (path) => {
      if (folders.size > MAX_FOLDERS) return;
      const before = known.get(path);
      const folder = before && isStill(path, before.seen) ? before : readFolder(path);
      folders.set(path, folder);
      for (const rule of folder.rules) rules.set(rule, seenNow(rule));
      for (const each of folder.subfolders) below.push(each);
    });
    level = below;
  }
  return folders.size > MAX_FOLDERS ? undefined : { folders, rules, isInRepository: isWithin };
}

function readFolder(path: string): SeenFolder {
  const seen = seenNow(path);
  let children: readonly Dirent[];
  try {
    children = readdirSync(path, { withFileTypes: true });
  } catch {
    children = []; // gone, or closed to this user: ripgrep lists nothing below it either
  }
  const has = (name: string): boolean => children.some((each) => each.name === name);
  return {
    seen,
    subfolders: children
      .filter((each) => each.isDirectory() && !PRUNED_NAMES.has(each.name))
      .map(({ name }) => join(path, name)),
    rules: has(".git") || has(".gitignore") ? rulesIn(path) : [],
  };
}

/** Where a folder's own ignore rules would be. */
function rulesIn(folder: string): readonly string[] {
  return [join(folder, ".gitignore"), join(folder, ".git", "info", "exclude")];
}

/** Whether a listed path is a file with ignore rules. */
export function isRuleFile(path: string): boolean {
  return basename(path) === ".gitignore";
}

/** The folder and those above it. */
function foldersFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}

function seenNow(path: string): SeenFile {
  const at = nowMs();
  const found = stats(path);
  return found ? seenAs(found, at, "") : NOT_SEEN;
}

function isStill(path: string, seen: SeenFile): boolean {
  const found = stats(path);
  return found ? isAsSeen(found, seen) : seen === NOT_SEEN;
}

function stats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // closed to this user: so it is to ripgrep
  }
}

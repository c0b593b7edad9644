// Looks through folders for the files that rules name: what lies below a folder, and what a pattern of the shell comes to.

import { basename, join, resolve, sep } from "node:path";
import type { DirChild } from "indusagi/capabilities";
import { matchWildcard } from "indusagi/core";
import { ANYTHING, literal, ofProcess } from "../shell/expand-word.ts";
import type { GitFiles } from "../shell/git-place.ts";
import { alternatives } from "./named-places.ts";
import type { Search } from "./searching-programs.ts";

export interface WalkDeps {
  readonly files: Pick<GitFiles, "readDir">;
  readonly realPath: (path: string) => Promise<string>;
  /** Whether a rule that denies or asks names this file. */
  readonly isRuled: (path: string) => boolean;
  /** A star stands for hidden names, too, and for names in another case. */
  readonly isLoose?: boolean;
}

/** As many as the sandbox looks through for protected names. */
const MAX_FOLDERS = 2_000;
/** Installed packages. */
const PACKAGES = "node_modules";
const MAX_ENTRIES = 50_000;
/** Of one word with braces. */
const MAX_ALTERNATIVES = 256;

export interface Way extends Pick<Search, "isFlat"> {
  readonly starts: readonly string[];
  readonly leavesHidden: boolean;
  readonly follows: boolean;
  /** Not even if they are given. */
  readonly leavesPackages: boolean;
  /** Only files with such names. */
  readonly names: readonly string[];
}

interface Place extends Omit<DirChild, "name"> {
  readonly path: string;
}

export interface Walk {
  readonly found: ReadonlySet<string>;
  /** What a glob came to, that may be folders. */
  readonly folders: readonly string[];
  readonly glob: (folder: string, pattern: string) => Promise<void>;
  readonly below: (start: string, way: Way) => Promise<void>;
  readonly cut: () => string | undefined;
}

/** A character of a pattern with a backslash, or a class. One that does not end is read to the end. */
const SPECIAL = /\\([\s\S])|\[[!^]?\]?(?:\[:\w*:\]|[^\]])*\]?/g;

/** The wildcard of a pattern for one name: a class may stand for any character, as may one that is none in a wildcard. */
function wildcardOf(segment: string): string {
  return segment.replaceAll(ANYTHING, "*").replace(SPECIAL, (run, quoted?: string) => {
    if (quoted !== undefined) return /[*?]/.test(quoted) ? "?" : quoted;
    return run.endsWith("]") ? "?" : "*";
  });
}

export function createWalk({ files, realPath, isRuled, isLoose = false }: WalkDeps): Walk {
  const found = new Set<string>();
  const folders: string[] = [];
  let leftFolders = MAX_FOLDERS;
  let leftEntries = MAX_ENTRIES;
  let cut: string | undefined;
  return { found, folders, glob, below, cut: () => cut };

  /** What is unknown at a pattern's start may be a folder, or nothing. */
  async function glob(folder: string, pattern: string): Promise<void> {
    const start = pattern.startsWith(`${ANYTHING}/`) ? [pattern, pattern.slice(2)] : [pattern];
    const all = start.flatMap((each) => alternatives(each, MAX_ALTERNATIVES));
    for (const each of all) await matches(resolve(literal(folder), ofProcess(each, literal(folder))));
    if (all.length >= MAX_ALTERNATIVES) cut ??= "its braces expand to too many files";
  }

  async function matches(pattern: string): Promise<void> {
    const segments = pattern.split(sep);
    const first = segments.findIndex((segment) => /[*?[\0]/.test(segment));
    let open: readonly Place[] = [
      {
        path:
          segments
            .slice(0, first)
            .join(sep)
            .replace(/\\([\s\S])/g, "$1") || sep,
        isDirectory: true,
        isSymlink: false,
      },
    ];
    for (const segment of segments.slice(first)) {
      const way = open.filter(({ isDirectory, isSymlink }) => isDirectory || isSymlink);
      open = (await Promise.all(way.map(({ path }) => matching(path, segment)))).flat();
    }
    folders.push(...open.map(({ path }) => path));
    for (const { path, isDirectory, isSymlink } of open) if (!isDirectory) await note(path, isSymlink);
  }

  /** A star stands for no hidden name. */
  async function matching(folder: string, segment: string): Promise<readonly Place[]> {
    const inCase = (text: string): string => (isLoose ? text.toLowerCase() : text);
    const wanted = inCase(wildcardOf(segment));
    const isOpen = isLoose || segment.startsWith(ANYTHING);
    const isHidden = wanted.startsWith(".");
    return (await entries(folder))
      .filter(
        ({ name }) => (isOpen || name.startsWith(".") === isHidden) && matchWildcard(wanted, inCase(name)),
      )
      .map(({ name, ...kind }) => ({ path: join(folder, name), ...kind }));
  }

  async function below(
    start: string,
    { leavesHidden, leavesPackages, isFlat, names, follows }: Way,
  ): Promise<void> {
    if (leavesPackages && basename(start) === PACKAGES) return;
    const open = [await realPath(start).catch(() => start)];
    const followed = new Set(open);
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { name, isDirectory, isSymlink } of await entries(folder)) {
        if (leavesHidden && name.startsWith(".")) continue;
        const path = join(folder, name);
        if (isDirectory) {
          if (name !== PACKAGES && !isFlat) open.push(path); // as for protected names, installed packages are not searched
        } else if (names.length === 0 || names.some((wanted) => matchWildcard(wanted, name)))
          await note(path, isSymlink);
        const real = follows && isSymlink ? await realPath(path).catch(() => path) : path;
        if (real !== path && !followed.has(real)) {
          followed.add(real);
          open.push(real); // of a link to a file nothing is read there
        }
      }
    }
  }

  /** A link is also what it leads to. */
  async function note(path: string, isLink: boolean): Promise<void> {
    const real = isLink ? await realPath(path).catch(() => path) : path;
    for (const each of [path, real]) if (isRuled(each)) found.add(each);
  }

  async function entries(folder: string): Promise<readonly DirChild[]> {
    if (cut !== undefined || leftFolders-- <= 0 || leftEntries <= 0) {
      cut ??= `there is too much below ${folder} to find out what it would read`;
      return [];
    }
    const all = await files.readDir(folder).catch(() => []); // no folder, or not readable: the command reads nothing there either
    leftEntries -= all.length;
    return all;
  }
}

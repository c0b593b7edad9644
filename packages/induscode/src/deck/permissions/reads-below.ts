// What a command would read below the folders that it is given: a recursive search, a copy, an archive, what find and xargs pass on, and
// what the shell expands a star to. Looked up only where a rule on reading may apply, and nothing else keeps the command from it.

import { isAbsolute, join, resolve, sep } from "node:path";
import type { DirChild, Fs } from "indusagi/capabilities";
import { brief, matchWildcard } from "indusagi/core";
import type { CommandReading, Looks, ShellPart, ShellWord } from "../shell/contract.ts";
import { ANYTHING, literal } from "../shell/expand-word.ts";
import { alternatives, namedPlaces } from "./named-places.ts";
import { isNamesOnly, listOf, type Search, searchOf } from "./searching-programs.ts";

/** The files that were found, as far as rules on reading name them. */
export interface ReadsBelow {
  /** It reads these. */
  readonly finds?: readonly string[];
  /** It reads these unless it skips them itself. */
  readonly mayFind?: readonly string[];
  /** Why not everything could be looked through. */
  readonly hidesReads?: string;
  /** Everything that it reads below a folder was looked at. */
  readonly isSearched?: boolean;
}

export interface ReadsBelowDeps {
  readonly files: Pick<Fs, "readDir">;
  readonly realPath: (path: string) => Promise<string>;
  /** Whether a rule that denies or asks names this file. */
  readonly isRuled: (path: string) => boolean;
  /** A star stands for hidden names, too, and for names in another case. */
  readonly isLoose?: boolean;
}

/** As many as the sandbox looks through for protected names. */
const MAX_FOLDERS = 2_000;
const MAX_ENTRIES = 50_000;
/** Of one word with braces. */
const MAX_ALTERNATIVES = 256;

interface Way extends Pick<Search, "isFlat"> {
  readonly starts: readonly string[];
  readonly leavesHidden: boolean;
  readonly follows: boolean;
  /** Only files with such names. */
  readonly names: readonly string[];
}

/** What is known of a command besides its own words. */
interface Around {
  /** The commands that it runs. */
  readonly inner: readonly ShellPart[];
  /** What it was found to look at. */
  readonly looks: Looks | undefined;
  /** What the stars come to that its line hands on in variables. */
  readonly spread: Spread;
}

/** What one command of a line would read. */
export async function readsBelow(part: ShellPart, around: Around, deps: ReadsBelowDeps): Promise<ReadsBelow> {
  const [own, handed] = await Promise.all([readsOwn(part, around, deps), around.spread(part)]);
  const mayFind = [...new Set([...(own.mayFind ?? []), ...(handed.mayFind ?? [])])];
  return { ...handed, ...own, mayFind };
}

/** What its own words stand for. */
async function readsOwn(
  part: ShellPart,
  { inner, looks }: Around,
  deps: ReadsBelowDeps,
): Promise<ReadsBelow> {
  const search = searchOf(part, inner);
  const ofWords = isNamesOnly(part) || part.inner !== undefined ? [] : part.words.slice(1);
  const ofFiles = part.files.flatMap(({ kind, word }) => (kind === "read" && word ? [word] : []));
  const globs = [...ofWords, ...ofFiles]
    .flatMap((word) => word.globs ?? [])
    .filter((glob) => !glob.startsWith("-"));
  if (search === undefined && globs.length === 0) return {};
  const { folders } = part;
  if (folders === undefined) return { hidesReads: "the folder that it runs in is known only at run time" };
  const mayBeFolder = (word: ShellWord): boolean =>
    word.value === undefined && !isGlob(word) && !/^[<>]\(/.test(word.text);
  const hidden = search && sources(part, search.lastIsTarget).find(mayBeFolder);
  if (hidden) return { hidesReads: `${hidden.text} is known only at run time` };
  const walk = createWalk(deps);
  const unsure = createWalk(deps);
  for (const glob of globs)
    for (const folder of folders) await (glob.includes(ANYTHING) ? unsure : walk).glob(folder, glob);
  const named = [...walk.found];
  if (search !== undefined) {
    const way = wayOf(part, search, { folders, looks });
    for (const start of [...way.starts, ...walk.folders]) await walk.below(start, way);
  }
  const below = [...walk.found].filter((path) => !named.includes(path));
  const isUnsure = search?.isUnsure === true;
  const cut = walk.cut() ?? unsure.cut();
  return {
    finds: isUnsure ? named : [...named, ...below],
    mayFind: [...unsure.found, ...(isUnsure ? below : [])],
    ...(cut === undefined ? {} : { hidesReads: cut }),
    ...(search && !search.readsHistory && cut === undefined ? { isSearched: true } : {}),
  };
}

function wayOf(
  part: ShellPart,
  {
    names = [],
    readsFolder,
    leavesHidden = false,
    isFlat = false,
    lastIsTarget,
    follows = false,
    starts,
  }: Search,
  { folders, looks }: { readonly folders: readonly string[]; readonly looks: Looks | undefined },
): Way {
  const given = { ...part, words: [...part.words.slice(0, 1), ...sources(part, lastIsTarget)] };
  const own = starts ?? (looks?.isDeep ? looks.files : undefined);
  return {
    starts: own
      ? own.flatMap((start) => folders.map((folder) => resolve(folder, start)))
      : [...namedPlaces(given).places, ...(readsFolder ? folders : [])],
    ...{ leavesHidden, isFlat },
    names,
    follows,
  };
}

/** What it reads from: its words, without the one that says where it writes. */
function sources({ words }: ShellPart, lastIsTarget = false): ShellPart["words"] {
  const rest = words.slice(1);
  if (!lastIsTarget || rest.some(({ value = "" }) => /^(?:-[A-Za-z]*t|--target)/.test(value))) return rest;
  return rest.filter(({ value = "" }) => !value.startsWith("-")).slice(0, -1);
}

/** A word that the shell replaces by the names of files, with nothing else in it that is known only at run time. */
function isGlob({ globs }: ShellWord): boolean {
  return globs !== undefined && !globs.some((glob) => glob.includes(ANYTHING));
}

/** Whether a command may get the names of files that its line hands on, and which of them rules name. */
type Spread = (part: ShellPart) => Promise<Pick<ReadsBelow, "mayFind" | "hidesReads">>;

/**
 * For the commands of one line: a variable in one of them may hold what a star came to elsewhere in it (`for f in .e*; do cat $f`). The
 * names are looked up once.
 */
export function createSpread(
  { parts, handedOn }: Pick<CommandReading, "parts" | "handedOn">,
  deps: ReadsBelowDeps,
): Spread {
  const lists = parts.flatMap((part) => {
    const list = isRead(part) ? listOf(part) : undefined;
    return list === undefined ? [] : [{ part, list }];
  });
  let found: ReturnType<Spread> | undefined;
  const lookUp = async (): ReturnType<Spread> => {
    const walk = createWalk(deps);
    for (const { text, globs, folders } of handedOn)
      for (const glob of globs) {
        if (folders === undefined && !isAbsolute(glob))
          return { hidesReads: `the folder in which ${text} is looked up is known only at run time` };
        for (const folder of folders ?? [sep]) await walk.glob(folder, glob);
      }
    for (const { part, list } of lists) {
      if (part.folders === undefined)
        return { hidesReads: `the folder in which "${brief(part.text)}" looks is known only at run time` };
      const way = wayOf(part, list, { folders: part.folders, looks: undefined });
      for (const start of way.starts) await walk.below(start, way);
    }
    const cut = walk.cut();
    return {
      ...(walk.found.size === 0 ? {} : { mayFind: [...walk.found] }),
      ...(cut === undefined ? {} : { hidesReads: cut }),
    };
  };
  return async (part) => {
    if (handedOn.length + lists.length === 0 || !mayReadHandedOn(part)) return {};
    found ??= lookUp();
    return found;
  };
}

/** Whether what a command prints may be read by others of its line. */
function isRead({ isCaught, files }: ShellPart): boolean {
  return isCaught === true || files.some(({ kind }) => kind === "write");
}

function mayReadHandedOn(part: ShellPart): boolean {
  const isOpen = ({ text, value }: ShellWord): boolean => value === undefined && /[$`]/.test(text);
  if (part.files.some(({ kind, word }) => kind === "read" && word !== undefined && isOpen(word))) return true;
  return !isNamesOnly(part) && part.words.slice(1).some(isOpen);
}

interface Place extends Omit<DirChild, "name"> {
  readonly path: string;
}

interface Walk {
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

function createWalk({ files, realPath, isRuled, isLoose = false }: ReadsBelowDeps): Walk {
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
    for (const each of all) await matches(resolve(literal(folder), each));
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

  async function below(start: string, { leavesHidden, isFlat, names, follows }: Way): Promise<void> {
    const open = [await realPath(start).catch(() => start)];
    const followed = new Set(open);
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { name, isDirectory, isSymlink } of await entries(folder)) {
        if (leavesHidden && name.startsWith(".")) continue;
        const path = join(folder, name);
        if (isDirectory) {
          if (name !== "node_modules" && !isFlat) open.push(path); // as for protected names, installed packages are not searched
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

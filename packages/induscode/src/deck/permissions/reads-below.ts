// What a command would read, or change, below the folders that it is given: a recursive search, a copy, an archive, what find and xargs
// pass on, and what the shell expands a star to. Looked up only where a rule may apply, and nothing else keeps the command from it.

import { isAbsolute, resolve, sep } from "node:path";
import { brief } from "indusagi/core";
import type { CommandReading, Looks, ShellPart, ShellWord } from "../shell/contract.ts";
import { ANYTHING } from "../shell/expand-word.ts";
import { programName } from "../shell/wrappers.ts";
import { createWalk, type WalkDeps, type Way } from "./folder-walk.ts";
import { namedPlaces } from "./named-places.ts";
import {
  changedWords,
  changesOf,
  goesBelow,
  isNamesOnly,
  listOf,
  type Search,
  searchOf,
} from "./searching-programs.ts";
import type { TrackedFiles } from "./tracked-files.ts";

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

/** The same for files that it changes. */
export interface ChangesBelow {
  readonly changes?: readonly string[];
  readonly mayChange?: readonly string[];
  readonly hidesWrites?: string;
}

/** What is known of a command besides its own words. */
export interface Around {
  /** Where the line begins. */
  readonly cwd: string;
  /** The commands that it runs. */
  readonly inner: readonly ShellPart[];
  /** What prints the lines that it gets from its pipe, if that is known. */
  readonly source?: ShellPart | undefined;
  /** What it was found to look at. */
  readonly looks: Looks | undefined;
  /** What the stars come to that its line hands on in variables. */
  readonly spread: Spread;
  readonly tracked: TrackedFiles;
}

/** What one command of a line would read. */
export async function readsBelow(part: ShellPart, around: Around, deps: WalkDeps): Promise<ReadsBelow> {
  const search = searchOf(part, around.inner);
  return foundBelow(part, { ...around, search, words: readWords(part), kind: "read" }, deps);
}

/** What it would change. */
export async function changesBelow(part: ShellPart, around: Around, deps: WalkDeps): Promise<ChangesBelow> {
  const search = changesOf(part, around.inner);
  const use = { ...around, search, words: changedWords(part), kind: "write" } as const;
  const { finds, mayFind, hidesReads } = await foundBelow(part, use, deps);
  return {
    ...(finds ? { changes: finds } : {}),
    ...(mayFind ? { mayChange: mayFind } : {}),
    ...(hidesReads === undefined ? {} : { hidesWrites: hidesReads }),
  };
}

interface Use extends Around {
  readonly kind: "read" | "write";
  readonly search: Search | undefined;
  /** Those that name what it reads, or writes. */
  readonly words: readonly ShellWord[];
}

const RUNS_SCRIPTS = /^(?:\.|source|(?:ba|da|a|k|z)?sh)$/;

async function foundBelow(part: ShellPart, use: Use, deps: WalkDeps): Promise<ReadsBelow> {
  // The words of what it runs count there; those after a script are the script's.
  const isOwn = part.inner === undefined || RUNS_SCRIPTS.test(programName(part.words[0]?.value) ?? "");
  const files = part.files.flatMap(({ kind, word }) => (kind === use.kind && word ? [word] : []));
  const [own, handed, tracked] = await Promise.all([
    foundOwn(part, { ...use, words: [...(isOwn ? use.words : []), ...files] }, deps),
    use.spread([...use.words, ...files], use.search !== undefined),
    use.tracked.usedBy(part, use.kind),
  ]);
  const mayFind = [
    ...new Set([...(own.mayFind ?? []), ...(handed.mayFind ?? []), ...(tracked?.files ?? [])]),
  ];
  return { ...(tracked?.hidden ? { hidesReads: tracked.hidden } : {}), ...handed, ...own, mayFind };
}

/** What its own words stand for. */
async function foundOwn(part: ShellPart, use: Use, deps: WalkDeps): Promise<ReadsBelow> {
  const isHandedOn = use.search !== undefined && use.source !== undefined && isXargs(part);
  const tracked = isHandedOn && use.source && (await use.tracked.usedBy(use.source, "list"));
  if (tracked) return { mayFind: tracked.files, ...(tracked.hidden ? { hidesReads: tracked.hidden } : {}) };
  const { search, from, words } = listed(part, use);
  const globs = words.flatMap((word) => word.globs ?? []).filter((glob) => !glob.startsWith("-"));
  if (search === undefined && globs.length === 0) return {};
  const isNamed = search === undefined && !globs.some(hasStar);
  const { folders = use.kind === "write" || isNamed ? [use.cwd] : undefined } = from;
  if (folders === undefined) return { hidesReads: "the folder that it runs in is known only at run time" };
  const mayBeFolder = (word: ShellWord): boolean =>
    word.value === undefined && !isGlob(word) && !/^[<>]\(/.test(word.text);
  const hidden = search && use.kind === "read" && sources(from, search.lastIsTarget).find(mayBeFolder);
  if (hidden) return { hidesReads: `${hidden.text} is known only at run time` };
  const walk = createWalk(deps);
  const unsure = createWalk(deps);
  for (const glob of globs)
    for (const folder of folders) await (glob.includes(ANYTHING) ? unsure : walk).glob(folder, glob);
  const named = [...walk.found];
  if (search !== undefined) {
    const way = {
      ...wayOf(from, search, { folders, looks: use.looks }),
      leavesPackages: use.kind === "write",
    };
    for (const start of [...way.starts, ...walk.folders]) await walk.below(start, way);
  }
  const left = search?.leavesTracked ? await Promise.all(folders.map((each) => use.tracked.all(each))) : [];
  const below = [...walk.found].filter(
    (path) => !named.includes(path) && !left.some((each) => each.has(path)),
  );
  const isUnsure = search?.isUnsure === true;
  const cut = walk.cut() ?? unsure.cut();
  return {
    finds: isUnsure ? named : [...named, ...below],
    mayFind: [...unsure.found, ...(isUnsure ? below : [])],
    ...(cut === undefined ? {} : { hidesReads: cut }),
    ...(search && !search.readsHistory && cut === undefined ? { isSearched: true } : {}),
  };
}

/** Whether it is `xargs`, and hands on each name that it gets as it is. */
function isXargs({ words: [program, ...rest] }: ShellPart): boolean {
  if (programName(program?.value) !== "xargs") return false;
  const values = rest.map(({ text, value = text }) => value);
  if (values.some((value) => /^(?:-[0rtxp]*a|--arg-file)/.test(value))) return false;
  const at = values.findIndex((value) => REPLACES.test(value));
  if (at < 0) return true;
  const [, given = ""] = REPLACES.exec(values[at] ?? "") ?? [];
  const mark = given || (values[at]?.endsWith("I") ? (values[at + 1] ?? "") : "{}");
  return values.slice(at + 1).every((value) => value === mark || !value.includes(mark));
}

const REPLACES = /^(?:-[0rtxp]*[iI]|--replace=?)(.*)$/;

/** What `xargs` hands on is what its source lists, if that is known. */
function listed(
  part: ShellPart,
  { source, search, words, inner }: Use,
): { readonly from: ShellPart; readonly search: Search | undefined; readonly words: readonly ShellWord[] } {
  const list = search && source && !goesBelow(inner) && isXargs(part) ? listOf(source) : undefined;
  if (source === undefined || list === undefined) return { from: part, search, words };
  return { from: source, search: { ...list, isUnsure: true }, words: source.words.slice(1) };
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
    leavesPackages: false,
  };
}

/** What it reads from: its words, without the one that says where it writes. */
function sources({ words }: ShellPart, lastIsTarget = false): ShellPart["words"] {
  const rest = words.slice(1);
  if (!lastIsTarget || rest.some(({ value = "" }) => /^(?:-[A-Za-z]*t|--target)/.test(value))) return rest;
  return rest.filter(({ value = "" }) => !value.startsWith("-")).slice(0, -1);
}

/** Not only something that is known at the run. */
function hasStar(glob: string): boolean {
  return /[*?[]/.test(glob);
}

/** A word that the shell replaces by the names of files, with nothing else in it that is known only at run time. */
function isGlob({ globs }: ShellWord): boolean {
  return globs !== undefined && !globs.some((glob) => glob.includes(ANYTHING));
}

/** Whether one of these words may be the name of a file that its line hands on, and which of them rules name. */
type Spread = (
  words: readonly ShellWord[],
  isDeep: boolean,
) => Promise<Pick<ReadsBelow, "mayFind" | "hidesReads">>;

/**
 * For the commands of one line: a variable in one of them may hold what a star came to elsewhere in it (`for f in .e*; do cat $f`). The
 * names are looked up once.
 */
export function createSpread(
  { parts, handedOn }: Pick<CommandReading, "parts" | "handedOn">,
  tracked: TrackedFiles,
  deps: WalkDeps,
): Spread {
  const lists = parts.flatMap((part) => {
    const list = isRead(part) ? listOf(part) : undefined;
    return list === undefined ? [] : [{ part, list }];
  });
  const found = new Map<boolean, ReturnType<Spread>>();
  const lookUp = async (isDeep: boolean): ReturnType<Spread> => {
    const walk = createWalk(deps);
    for (const { text, globs, folders } of handedOn)
      for (const glob of globs) {
        if (folders === undefined && !isAbsolute(glob) && !hasStar(glob)) continue;
        if (folders === undefined && !isAbsolute(glob))
          return { hidesReads: `the folder in which ${text} is looked up is known only at run time` };
        for (const folder of folders ?? [sep]) await walk.glob(folder, glob);
      }
    for (const { part, list } of lists) {
      if (part.folders === undefined)
        return { hidesReads: `the folder in which "${brief(part.text)}" looks is known only at run time` };
      const way = wayOf(part, list, { folders: part.folders, looks: undefined });
      for (const start of way.starts)
        await walk.below(start, { ...way, isFlat: way.isFlat === true && !isDeep });
    }
    for (const folder of isDeep ? walk.folders : []) await walk.below(folder, ALL);
    const byGit = await Promise.all(parts.filter(isRead).map((part) => tracked.usedBy(part, "list")));
    const cut = walk.cut() ?? byGit.find((each) => each?.hidden)?.hidden;
    return {
      mayFind: [...walk.found, ...byGit.flatMap((each) => each?.files ?? [])],
      ...(cut === undefined ? {} : { hidesReads: cut }),
    };
  };
  return async (words, mayGoBelow) => {
    if (!words.some(isOpen)) return {};
    const isDeep = mayGoBelow && words.some(isVariable);
    const looked = found.get(isDeep) ?? lookUp(isDeep);
    found.set(isDeep, looked);
    return looked;
  };
}

const ALL: Way = { starts: [], leavesHidden: false, follows: false, leavesPackages: true, names: [] };

/** Whether what a command prints may be read by others of its line. */
function isRead({ isCaught, files }: ShellPart): boolean {
  return isCaught === true || files.some(({ kind }) => kind === "write");
}

/** Those that name what a command reads. */
function readWords(part: ShellPart): readonly ShellWord[] {
  return isNamesOnly(part) ? [] : part.words.slice(1);
}

/** It is nothing but the value of a variable. */
const isVariable = ({ text }: ShellWord): boolean => /^"?\$\{?\w+\}?"?$/.test(text);

/** It may hold what a variable or a substitution came to. */
const isOpen = ({ text, value }: ShellWord): boolean => value === undefined && /[$`]/.test(text);

// Programs that read below the folders that they are given, or only the names of files: one row each.

import type { ShellPart } from "../shell/contract.ts";
import { leadingOptions } from "../shell/options.ts";
import { programName } from "../shell/wrappers.ts";
import { writesNamed } from "./named-places.ts";

/** How a command reads below folders. */
export interface Search {
  /** Words that are the folders; absent: every word that may name one. */
  readonly starts?: readonly string[];
  /** The folder that it runs in as well. */
  readonly readsFolder?: boolean;
  /** The last word is where it writes. */
  readonly lastIsTarget?: boolean;
  /** It goes where links to folders lead. */
  readonly follows?: boolean;
  /** It reads what lies in them, and no further. */
  readonly isFlat?: boolean;
  /** It reads no hidden files. */
  readonly leavesHidden?: boolean;
  /** It reads only files with such names. */
  readonly names?: readonly string[];
  /** It skips files by rules that are not known here. */
  readonly isUnsure?: boolean;
  /** It leaves the files that git knows. */
  readonly leavesTracked?: boolean;
  /** It may read what is not a file now. */
  readonly readsHistory?: boolean;
}

interface Row extends Omit<Search, "leavesHidden" | "names" | "starts"> {
  /** It reads below folders with one of these letters after a dash, or names after two; absent: always. */
  readonly short?: string;
  readonly long?: string;
  /** Also without the dash, as the first word. */
  readonly bundles?: boolean;
  /** A subcommand that must be there. */
  readonly word?: string;
  /** It reads hidden files with one of these only. */
  readonly hidden?: Options;
}

const GREP: Row = { short: "rRd", long: "recursive dereference-recursive directories", readsFolder: true };
const UNSURE: Row = { readsFolder: true, isUnsure: true };

const ROWS: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(["grep", "egrep", "fgrep"].map((name) => [name, GREP])),
  rgrep: { readsFolder: true },
  rg: { ...UNSURE, hidden: { short: ".u", long: "hidden unrestricted" } },
  ...Object.fromEntries(["ag", "ack", "ug", "ugrep"].map((name) => [name, UNSURE])),
  ...Object.fromEntries(
    ["fd", "fdfind"].map((name) => [name, { ...UNSURE, short: "xX", long: "exec exec-batch" }]),
  ),
  git: { ...UNSURE, word: "grep", readsHistory: true },
  cp: { short: "rRa", long: "recursive archive", lastIsTarget: true },
  scp: { short: "r", lastIsTarget: true },
  mv: { lastIsTarget: true },
  rsync: { lastIsTarget: true },
  tar: { short: "cru", long: "create append update catenate", bundles: true },
  bsdtar: { short: "cru", long: "create append update", bundles: true },
  zip: { short: "r", long: "recurse-paths" },
  "7z": { word: "a" },
  diff: { follows: true }, // without -r it still compares the files that two folders hold
};

/** Programs that say something about files by their names, or change them, and show nothing of what is in them. */
const NAMES_ONLY: ReadonlySet<string> = new Set(
  "[ basename cd chgrp chmod chown dirname du echo false ls mkdir printf pwd readlink realpath rm rmdir stat test touch tree true".split(
    " ",
  ),
);

export function isNamesOnly({ words }: Pick<ShellPart, "words">): boolean {
  return words.length === 0 || NAMES_ONLY.has(programName(words[0]?.value) ?? "");
}

/** Programs that print the names of files, with hidden ones, and of those further below, only with such an option. */
const LISTS: Readonly<
  Record<
    string,
    {
      readonly hidden?: Options;
      readonly deep?: Options;
      /** Its first word is what it looks for. */
      readonly seeks?: boolean;
    }
  >
> = {
  ...Object.fromEntries(
    ["ls", "dir", "vdir"].map((name) => [
      name,
      { hidden: { short: "aAf", long: "all almost-all" }, deep: { short: "R", long: "recursive" } },
    ]),
  ),
  tree: { hidden: { short: "a" } },
  ...Object.fromEntries(
    ["fd", "fdfind"].map((name) => [
      name,
      { hidden: { short: "Hu", long: "hidden unrestricted" }, seeks: true },
    ]),
  ),
  rg: { hidden: { short: ".u", long: "hidden unrestricted" }, seeks: true },
  ...Object.fromEntries(["grep", "egrep", "fgrep", "rgrep"].map((name) => [name, { seeks: true }])),
};

/** Which names a command prints; undefined for one that prints none, or only those that the shell gives it. */
export function listOf({ words: [program, ...rest] }: ShellPart): Search | undefined {
  const name = programName(program?.value) ?? "";
  const words = rest.map(({ value = "" }) => value);
  if (name === "find") return ofFind(words);
  const row = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
  if (row === undefined) return undefined;
  const folders = rest.filter(({ value = "", globs }) => globs === undefined && !value.startsWith("-"));
  const isGiven = rest.some(({ globs }) => globs !== undefined);
  const isOpen = folders.length < (row.seeks ? 2 : 1) && !isGiven;
  return {
    starts: isOpen ? ["."] : folders.map(({ value = "." }) => value),
    leavesHidden: row.hidden !== undefined && !hasOption(words, row.hidden),
    isFlat: row.deep !== undefined && !hasOption(words, row.deep),
  };
}

/** Undefined for a command that reads below no folder. */
export function searchOf(part: ShellPart, inner: readonly ShellPart[]): Search | undefined {
  const name = programName(part.words[0]?.value) ?? "";
  const words = part.words.slice(1).map(({ value = "" }) => value);
  // The first of them begins with its program: the others are what it runs.
  const handsOn = inner.some((each) => each.within === name && !isNamesOnly(each));
  const follows = hasOption(words, FOLLOWING);
  if (name === "find") return handsOn ? { ...ofFind(words, goesBelow(inner)), follows } : undefined;
  if (name === "xargs") return handsOn ? UNSURE : undefined;
  const row = Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
  if (row === undefined) return undefined;
  const { short, long, bundles, word, hidden, ...search } = row;
  if (word !== undefined && !words.includes(word)) return undefined;
  if (short !== undefined && !hasOption(words, { short, long, bundles })) return undefined;
  return { follows, ...search, leavesHidden: hidden !== undefined && !hasOption(words, hidden) };
}

const DEEP: Options = { short: "rR", long: "recursive" };

/** Programs that change what lies below the folders that they are given, with such an option or always. */
const CHANGES: Readonly<Record<string, Options | undefined>> = {
  ...Object.fromEntries(["rm", "chmod", "chgrp", "chown"].map((name) => [name, DEEP])),
  mv: undefined,
};

/** The same for a command that changes what lies below folders. */
export function changesOf(part: ShellPart, inner: readonly ShellPart[]): Search | undefined {
  const name = programName(part.words[0]?.value) ?? "";
  const words = part.words.slice(1).map(({ value = "" }) => value);
  const handsOn = inner.some((each) => each.within === name && writesNamed(each));
  if (name === "find")
    return handsOn || words.includes("-delete") ? ofFind(words, goesBelow(inner)) : undefined;
  if (name === "xargs") return handsOn ? UNSURE : undefined;
  if (name === "git") return ofClean(words);
  const option = CHANGES[name];
  if (!Object.hasOwn(CHANGES, name) || (option !== undefined && !hasOption(words, option))) return undefined;
  return { lastIsTarget: name === "mv" };
}

/** `git clean` removes what git does not know, but for what it ignores. */
function ofClean(words: readonly string[]): Search | undefined {
  const [verb, ...rest] = words.slice(leadingOptions(words));
  if (verb !== "clean" || !hasOption(rest, { short: "f", long: "force" })) return undefined;
  const given = rest.filter((word) => !word.startsWith("-"));
  const isAll = given.length === 0 || hasOption(rest, { short: "e", long: "exclude" });
  return { starts: isAll ? ["."] : given, leavesTracked: true, isUnsure: true };
}

/** Programs that write only what their last word names, or what they take from elsewhere. */
const LEAVES_MOST = /^(?:cp|scp|rsync|ln|install)$/;
const LEAVES_ALL = /^(?:(?:bsd)?tar|zip|dd|mkdir)$/;

/** The words that name what a command changes. */
export function changedWords(part: ShellPart): ShellPart["words"] {
  const name = programName(part.words[0]?.value) ?? "";
  if (!writesNamed(part) || LEAVES_ALL.test(name)) return [];
  return part.words.slice(LEAVES_MOST.test(name) ? -1 : 1);
}

/** Of any of these programs, by which it may go where links lead. */
const FOLLOWING: Options = { short: "RLhH", long: "copy-links dereference dereference-recursive follow" };

interface Options {
  readonly short: string;
  readonly long?: string | undefined;
  readonly bundles?: boolean | undefined;
}

/** Names may be shortened. A value that looks like an option counts as one. */
function hasOption(words: readonly string[], { short, long = "", bundles = false }: Options): boolean {
  const names = long.split(" ");
  return words.some((word, at) => {
    const given = /^--([^=]+)/.exec(word)?.[1];
    if (given !== undefined) return names.some((name) => name.startsWith(given));
    return (
      (/^-[^-]/.test(word) || (bundles && at === 0)) && [...word].some((letter) => short.includes(letter))
    );
  });
}

/** Tests that skip nothing that is read. */
const QUIET = /^-(?:type|print0?|delete|name|iname|exec|execdir|ok|okdir|P|H|L)$/;

/** Whether a command reads, or changes, more than the names that it gets. */
export function goesBelow(parts: readonly ShellPart[]): boolean {
  return parts.some((each) => (searchOf(each, []) ?? changesOf(each, [])) !== undefined);
}

/** Only plain tests by name are understood: they decide together. `isDeep`: what it runs goes below folders. */
function ofFind(words: readonly string[], isDeep = false): Search {
  const before = (end: RegExp): readonly string[] => {
    const at = words.findIndex((word) => end.test(word));
    return at < 0 ? words : words.slice(0, at);
  };
  const places = before(/^(?:-[^PHLDO]|[(!])/);
  const starts = places.filter((word) => !word.startsWith("-"));
  const tests = before(/^-(?:exec|execdir|ok|okdir)$/).slice(places.length);
  const isPlain = tests.every((word) => QUIET.test(word) || !/^(?:-|[(!,])/.test(word));
  const named = tests.flatMap((word, at) => (word === "-name" ? [tests[at + 1] ?? "*"] : []));
  const hasClass = named.some((name) => /[[\\]/.test(name));
  return {
    starts: starts.length === 0 ? ["."] : starts,
    names: isPlain && named.length === 1 && !hasClass && !isDeep ? named : [],
    isUnsure: isDeep || !isPlain || tests.includes("-iname") || named.length > 1 || hasClass,
  };
}

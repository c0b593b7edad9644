// What git can be asked without a question: to show, never to change, with every option listed. git follows the settings of its
// repository, which may run programs: those are checked as well (git-settings.ts).

import type { Looks, ShellWord } from "./contract.ts";
import { type OptionList, type ReadOptions, readOptions } from "./options.ts";

interface GitRow extends OptionList {
  /** Whether words are allowed after the options: `none`, revisions and paths, or as the function says. */
  readonly operands: "none" | "any" | ((operands: readonly string[], read: ReadOptions) => boolean);
  /** It shows what files contain or contained, without being given their names. */
  readonly isDeep?: (read: ReadOptions) => boolean;
  /** It reads the files that it is given as they are, also through linked folders. */
  readonly readsOperands?: boolean;
}

const SHOWN =
  "oneline graph all decorate no-decorate stat shortstat numstat name-only name-status summary patch no-patch no-merges merges first-parent " +
  "abbrev-commit follow reverse cached staged no-color minimal patience histogram ignore-all-space ignore-space-change ignore-blank-lines " +
  "no-ext-diff no-textconv topo-order date-order left-right cherry branches tags remotes root full-index raw check exit-code quiet " +
  "merge-base compact-summary no-renames full-history simplify-merges show-pulls boundary no-prefix";
const SHOWN_MAYBE =
  "decorate stat color word-diff abbrev color-words find-renames color-moved dirstat relative branches tags remotes";
const SHOWN_VALUED =
  "max-count since until after before author committer grep date diff-filter unified skip inter-hunk-context diff-algorithm word-diff-regex";
/** `%G` asks gpg, which a setting names. */
const FORMATS = "pretty format";

const PATCH = "p u c L U patch unified word-diff color-words word-diff-regex";
const SUMMARY =
  "s q stat shortstat numstat name-only name-status summary quiet no-patch compact-summary dirstat check raw";

const hasOneOf =
  (names: string) =>
  ({ options }: ReadOptions): boolean =>
    options.some(([name]) => names.split(" ").includes(name));

const showsPatch = hasOneOf(PATCH);
const summarises = hasOneOf(SUMMARY);
const always = (): boolean => true;

/** `HEAD:src/a.ts`, whose file is named. */
function isOfBlobs({ operands }: ReadOptions): boolean {
  return operands.length > 0 && operands.every(({ value = "" }) => /^[^:]*:[^!^(/]/.test(value));
}

const LOG: GitRow = {
  short: "pnsuzqwbRMCicEFra",
  shortValued: "SGULnl",
  digits: true,
  long: SHOWN,
  longMaybe: `${SHOWN_MAYBE} ${FORMATS}`,
  longValued: SHOWN_VALUED,
  operands: (_operands, { options }) =>
    options.every(([name, value = ""]) => !FORMATS.includes(name) || !value.includes("%G")),
  isDeep: showsPatch,
};
const SHOW: GitRow = {
  ...LOG,
  isDeep: (read) => showsPatch(read) || !(summarises(read) || isOfBlobs(read)),
};

const LISTS = { longMaybe: "sort format color merged no-merged contains no-contains points-at column" };

const ROWS: Readonly<Record<string, GitRow>> = {
  status: {
    short: "suvbz",
    long: "short branch long verbose show-stash ahead-behind no-ahead-behind no-renames null",
    longMaybe: "porcelain untracked-files ignored column",
    operands: "any",
  },
  log: LOG,
  show: SHOW,
  diff: SHOW,
  shortlog: {
    short: "sne",
    long: "summary numbered email all no-merges",
    longValued: "since until",
    operands: "any",
  },
  "rev-list": {
    long: "all count no-merges first-parent reverse left-right",
    longValued: "max-count since until",
    digits: true,
    shortValued: "n",
    operands: "any",
  },
  "rev-parse": {
    short: "q",
    long: "show-toplevel show-prefix show-cdup git-dir git-common-dir is-inside-work-tree is-bare-repository verify symbolic-full-name absolute-git-dir all branches tags",
    longMaybe: "abbrev-ref short",
    operands: "any",
  },
  "merge-base": { short: "a", long: "all is-ancestor octopus fork-point", operands: "any" },
  "ls-files": {
    short: "cdomsuktvz",
    long: "cached deleted others modified stage unmerged exclude-standard full-name directory error-unmatch eol",
    longValued: "exclude",
    operands: "any",
  },
  "ls-tree": { short: "drtlz", long: "name-only name-status long full-tree full-name", operands: "any" },
  "cat-file": { short: "ptse", operands: "any", isDeep: (read) => !isOfBlobs(read) },
  blame: {
    short: "wCMlstfncbeL",
    shortValued: "L",
    long: "porcelain line-porcelain show-email show-name root",
    longValued: "date since",
    operands: "any",
    readsOperands: true,
  },
  describe: {
    long: "tags always all long dirty exact-match first-parent",
    longMaybe: "abbrev",
    longValued: "match exclude candidates",
    operands: "any",
  },
  branch: { short: "avr", long: "list all verbose remotes show-current no-color", ...LISTS, operands: lists },
  tag: { short: "l", shortValued: "n", long: "list no-color", ...LISTS, operands: lists },
  remote: {
    short: "v",
    long: "verbose",
    operands: (words) => words.length === 0 || (words[0] === "get-url" && words.length === 2),
  },
  stash: {
    short: "p",
    long: "stat",
    operands: ([verb, ...rest]) =>
      (verb === "list" && rest.length === 0) || (verb === "show" && rest.length <= 1),
    isDeep: showsPatch,
  },
  reflog: {
    short: "n",
    digits: true,
    longValued: "date",
    operands: ([verb, ...rest]) => verb === undefined || (verb === "show" && rest.length <= 1),
  },
  "show-ref": { short: "hdsq", long: "heads tags head dereference quiet", operands: "any" },
  "name-rev": { long: "name-only tags always", operands: "any" },
  "count-objects": { short: "vH", long: "verbose human-readable", operands: "none" },
  "check-ignore": { short: "vnq", long: "verbose non-matching quiet no-index", operands: "any" },
  worktree: { long: "porcelain", operands: (words) => words.length === 1 && words[0] === "list" },
  grep: {
    short: "iIwvnlLcFEPpqheao",
    shortValued: "eABC",
    long: "ignore-case word-regexp line-number files-with-matches count fixed-strings extended-regexp perl-regexp cached untracked heading break show-function quiet",
    longMaybe: "color",
    longValued: "max-depth max-count",
    operands: "any",
    isDeep: always,
  },
  version: { operands: "none" },
};

/** Operands need `--list`: a name alone would be created. */
function lists(operands: readonly string[], { options }: ReadOptions): boolean {
  return operands.length === 0 || options.some(([name]) => name === "list" || name === "l");
}

/** What `git` with these words looks at; undefined if it may do more than look. */
export function harmlessGit(words: readonly ShellWord[]): Looks | undefined {
  if (words.length === 1 && words[0]?.value === "--version") return { files: [] };
  const at = words.findIndex(
    ({ value }) => value !== "--no-pager" && value !== "-P" && value !== "--no-optional-locks",
  );
  const name = words[at]?.value;
  const row = name !== undefined && Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
  const read = row && readOptions(words.slice(at + 1), row);
  if (!row || !read) return undefined;
  const operands = read.operands.map(({ value }) => value);
  if (operands.includes(undefined)) return undefined;
  const known = operands as readonly string[];
  const fits =
    row.operands === "none" ? known.length === 0 : row.operands === "any" || row.operands(known, read);
  // Two paths, one of them outside, are compared as files from anywhere.
  if (!fits || known.some((word) => /^[/~]|(?:^|\/)\.\.(?:\/|$)|^:\//.test(word))) return undefined;
  const files = row.readsOperands ? [".", ...known] : ["."];
  return { files, isGit: true, isDeep: row.isDeep?.(read) ? true : undefined };
}

// Commands that only look: they pass without a question, in every mode, as long as what they look at is in the workspace. A row lists
// every allowed option; any other makes the command ask. What runs a program, writes a file, reaches the network, follows links or shows
// another process's environment has no row, and no option in one.

import { isHarmlessVariable } from "../../feature/variables.ts";
import type { Looks, ShellPart, ShellVariable, ShellWord } from "./contract.ts";
import { harmlessGit } from "./harmless-git.ts";
import { type OptionList, type ReadOptions, readOptions } from "./options.ts";

interface Row extends OptionList {
  /**
   * The meaning of the words after the options. `files`: all are read; `pattern`: the first is a text, the others are read; `text`: none
   * is read, but a path is looked at; `none`: none are allowed.
   */
  readonly operands: "files" | "pattern" | "text" | "none";
  readonly most?: number;
  /** Even without operands. */
  readonly readsFolder?: boolean;
  readonly isDeep?: boolean | ((read: ReadOptions) => boolean);
  /** Only with files: of a folder it shows more than lies in it. */
  readonly needsFiles?: boolean;
  /** Matched by each word after the options, or with `pattern` by the first. */
  readonly form?: RegExp;
  readonly allows?: (read: ReadOptions) => boolean;
}

const hasOption =
  (...names: readonly string[]) =>
  (read: ReadOptions): boolean =>
    read.options.some(([name]) => names.includes(name));

const GREP: Row = {
  short: "EFGPchHilLnoqrsvwxzabI",
  shortValued: "eABCm",
  long:
    "extended-regexp fixed-strings basic-regexp perl-regexp count with-filename no-filename ignore-case files-with-matches " +
    "files-without-match line-number only-matching quiet silent recursive no-messages invert-match word-regexp line-regexp null text",
  longValued:
    "regexp after-context before-context context max-count include exclude exclude-dir label binary-files",
  longMaybe: "color colour",
  operands: "pattern",
  isDeep: hasOption("r", "recursive"),
};

const SUMS: Row = { short: "btz", long: "binary text", operands: "files" };
/** `short`: the letter that prints its version; for python, `-v` runs what it reads, with verbose output. */
const version = (short: string): Row => ({
  operands: "none",
  long: "version",
  short,
  allows: ({ options }) => options.length === 1,
});

const FIND =
  "name iname path ipath wholename iwholename regex iregex type xtype size mtime mmin atime amin ctime cmin newer maxdepth mindepth " +
  "user group perm links regextype printf";

const ROWS: Readonly<Record<string, Row>> = {
  ls: {
    short: "aAlhrtRSsd1FpiGgnokmxCcuUvXZBbfNqQ",
    shortValued: "IwT",
    long: "all almost-all human-readable reverse recursive size directory inode group-directories-first full-time si numeric-uid-gid no-group",
    longMaybe: "color classify",
    longValued: "sort time format time-style ignore hide block-size width",
    operands: "files",
    readsFolder: true,
  },
  cat: { short: "AbeEnstTuv", long: "number show-all squeeze-blank show-ends show-tabs", operands: "files" },
  head: {
    short: "qvz",
    shortValued: "nc",
    long: "quiet verbose",
    longValued: "lines bytes",
    digits: true,
    operands: "files",
  },
  tail: {
    short: "qvz",
    shortValued: "nc",
    long: "quiet verbose",
    longValued: "lines bytes",
    digits: true,
    operands: "files",
  },
  wc: { short: "lwcmL", long: "lines words bytes chars max-line-length", operands: "files" },
  tac: { operands: "files" },
  rev: { operands: "files" },
  nl: { shortValued: "bnsvw", operands: "files" },
  cut: {
    short: "s",
    shortValued: "dfbc",
    long: "complement only-delimited",
    longValued: "delimiter fields output-delimiter characters bytes",
    operands: "files",
  },
  sort: {
    short: "bdfghinrsuVzcCM",
    shortValued: "kt",
    long: "reverse numeric-sort unique ignore-case version-sort human-numeric-sort general-numeric-sort stable check month-sort",
    longValued: "key field-separator",
    operands: "files",
  },
  uniq: {
    short: "cdiuDz",
    shortValued: "fsw",
    long: "count repeated unique ignore-case",
    operands: "files",
    most: 1,
  },
  tr: { short: "cCdst", long: "delete squeeze-repeats complement", operands: "text", most: 2 },
  column: { short: "t", shortValued: "s", operands: "files" },
  paste: { short: "sz", shortValued: "d", operands: "files" },
  fold: { short: "bs", shortValued: "w", operands: "files" },
  diff: {
    short: "uNqwbBiyEaZsd",
    shortValued: "U",
    long: "brief side-by-side ignore-all-space ignore-space-change ignore-blank-lines ignore-case minimal text report-identical-files",
    longValued: "label width",
    longMaybe: "unified color",
    operands: "files",
    most: 2,
    needsFiles: true,
  },
  cmp: { short: "sbl", shortValued: "n", operands: "files", most: 2 },
  comm: { short: "123i", operands: "files", most: 2 },
  stat: { short: "ft", shortValued: "c", longValued: "format printf", operands: "files" },
  file: { short: "bi", long: "brief mime mime-type", operands: "files" },
  du: {
    short: "shackmxb",
    shortValued: "d",
    long: "human-readable summarize all apparent-size total",
    longValued: "max-depth exclude",
    operands: "files",
    readsFolder: true,
  },
  df: { short: "hHTikm", long: "human-readable", operands: "files" },
  tree: {
    short: "adfhpCgusDFin",
    shortValued: "LIP",
    long: "noreport dirsfirst gitignore prune du",
    digits: true,
    operands: "files",
    readsFolder: true,
  },
  realpath: { short: "emsqz", long: "canonicalize-missing", operands: "files" },
  readlink: { short: "femnqsvz", long: "canonicalize", operands: "files" },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha256sum: SUMS,
  sha512sum: SUMS,
  cksum: { operands: "files" },
  od: { short: "cbdovx", shortValued: "AtNjw", operands: "files" },
  hexdump: { short: "Cbcdovx", shortValued: "ns", operands: "files" },
  strings: { short: "a", shortValued: "n", operands: "files" },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    short: "iSsnNlcoFwxvuhHpq0bUaV.",
    shortValued: "egtTABCmMjEr",
    long:
      "ignore-case smart-case case-sensitive line-number no-line-number files-with-matches files-without-match count count-matches " +
      "only-matching fixed-strings word-regexp line-regexp invert-match unrestricted no-filename with-filename pretty quiet " +
      "hidden no-ignore no-ignore-vcs no-heading heading multiline multiline-dotall pcre2 files type-list json vimgrep column trim null " +
      "stats text no-messages version",
    longValued:
      "regexp glob iglob type type-not after-context before-context context max-count max-columns max-depth threads " +
      "encoding replace sort sortr color colors max-filesize",
    operands: "pattern",
    readsFolder: true,
    isDeep: true,
  },
  sed: {
    short: "nErs",
    long: "quiet silent regexp-extended",
    operands: "pattern",
    // Prints or deletes lines, or replaces: no command that runs (e), reads (r) or writes (w).
    form: /^(?:(?:\d+|\$)?(?:,(?:\d+|\$|\+\d+))?[pdq=]|s([/|#,:])(?:(?!\1|\\|\n).)*\1(?:(?!\1|\\|\n).)*\1[gIip0-9]*)$/,
  },
  awk: {
    shortValued: "F",
    operands: "pattern",
    form: /^(?:NR ?[=<>]=? ?\d+ ?)?\{ ?print(?: ?\$(?:\d+|NF)(?:, ?\$(?:\d+|NF))*)? ?\}$/,
  },
  jq: {
    short: "rcSMCnesaj",
    long: "raw-output compact-output sort-keys monochrome-output color-output null-input exit-status slurp tab",
    operands: "pattern",
    // No `env`, no `input_filename`, no modules.
    form: /^(?:\.|(?:(?!\b(?:env|inputs?|include|import|debug|stderr|getpath|input_\w+|\$__\w+|limit|repeat|range|while|until|recurse)\b)[\w\s.[\]"'|,:()?*+<>=!-])*)$/,
  },
  pwd: { short: "LP", operands: "none" },
  false: { operands: "none" },
  exit: { operands: "text", form: /^\d{1,3}$/, most: 1 },
  sleep: { operands: "text", form: /^(?:\d|[1-5]\d)(?:\.\d+)?s?$/, most: 1 },
  seq: { operands: "text", form: /^-?\d{1,5}$/, most: 3 },
  basename: { short: "a", shortValued: "s", operands: "text" },
  dirname: { operands: "text" },
  date: {
    short: "uR",
    longMaybe: "iso-8601 rfc-3339",
    shortValued: "d",
    long: "utc",
    longValued: "date",
    operands: "text",
    form: /^\+/,
    most: 1,
  },
  uname: { short: "asnrvmpio", long: "all", operands: "none" },
  arch: { operands: "none" },
  nproc: { long: "all", operands: "none" },
  hostname: { operands: "none" },
  uptime: { short: "ps", operands: "none" },
  free: { short: "hmgk", operands: "none" },
  which: { short: "a", operands: "text", form: /^[\w.+-]+$/ },
  type: { short: "at", operands: "text", form: /^[\w.+-]+$/ },
  ps: { short: "efFA", operands: "text", form: /^a?u?x?$/, most: 1 },
  java: { operands: "none", oneDash: true, long: "version", allows: ({ options }) => options.length === 1 },
  set: {
    short: "eux",
    shortValued: "o",
    operands: "none",
    allows: ({ options }) => options.length > 0 && options.every(isShellOption),
  },
  // Their own version. For npm-like tools and compilers, a file of the project can choose the program that answers: no row.
  ...Object.fromEntries(
    ["node", "npm", "perl", "gcc", "g++", "clang", "make"].map((name) => [name, version("v")]),
  ),
  ...Object.fromEntries(["python", "python3"].map((name) => [name, version("V")])),
  cmake: version(""),
};

function isShellOption([name, value]: readonly [string, string?]): boolean {
  return name !== "o" || value === "pipefail" || value === "errexit" || value === "nounset";
}

function isHarmless({ name, value }: ShellVariable): boolean {
  return value !== undefined && isHarmlessVariable("", name, value);
}

/** What a command looks at; undefined if it may do more than look. */
export function looksOf({ words, variables, unclear, inner }: ShellPart): Looks | undefined {
  if (unclear !== undefined || inner !== undefined || !variables.every(isHarmless)) return undefined;
  const [first, ...rest] = words;
  const program = first?.value?.replace(/^\/(?:usr\/)?bin\//, "");
  if (program === undefined) return undefined;
  if (program === "git") return harmlessGit(rest);
  if (program === "cd") return lookOfCd(rest);
  if (program === "find") return lookOfFind(rest);
  if (program === "command") return lookOfCommand(rest);
  if (program === "[" || program === "test") return lookOfTest(rest);
  if (program === "[[") return lookOfBashTest(rest);
  if (program === "echo" || program === "printf" || program === "true" || program === ":")
    return lookOfText(rest);
  const row = Object.hasOwn(ROWS, program) ? ROWS[program] : undefined;
  const read = row && readOptions(rest, row);
  return row && read && lookOf(row, read);
}

function lookOf(row: Row, read: ReadOptions): Looks | undefined {
  const { operands: kind, most = Number.POSITIVE_INFINITY, form, allows = () => true } = row;
  const operands = read.operands.map(({ value }) => value);
  if (operands.length > most || !allows(read) || operands.includes(undefined)) return undefined;
  const known = operands as readonly string[];
  const isDeep = typeof row.isDeep === "function" ? row.isDeep(read) : row.isDeep === true;
  const look = (files: readonly string[]): Looks => ({
    files: files.length === 0 && (row.readsFolder || isDeep) ? ["."] : files,
    isDeep: isDeep || undefined,
    needsFiles: row.needsFiles ? true : undefined,
  });
  if (kind === "none") return known.length === 0 ? look([]) : undefined;
  if (kind === "files") return look(known.filter((each) => each !== "-"));
  if (kind === "text")
    return form && !known.every((each) => form.test(each)) ? undefined : look(known.filter(isPath));
  const isGiven = hasOption("e", "regexp", "files", "type-list", "version")(read);
  if (form && (isGiven || known[0] === undefined || !form.test(known[0]))) return undefined;
  return look((isGiven ? known : known.slice(1)).filter((each) => each !== "-"));
}

/** A word that looks like a path also reveals whether something exists there. */
function isPath(word: string): boolean {
  return /^(?:\/|~)|(?:^|\/)\.\.(?:\/|$)/.test(word);
}

/** The shell prints its words itself; any unknown value in them is decided where it comes from. */
function lookOfText(words: readonly ShellWord[]): Looks | undefined {
  if (words[0]?.value === "-v") return undefined; // printf -v sets a variable
  const isShown = ({ text, value }: ShellWord): boolean =>
    value !== undefined || /^"[^"]*"$/.test(text) || !/[*?[]|^~/.test(text.replace(/\$\?/g, ""));
  return words.every(isShown) ? { files: [] } : undefined;
}

function lookOfCd(words: readonly ShellWord[]): Looks | undefined {
  const folder = words[0]?.value;
  return words.length === 1 && folder !== undefined && !/^-/.test(folder) && folder !== ""
    ? { files: [folder] }
    : undefined;
}

function lookOfCommand(words: readonly ShellWord[]): Looks | undefined {
  const [option, name, ...more] = words.map(({ value }) => value);
  const asks = (option === "-v" || option === "-V") && name !== undefined && more.length === 0;
  return asks && /^[\w.+-]+$/.test(name) ? { files: [] } : undefined;
}

/** Operators that look at the files that they are given. */
const ON_FILES = /^-(?:[a-hkprsuwxGLNOS]|ef|nt|ot)$/;

/** With such an operator every word may be its file; without one, words are compared. */
function lookOfTest(words: readonly ShellWord[]): Looks | undefined {
  const isOnFiles = words.some(({ value = "" }) => ON_FILES.test(value));
  const files = words.flatMap(({ text, value }) => {
    if (value === undefined) return !isOnFiles && /^"\$[\w{}?#]+"$/.test(text) ? [] : [".."];
    return isPath(value) || (isOnFiles && value !== "") ? [value] : [];
  });
  return { files };
}

/** `[[ ]]` only opens what its operators are given. */
function lookOfBashTest(words: readonly ShellWord[]): Looks {
  const files = words.flatMap(({ value = ".." }, at) => {
    const [before = "", after = ""] = [words[at - 1]?.value, words[at + 1]?.value];
    return value !== "" && (ON_FILES.test(before) || /^-(?:ef|nt|ot)$/.test(after)) ? [value] : [];
  });
  return { files };
}

/** Every word must be a test or an action that prints. */
function lookOfFind(words: readonly ShellWord[]): Looks | undefined {
  const values = words.map(({ value }) => value);
  if (values.includes(undefined)) return undefined;
  const known = values as readonly string[];
  const start = known.findIndex((word) => /^[-(!]/.test(word));
  const files = start < 0 ? known : known.slice(0, start);
  const valued = new Set(FIND.split(" ").map((name) => `-${name}`));
  const plain = new Set([
    "-print",
    "-print0",
    "-ls",
    "-empty",
    "-prune",
    "-o",
    "-a",
    "-not",
    "!",
    "(",
    ")",
    "-or",
    "-and",
    "-mount",
    "-xdev",
    "-depth",
    "-true",
    "-false",
    "-quit",
  ]);
  for (let at = files.length; at < known.length; at++) {
    const word = known[at] as string;
    if (valued.has(word)) at++;
    else if (!plain.has(word)) return undefined;
  }
  const newer = known.flatMap((word, at) => (word === "-newer" ? [known[at + 1] ?? "."] : []));
  return { files: [...(files.length === 0 ? ["."] : files), ...newer] };
}

// The rules of one ignore file, as git interprets them (gitignore(5), wildmatch.c). Matching takes at most the product of the
// lengths: a repository's files are not trusted, and as regular expressions a few `**/` would take for ever.

import { charactersOf, matchSequence } from "../../core/wildcard.ts";

export interface IgnoreRule {
  /** A rule that starts with `!`: what it matches is not ignored after all. */
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  /** Path segments below the ignore file's folder; undefined for a rule that matches a name at any depth. */
  readonly path: readonly PathStep[] | undefined;
  readonly name: NameMatcher;
}

export interface IgnoreRules {
  readonly rules: readonly IgnoreRule[];
  /** True if ripgrep interprets every rule as git does: no brace, no odd bracket, no `***`, no trailing tab. */
  readonly isPlain: boolean;
}

type NameMatcher = (name: string) => boolean;

/** A matcher for one name, or any number of names. */
type PathStep = NameMatcher | typeof ANY_FOLDERS;

const ANY_FOLDERS = "**";

const MAX_RULE_CHARS = 4_096; // no path is longer, so no sensible rule is

export function parseIgnoreRules(text: string): IgnoreRules {
  const parsed = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .map(parseLine);
  return {
    rules: parsed.flatMap(({ rule }) => (rule === undefined ? [] : [rule])),
    isPlain: parsed.every(({ isPlain }) => isPlain),
  };
}

/** An entry as seen by the rules of one ignore file. */
interface RuleSubject {
  readonly name: string;
  readonly isDirectory: boolean;
  /** The names of the folders that lead to it; those from index `depth` on are below the ignore file's folder. */
  readonly folders: readonly string[];
  readonly depth: number;
}

/** The verdict of the last rule that matches an entry, or undefined if none does. */
export function ruleVerdict(
  rules: readonly IgnoreRule[],
  { name, isDirectory, folders, depth }: RuleSubject,
): "ignored" | "kept" | undefined {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at];
    if (rule === undefined || (rule.isFolderOnly && !isDirectory) || !rule.name(name)) continue;
    if (rule.path === undefined || matchesPath(rule.path, [...folders.slice(depth), name]))
      return rule.isNegated ? "kept" : "ignored";
  }
  return undefined;
}

function matchesPath(steps: readonly PathStep[], names: readonly string[]): boolean {
  return matchSequence(steps, names, ANY_FOLDERS, (step, name) => step !== ANY_FOLDERS && step(name));
}

interface ParsedLine {
  /** Undefined for a comment, an empty line, and a pattern with which git matches nothing. */
  readonly rule?: IgnoreRule;
  readonly isPlain: boolean;
}

function parseLine(line: string): ParsedLine {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (whole.startsWith("#")) return { isPlain: true };
  // Trailing spaces are dropped unless escaped by a backslash; ripgrep treats any kind of whitespace this way.
  const text = /^(?:\\.|\\$|[^\\ ]| +(?=[^ ]))*/s.exec(whole)?.[0] ?? "";
  const isOddLine = /\\ |\s$|[\0-\x08\x0b-\x1f\ufffd]/.test(text);
  const isNegated = text.startsWith("!");
  const pattern = isNegated ? text.slice(1) : text;
  const isFolderOnly = pattern.endsWith("/");
  const body = isFolderOnly ? pattern.slice(0, -1) : pattern;
  if (body === "" || body === "/") return { isPlain: !isOddLine };
  if (body.length > MAX_RULE_CHARS) return { isPlain: false };

  const globs = parseGlobs(body.replace(/^\//, ""));
  if (globs === undefined) return { isPlain: false };
  const rule: IgnoreRule = {
    isNegated,
    isFolderOnly,
    path: body.includes("/") ? pathOf(globs) : undefined,
    name: globs.at(-1)?.name ?? (() => false),
  };
  return { rule, isPlain: !isOddLine && globs.every((glob) => glob.isPlain) };
}

/** At the end, `**` stands for one or more names. */
function pathOf(globs: readonly Glob[]): readonly PathStep[] {
  const steps = globs.map(({ step }) => step);
  return steps.at(-1) === ANY_FOLDERS ? [...steps.slice(0, -1), () => true, ANY_FOLDERS] : steps;
}

/** The part between two slashes. */
interface Glob {
  readonly name: NameMatcher;
  readonly step: PathStep;
  readonly isPlain: boolean;
}

type Token = string | RegExp | typeof ANY_CHARACTER | typeof ANY_TEXT;

const ANY_CHARACTER = Symbol("?");
const ANY_TEXT = Symbol("*");

/** Undefined if git rejects the pattern: an unclosed bracket, or a backslash with nothing to escape. */
function parseGlobs(pattern: string): readonly Glob[] | undefined {
  const globs: Glob[] = [];
  let tokens: Token[] = [];
  let isPlain = true;
  let start = 0;
  const endGlob = (end: number): void => {
    const text = pattern.slice(start, end);
    const name = createNameMatcher(tokens);
    const isAnyFolders = /^\*\*+$/.test(text);
    const isPlainText = isAnyFolders ? text === "**" : !/[{}]|\*\*/.test(text);
    globs.push({ name, step: isAnyFolders ? ANY_FOLDERS : name, isPlain: isPlain && isPlainText });
    tokens = [];
    isPlain = true;
  };
  for (let at = 0; at < pattern.length; ) {
    const char = characterAt(pattern, at);
    at += char.length;
    if (char === "/") {
      endGlob(at - 1);
      start = at;
    } else if (char === "*") {
      if (tokens.at(-1) !== ANY_TEXT) tokens.push(ANY_TEXT);
    } else if (char === "?") {
      tokens.push(ANY_CHARACTER);
    } else if (char === "\\") {
      if (at === pattern.length) return undefined;
      if (pattern[at] === "/") {
        isPlain = false; // the slash still separates two names
        continue;
      }
      const escaped = characterAt(pattern, at);
      tokens.push(escaped);
      at += escaped.length;
    } else if (char === "[") {
      const bracket = parseBracket(pattern, at);
      if (bracket === undefined) return undefined;
      tokens.push(bracket.matcher);
      isPlain &&= bracket.isPlain;
      at = bracket.end;
    } else {
      tokens.push(char);
    }
  }
  endGlob(pattern.length);
  return globs;
}

/** Most rules are a plain name, or `*` with a suffix: those need no general matching. */
function createNameMatcher(tokens: readonly Token[]): NameMatcher {
  const [first, ...rest] = tokens;
  if (tokens.every((token) => typeof token === "string")) {
    const text = tokens.join("");
    return (name) => name === text;
  }
  if (first === ANY_TEXT && rest.every((token) => typeof token === "string")) {
    const ending = rest.join("");
    return (name) => name.endsWith(ending);
  }
  return (name) => matchSequence(tokens, charactersOf(name), ANY_TEXT, isMatchedBy);
}

function isMatchedBy(token: Token, char: string): boolean {
  return token === char || token === ANY_CHARACTER || (token instanceof RegExp && token.test(char));
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

// git supports only ASCII here, whatever the machine's locale.
const NAMED_CLASSES: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["blank", " \\t"],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`{-~"],
  ["space", " \\t\\n\\r"],
  ["upper", "A-Z"],
  ["xdigit", "0-9A-Fa-f"],
]);

interface Bracket {
  /** Tests one character. */
  readonly matcher: RegExp;
  readonly isPlain: boolean;
  /** Where the glob continues. */
  readonly end: number;
}

/** `at` is after the opening bracket. Undefined if the bracket is never closed or names an unknown class. */
function parseBracket(glob: string, at: number): Bracket | undefined {
  const isNegated = glob[at] === "!" || glob[at] === "^";
  const start = isNegated ? at + 1 : at;
  const member = /\[:([^\]]*):\]|(\\?)(.)(?:-(\\?)([^\]]))?/suy;
  let members = "";
  let isPlain = true;
  let end = start;
  while (end === start || glob[end] !== "]") {
    member.lastIndex = end;
    const found = member.exec(glob);
    if (found === null) return undefined;
    const [whole, className, lowEscape, low = "", highEscape = "", high] = found;
    if (className !== undefined) {
      const named = NAMED_CLASSES.get(className);
      if (named === undefined) return undefined;
      members += named;
    } else {
      // A reversed range means only its first character.
      const isRange = high !== undefined && low <= high;
      members += isRange ? `${escapeMember(low)}-${escapeMember(high)}` : escapeMember(low);
    }
    isPlain &&=
      className === undefined &&
      `${lowEscape}${highEscape}` === "" &&
      (high === undefined
        ? /^[\w.]$/.test(low)
        : /^(?:[0-9]{2}|[a-z]{2}|[A-Z]{2})$/.test(low + high) && low <= high);
    end += whole.length;
  }
  return { matcher: new RegExp(`^[${isNegated ? "^" : ""}${members}]$`, "u"), isPlain, end: end + 1 };
}

function escapeMember(char: string): string {
  return /[\\\]^[-]/.test(char) ? `\\${char}` : char;
}

// What a program gets for a word as written. A word is known only if every shell that may run the line reads it the same way: what `sh`
// and `bash` read differently is reported to the reader of the line, unless it is bash that runs it.

import { resolve } from "node:path";
import type { DoubleQuotedChild, ParsedScript, Word, WordPart } from "unbash";
import type { ShellWord } from "./contract.ts";
import type { Scope } from "./scope.ts";

export interface Expansion {
  readonly scope: Scope;
  readonly isBash: boolean;
  /** Reads what a substitution runs. */
  readonly script: (script: ParsedScript | undefined) => void;
  /** Called with the reason why a text means different things to different shells. */
  readonly unclear: (why: string) => void;
  /** Visits what is below a part that is not examined here. */
  readonly below: (part: WordPart) => void;
}

/** The words that one word expands to: several if a known value contains blanks; one without a value if it is not known. */
export function expandWord(word: Word, expansion: Expansion, isSplit = true): readonly ShellWord[] {
  const fields = new Fields(expansion.scope, isSplit);
  const rest = tildeOf(word, expansion.scope, fields);
  // Only bash expands the tilde in an argument that looks like an assignment.
  if (/^\w+\+?=.*~/s.test(word.text)) fields.open();
  const parts = word.parts;
  if (parts === undefined) addPlain(rest ?? word.text, word.value, fields);
  else if (rest === undefined) for (const part of parts) addPart(part, fields, expansion);
  else {
    // A home folder with an expansion after it: only what runs in there is read.
    for (const part of parts) addPart(part, new Fields(expansion.scope, isSplit), expansion);
    fields.open();
  }
  const known = fields.end();
  if (known === undefined) return [{ text: word.text }];
  if (known.length === 1) return [{ text: word.text, value: known[0] as string }];
  return known.map((value) => ({ text: value, value }));
}

/** The single value of a word that is not split; undefined if not known. */
export function expandOne(word: Word, expansion: Expansion): string | undefined {
  return expandWord(word, expansion, false)[0]?.value;
}

/** Builds words as the shell does: quoted text stays whole, expanded text is split at blanks. */
class Fields {
  readonly #done: string[] = [];
  readonly #scope: Scope;
  readonly #isSplit: boolean;
  #current: string | undefined;
  #isKnown = true;

  constructor(scope: Scope, isSplit: boolean) {
    this.#scope = scope;
    this.#isSplit = isSplit;
  }

  quoted(text: string): void {
    this.#current = (this.#current ?? "") + text;
  }

  expanded(text: string): void {
    if (!this.#isSplit) {
      this.quoted(text);
      return;
    }
    if (!this.#scope.splitsAtBlanks) {
      this.open();
      return;
    }
    if (/[*?[\\]/.test(text)) this.#isKnown = false;
    for (const piece of text.split(/([ \t\n]+)/)) {
      if (/^[ \t\n]/.test(piece)) {
        if (this.#current !== undefined) this.#done.push(this.#current);
        this.#current = undefined;
      } else if (piece !== "") this.quoted(piece);
    }
  }

  /** Several words of their own; what stands before and after them belongs to the first and the last. */
  list(items: readonly string[]): void {
    if (!this.#isSplit) this.open();
    for (const [at, item] of items.entries()) {
      if (at > 0) {
        this.#done.push(this.#current ?? "");
        this.#current = undefined;
      }
      this.quoted(item);
    }
  }

  open(): void {
    this.#isKnown = false;
  }

  end(): readonly string[] | undefined {
    if (!this.#isKnown) return undefined;
    const all = this.#current === undefined ? this.#done : [...this.#done, this.#current];
    return !this.#isSplit && all.length === 0 ? [""] : all;
  }
}

/** `~/x` is in the home folder, `~other` in somebody's. Returns what follows; undefined if there is no tilde. */
function tildeOf({ text }: Word, scope: Scope, fields: Fields): string | undefined {
  if (!text.startsWith("~")) return undefined;
  const home = scope.value("HOME");
  if (home === undefined || !/^~(?:\/|$)/.test(text)) {
    fields.open();
    return text.slice(1);
  }
  fields.quoted(home);
  return text.slice(1);
}

/** A text without quotes. The parser's reading counts only if it matches ours. */
function addPlain(text: string, value: string, fields: Fields): void {
  const own = text.replace(/\\(?:\n|([\s\S]))/g, (_match, character: string | undefined) => character ?? "");
  if (
    (/[*?[]/.test(own) && own !== "[") ||
    /["'`$]/.test(text.replace(/\\[\s\S]/g, "")) ||
    !value.endsWith(own)
  )
    fields.open();
  fields.quoted(own);
}

function addPart(part: WordPart, fields: Fields, expansion: Expansion): void {
  switch (part.type) {
    case "Literal":
      addPlain(part.text, part.value, fields);
      return;
    case "SingleQuoted":
      if (part.text !== `'${part.value}'`) expansion.unclear("a quoted string is not terminated");
      fields.quoted(part.value);
      return;
    case "DoubleQuoted":
      for (const child of part.parts) addQuoted(child, fields, expansion);
      fields.quoted("");
      return;
    case "Glob":
      fields.open();
      expansion.below(part); // [$(x)]
      return;
    case "AnsiCQuoted":
      if (expansion.isBash && SIMPLE_ESCAPES.test(part.text)) fields.quoted(part.value);
      else addOdd(part, fields, expansion);
      return;
    case "ProcessSubstitution":
      if (expansion.isBash) {
        fields.open();
        expansion.script(part.script);
      } else addOdd(part, fields, expansion);
      return;
    case "LocaleString":
    case "BraceExpansion":
    case "ExtendedGlob":
      addOdd(part, fields, expansion);
      return;
    default:
      addExpansion(part, fields, expansion, false);
  }
}

/** Escapes that mean the same to every bash. */
const SIMPLE_ESCAPES = /^\$'(?:[^'\\]|\\[nt\\'"])*'$/;

function addOdd(part: WordPart, fields: Fields, expansion: Expansion): void {
  fields.open();
  expansion.unclear(`${part.text.slice(0, 40)} means different things to different shells`);
  if (part.type === "ProcessSubstitution") expansion.script(part.script);
  else expansion.below(part);
}

function addQuoted(part: DoubleQuotedChild, fields: Fields, expansion: Expansion): void {
  if (part.type !== "Literal") {
    addExpansion(part, fields, expansion, true);
    return;
  }
  const own = part.text.replace(
    /\\(?:\n|([$`"\\]))/g,
    (_match, character: string | undefined) => character ?? "",
  );
  if (own !== part.value) fields.open();
  fields.quoted(own);
}

const NUMBERS = /^\$\(\([\d\s+*/%()<>=!-]*\)\)$/;

type Expanded = Exclude<DoubleQuotedChild, { readonly type: "Literal" }>;

function addExpansion(part: Expanded, fields: Fields, expansion: Expansion, isQuoted: boolean): void {
  switch (part.type) {
    case "SimpleExpansion":
      addVariable(part.text.slice(1), fields, expansion.scope, isQuoted);
      return;
    case "ParameterExpansion":
      if (part.operation === undefined && part.index === undefined && part.prefix === undefined) {
        addVariable(part.parameter, fields, expansion.scope, isQuoted);
        return;
      }
      if (expansion.isBash && ELEMENTS.test(part.text)) {
        addElements(part, fields, expansion.scope, isQuoted);
        return;
      }
      fields.open();
      if (!TAKES_PART.test(part.text) && !(expansion.isBash && TAKES_PART_OF_ARRAY.test(part.text)))
        expansion.unclear(`${part.text.slice(0, 40)} sets a variable, or runs what a value contains`);
      expansion.below(part);
      return;
    case "CommandExpansion":
      fields.open();
      expansion.script(part.script);
      return;
    case "ArithmeticExpansion":
      fields.open();
      // In bash a name in there can run a command: a[$(x)].
      if (!NUMBERS.test(part.text)) expansion.unclear("it uses variable names in arithmetic");
      expansion.below(part);
      return;
  }
}

/**
 * Expansions that only take a part of a value, or replace it. The others set a variable (`=`), or bash runs what the value contains
 * (`@P`, `!`, an index, a length that it calculates).
 */
const TAKES_PART =
  /^\$\{(?:#(?:\w+|[@*#?!$-])|\w+(?::?[-+?][\s\S]*|[#%/^,][\s\S]*|:\d{1,9}(?::\d{1,9})?))\}$/;

/** The same of an array, where no index is calculated. */
const TAKES_PART_OF_ARRAY =
  /^\$\{(?:#\w+\[(?:[@*]|\d{1,9})\]|!\w+\[[@*]\]|\w+\[(?:[@*]|\d{1,9})\](?::?[-+?][\s\S]*|[#%/^,][\s\S]*|:\d{1,9}(?::\d{1,9})?))\}$/;

const ELEMENTS = /^\$\{\w+\[(?:[@*]|\d{1,9})\]\}$/;

/** Nothing that is split or expanded where it is not quoted, unless the shell is told to. */
const WHOLE = /^[\w./@:+%-]+$/;

/** `"${a[@]}"` is a word for each element, and no word at all if there is none. */
function addElements(
  { parameter, index }: Extract<Expanded, { readonly type: "ParameterExpansion" }>,
  fields: Fields,
  scope: Scope,
  isQuoted: boolean,
): void {
  const items = scope.list(parameter);
  const item = items?.[Number(index?.text)];
  if (item !== undefined && isQuoted) fields.quoted(item);
  else if (item !== undefined) fields.expanded(item);
  else if (
    index?.text === "@" &&
    items?.length &&
    (isQuoted || (scope.splitsAtBlanks && items.every((each) => WHOLE.test(each))))
  )
    fields.list(items);
  else fields.open();
}

/** Why an expansion in a here-document is not followed: to some shells, and within some expansions, quotes are text there. */
export function oddInDocument(part: WordPart): string | undefined {
  if (part.type === "Literal")
    return part.text.includes("$[") ? "it uses variable names in arithmetic" : undefined;
  if (part.type === "ArithmeticExpansion")
    return NUMBERS.test(part.text) ? undefined : "it uses variable names in arithmetic";
  if (part.type === "SimpleExpansion" || part.type === "CommandExpansion") return undefined;
  return part.type === "ParameterExpansion" && /^\$\{\w+\}$/.test(part.text)
    ? undefined
    : "a here-document in it expands more than variables";
}

function addVariable(name: string, fields: Fields, scope: Scope, isQuoted: boolean): void {
  const value = scope.value(name);
  if (value === undefined) fields.open();
  else if (isQuoted) fields.quoted(value);
  else fields.expanded(value);
}

/** To each program its own folder, and the root: `/proc/self/cwd/x`. */
const OF_PROCESS = /^\/+proc\/+[^/]+\/+(?:task\/+[^/]+\/+)?(cwd|root)(?=\/|$)/;

/** A path as a program sees it that runs in this folder. */
export function ofProcess(path: string, folder: string): string {
  return path.replace(OF_PROCESS, (_match, which: string) => (which === "cwd" ? folder : "/"));
}

/** A path from each folder; undefined if either is unknown, as after `..`, which follows links. */
export function placesOf(
  path: string | undefined,
  folders: readonly string[] | undefined,
): readonly string[] | undefined {
  if (path === undefined || path === "" || path.split("/").includes("..") || OF_PROCESS.test(path))
    return undefined;
  return path.startsWith("/") ? [resolve(path)] : folders?.map((folder) => resolve(folder, path));
}

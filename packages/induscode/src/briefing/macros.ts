// Macro bodies (seed 003): one left-to-right scan makes tokens, one pass inserts the arguments. Arguments are never scanned
// again, so a `$2` in a value stays a `$2`.

import type { LegacyReporter, MacroDef, MacroScope, MacroToken } from "./contract.ts";

/** The pieces of a body. What only resembles a placeholder stays text. Linear, never throws. */
export function scanMacroBody(body: string, report: LegacyReporter = ignore): readonly MacroToken[] {
  const tokens: MacroToken[] = [];
  let literalStart = 0;
  const sign = /\{\{|\$/g;
  for (let found = sign.exec(body); found; found = sign.exec(body)) {
    const form = formAt(body, found.index);
    if (!form) {
      sign.lastIndex = found.index + 1; // `{{{arg.1}}` opens at its second brace
      continue;
    }
    if (found.index > literalStart) tokens.push(literal(body.slice(literalStart, found.index)));
    tokens.push(form.token);
    if (form.modern !== undefined) report(body.slice(found.index, form.end), form.modern);
    literalStart = form.end;
    sign.lastIndex = form.end;
  }
  if (literalStart < body.length) tokens.push(literal(body.slice(literalStart)));
  return tokens;
}

/** The text of the tokens with these arguments: a position without an argument is empty. */
export function resolveTokens(tokens: readonly MacroToken[], { args, all }: MacroScope): string {
  return tokens
    .map((token) => {
      if (token.kind === "literal") return token.text;
      if (token.kind === "all") return all;
      if (token.kind === "positional") return args[token.index - 1] ?? "";
      const start = Math.max(0, token.start - 1);
      return args.slice(start, token.length === undefined ? undefined : start + token.length).join(" ");
    })
    .join("");
}

/**
 * The words of a line. '…' and "…" keep blanks together and are removed; empty results are dropped. An unclosed quote is an
 * ordinary character: people type "don't".
 */
export function buildMacroScope(raw: string): MacroScope {
  const args: string[] = [];
  let word = "";
  const endWord = (): void => {
    if (word !== "") args.push(word);
    word = "";
  };
  for (let at = 0; at < raw.length; at++) {
    const character = raw.charAt(at);
    const isQuote = character === "'" || character === '"';
    const closing = isQuote ? raw.indexOf(character, at + 1) : -1;
    if (closing >= 0) {
      word += raw.slice(at + 1, closing);
      at = closing;
    } else if (/\s/.test(character)) endWord();
    else word += character;
  }
  endWord();
  return { args, all: args.join(" "), raw };
}

/** A body with the arguments of one line inserted. */
export function applyMacros(body: string, raw: string): string {
  return applyMacrosReporting(body, raw, ignore);
}

/** {@link applyMacros}; `report` is called for each legacy form. */
export function applyMacrosReporting(body: string, raw: string, report: LegacyReporter): string {
  return resolveTokens(scanMacroBody(body, report), buildMacroScope(raw));
}

/** The older spellings in a body, each once, as `$1: write {{arg.1}}`. */
export function olderSpellings(body: string): readonly string[] {
  const found = new Map<string, string>();
  scanMacroBody(body, (older, modern) => found.set(older, modern));
  return [...found].map(([older, modern]) => `${older}: write ${modern}`);
}

/** What `/name arguments` tells the model. If no placeholder takes the arguments, they follow the body: nothing that was typed is lost. */
export function invokeMacro(body: string, raw: string): string {
  const tokens = scanMacroBody(body);
  const text = resolveTokens(tokens, buildMacroScope(raw));
  const isTaken = tokens.some(({ kind }) => kind !== "literal");
  return isTaken || raw.trim() === "" ? text : `${text}\n\n${raw.trim()}`;
}

/** Expands `/name arguments` by the first macro of that name; other lines are unchanged. */
export function expandInvocation(line: string, macros: readonly MacroDef[]): string {
  const [, name, raw = ""] = /^\/(\S+)(?:\s+(\S[\s\S]*)?)?$/.exec(line) ?? [];
  const macro = name === undefined ? undefined : macros.find((one) => one.name === name);
  return macro ? applyMacros(macro.body, raw) : line;
}

const ignore: LegacyReporter = () => undefined;

/** A parsed placeholder; `modern` only for legacy forms. */
interface Form {
  readonly token: MacroToken;
  readonly end: number;
  readonly modern?: string;
}

/** One spelling. `read` returns undefined for a number that cannot be a position. */
interface Spelling {
  readonly pattern: RegExp;
  readonly read: (first: number | undefined, second: number | undefined) => MacroToken;
  readonly modern?: (token: MacroToken) => string;
}

const ALL: MacroToken = { kind: "all" };
const modernAll = (): string => "{{arg.all}}";

// Sticky patterns, tried in this order at each sign. None looks past the next sign.
const SPELLINGS: readonly Spelling[] = [
  { pattern: /\{\{\{\{/y, read: () => literal("{{") },
  { pattern: /\{\{\s*arg\.(\d{1,10})\s*\}\}/y, read: positional },
  { pattern: /\{\{\s*arg\.all\s*\}\}/y, read: () => ALL },
  {
    pattern: /\{\{\s*arg\.slice\s+(\d{1,10})(?:\s+(\d{1,10}))?\s*\}\}/y,
    read: slice,
  },
  { pattern: /\{\{\s*arg\.rest(?:\s+(\d{1,10}))?\s*\}\}/y, read: (start = 2) => slice(start) },
  { pattern: /\$\$/y, read: () => literal("$"), modern: () => "$" },
  {
    pattern: /\$(\d{1,10})(?!\d)/y,
    read: positional,
    modern: (token) => (token.kind === "positional" ? `{{arg.${token.index}}}` : ""),
  },
  { pattern: /\$@/y, read: () => ALL, modern: modernAll },
  { pattern: /\$ARGUMENTS(?!\w)/y, read: () => ALL, modern: modernAll },
  { pattern: /\$\{@\}/y, read: () => ALL, modern: modernAll },
  {
    pattern: /\$\{@:(\d{1,10})(?::(\d{1,10}))?\}/y,
    read: slice,
    modern: (token) =>
      token.kind === "slice" ? `{{arg.slice ${[token.start, token.length].join(" ").trim()}}}` : "",
  },
];

const MAX_POSITION = 0xffff_ffff; // positions are 32-bit numbers in the seed; anything larger is text

function formAt(body: string, at: number): Form | undefined {
  for (const { pattern, read, modern } of SPELLINGS) {
    pattern.lastIndex = at;
    const found = pattern.exec(body);
    if (!found) continue;
    const numbers = found.slice(1).map((digits) => (digits === undefined ? undefined : Number(digits)));
    if (numbers.some((number = 0) => number > MAX_POSITION)) return undefined;
    const token = read(numbers[0], numbers[1]);
    const end = at + found[0].length;
    return { token, end, ...(modern ? { modern: modern(token) } : {}) };
  }
  return undefined;
}

function literal(text: string): MacroToken {
  return { kind: "literal", text };
}

function positional(index = 0): MacroToken {
  return { kind: "positional", index };
}

function slice(start = 1, length?: number): MacroToken {
  return { kind: "slice", start, ...(length === undefined ? {} : { length }) };
}

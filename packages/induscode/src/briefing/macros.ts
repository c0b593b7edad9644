// Macro bodies: one left-to-right scan makes tokens, one pass inserts the arguments. Arguments are never scanned
// again, so a `$2` in a value stays a `$2`.

import type { LegacyReporter, MacroDef, MacroScope, MacroToken } from "./contract.ts";

/**
 * The pieces of a body, or of a part of the `whole` one. What only resembles a placeholder stays text. Linear, never throws.
 */
export function scanMacroBody(
  body: string,
  report: LegacyReporter = ignore,
  whole: string = body,
): readonly MacroToken[] {
  const tokens: MacroToken[] = [];
  const takesWords = TAKES_WORDS.test(whole);
  let literalStart = 0;
  const sign = /\{\{|\$/g;
  for (let found = sign.exec(body); found; found = sign.exec(body)) {
    const form = isAmount(body, found.index, takesWords) ? undefined : formAt(body, found.index);
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
export function resolveTokens(tokens: readonly MacroToken[], { args, all, raw }: MacroScope): string {
  return tokens
    .map((token) => {
      if (token.kind === "literal") return token.text;
      if (token.kind === "all") return all;
      if (token.kind === "positional") return args[token.index - 1] ?? "";
      const start = Math.max(0, token.start - 1);
      if (token.length === undefined && hasLines(raw)) return textFrom(raw, start);
      return args.slice(start, token.length === undefined ? undefined : start + token.length).join(" ");
    })
    .join("");
}

/**
 * The words of a line. '…' and "…" keep blanks together and are removed; empty results are dropped. A quote after a backslash, an unclosed
 * one and an apostrophe ("don't") are ordinary characters. Text of several lines is more than its words: as a whole it stays as it is.
 */
export function buildMacroScope(raw: string): MacroScope {
  const args = splitWords(raw).map(({ text }) => text);
  return { args, all: hasLines(raw) ? textFrom(raw, 0) : args.join(" "), raw };
}

interface Word {
  readonly text: string;
  readonly at: number;
}

function splitWords(raw: string): readonly Word[] {
  const words: Word[] = [];
  let text = "";
  let start = 0;
  const endWord = (): void => {
    if (text !== "") words.push({ text, at: start });
    text = "";
  };
  for (let at = 0; at < raw.length; at++) {
    const [quoted, double, single, escaped] = matchAt(QUOTED, raw, at) ?? [];
    const isBlank = quoted === undefined && /\s/.test(raw.charAt(at));
    if (isBlank) endWord();
    else if (text === "") start = at;
    if (quoted !== undefined) {
      text += double?.replaceAll('\\"', '"') ?? single ?? escaped;
      at += quoted.length - 1;
    } else if (!isBlank) text += raw.charAt(at);
  }
  endWord();
  return words;
}

// What is in double quotes, where a backslash escapes; what is in single ones; and a quote that a backslash makes ordinary.
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"|(?<![\p{L}\p{N}])'([^']*)'|\\(["'])/uy;

function hasLines(raw: string): boolean {
  return /[\r\n]/.test(raw.trim());
}

/** What was typed from this word on. */
function textFrom(raw: string, word: number): string {
  const { at } = splitWords(raw)[word] ?? {};
  return at === undefined ? "" : raw.slice(at).trimEnd();
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
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

/** Whether a body takes any of the arguments. */
export function hasPlaceholder(body: string): boolean {
  return scanMacroBody(body).some(({ kind }) => kind !== "literal");
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
  readonly modern?: string | undefined;
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

const MAX_POSITION = 0xffff_ffff; // positions are 32-bit numbers; anything larger is text

function formAt(body: string, at: number): Form | undefined {
  for (const { pattern, read, modern } of SPELLINGS) {
    const found = matchAt(pattern, body, at);
    if (!found) continue;
    const numbers = found.slice(1).map((digits) => (digits === undefined ? undefined : Number(digits)));
    if (numbers.some((number = 0) => number > MAX_POSITION)) return undefined;
    const token = read(numbers[0], numbers[1]);
    const end = at + found[0].length;
    return { token, end, modern: modern ? modern(token) : undefined };
  }
  return undefined;
}

// A body that takes a word of the line by its position.
const TAKES_WORDS = /\$[1-9](?!\d|[.,]\d)|\{\{\s*arg\./;

// `$5.00`, `$1,000`, `$5k`, `US$5`; and what is no position, because they are counted from 1 and nobody types a hundred words: `$0`, `$100`.
const AMOUNT = /\$\d{1,20}(?:[.,]\d|(?:k|K|M|bn)\b)|(?<=\b(?:US|CA|AU|NZ|HK|SG))\$\d|\$0(?!\d)|\$\d{3}/y;
// A position only in a body that takes an earlier one.
const TWO_DIGITS = /\$\d\d/y;

/** Whether the sign there begins an amount of money, or a shell's own `$0`: text that was meant as it is. */
function isAmount(body: string, at: number, takesWords: boolean): boolean {
  return matchAt(AMOUNT, body, at) !== null || (!takesWords && matchAt(TWO_DIGITS, body, at) !== null);
}

function literal(text: string): MacroToken {
  return { kind: "literal", text };
}

function positional(index = 0): MacroToken {
  return { kind: "positional", index };
}

function slice(start = 1, length?: number): MacroToken {
  return { kind: "slice", start, length };
}

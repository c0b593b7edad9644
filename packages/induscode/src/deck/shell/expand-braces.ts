// Braces as bash expands them, which is before anything else: `src/{a,b}.txt` is two words. Only plain texts between the braces are
// expanded: what else stands there, quoted or expanded itself, may change where a brace ends.

import type { BraceExpansionPart, Word, WordPart } from "unbash";

/** More words than that are not made. */
const MAX_WORDS = 64;
const PLAIN = /^[\w./@:+=%-]*$/;
const NUMBERS = /^(0|-?[1-9]\d{0,5})\.\.(0|-?[1-9]\d{0,5})$/;
const LETTERS = /^([a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])$/;

/** The words that a word with braces stands for; undefined if that is not certain. */
export function expandBraces(word: Word): readonly Word[] | undefined {
  if (!word.parts?.some(({ type }) => type === "BraceExpansion")) return [word];
  let made: readonly (readonly WordPart[])[] = [[]];
  let before: WordPart | undefined;
  for (const part of word.parts) {
    const choices =
      part.type === "BraceExpansion" ? choicesOf(part, before) : isApart(part) ? [part] : undefined;
    if (choices === undefined || made.length * choices.length > MAX_WORDS) return undefined;
    made = made.flatMap((parts) => choices.map((choice) => [...parts, choice]));
    before = part;
  }
  return made.map((parts) => wordOf(word, parts)).filter(({ text }) => text !== "");
}

function choicesOf(part: BraceExpansionPart, before: WordPart | undefined): readonly WordPart[] | undefined {
  // In `$x{a,b}` the variables are xa and xb.
  if (before?.type === "SimpleExpansion") return undefined;
  const { pos, end } = part;
  return alternatives(part.text.slice(1, -1))?.map((text) => ({
    type: "Literal",
    text,
    value: text,
    pos,
    end,
  }));
}

/** Whether a part's own characters neither open nor close a brace. */
function isApart({ type, text }: WordPart): boolean {
  if (type === "SingleQuoted" || type === "SimpleExpansion") return true;
  if (type === "ParameterExpansion") return /^\$\{\w+\}$/.test(text);
  if (type === "DoubleQuoted") return !/[{}`\\]|\$\(/.test(text.replace(/\$\{\w+\}/g, ""));
  return (type === "Literal" || type === "Glob") && !/[{},\\$"'`]/.test(text);
}

/** What stands between two braces, as a list or a range. */
function alternatives(inside: string): readonly string[] | undefined {
  const items = splitAtCommas(inside);
  if (items === undefined) return undefined;
  if (items.length === 1) return rangeOf(inside);
  const found: string[] = [];
  for (const item of items) {
    const texts = textsOf(item);
    if (texts === undefined || found.length + texts.length > MAX_WORDS) return undefined;
    found.push(...texts);
  }
  return found;
}

/** Commas within inner braces do not count. Undefined if a brace has no partner. */
function splitAtCommas(inside: string): readonly string[] | undefined {
  const items = [""];
  let depth = 0;
  for (const character of inside) {
    if (character === "{") depth++;
    if (character === "}" && --depth < 0) return undefined;
    if (character === "," && depth === 0) items.push("");
    else items.push(items.pop() + character);
  }
  return depth === 0 ? items : undefined;
}

/** One item, which may hold braces of its own. */
function textsOf(item: string): readonly string[] | undefined {
  const [, before = item, inside, after] = /^([^{}]*)\{((?:[^{}]|\{[^{}]*\})*)\}(.*)$/.exec(item) ?? [];
  if (!PLAIN.test(before)) return undefined;
  if (inside === undefined) return [item];
  const [inner, rest] = [alternatives(inside), textsOf(after ?? "")];
  if (inner === undefined || rest === undefined || inner.length * rest.length > MAX_WORDS) return undefined;
  return inner.flatMap((each) => rest.map((end) => before + each + end));
}

function rangeOf(inside: string): readonly string[] | undefined {
  const isOfLetters = LETTERS.test(inside);
  const [, from, to] = NUMBERS.exec(inside) ?? [];
  if (!isOfLetters && (from === undefined || to === undefined)) return undefined;
  const [first, last] = isOfLetters
    ? [inside.charCodeAt(0), inside.charCodeAt(inside.length - 1)]
    : [Number(from), Number(to)];
  const count = Math.abs(last - first) + 1;
  if (count > MAX_WORDS) return undefined;
  const step = last < first ? -1 : 1;
  return Array.from({ length: count }, (_each, at) => {
    const value = first + at * step;
    return isOfLetters ? String.fromCharCode(value) : String(value);
  });
}

function wordOf({ pos, end }: Word, parts: readonly WordPart[]): Word {
  const text = parts.map((part) => part.text).join("");
  const isPlain = parts.every(({ type }) => type === "Literal");
  return { type: "Word", text, value: text, pos, end, ...(isPlain ? {} : { parts }) };
}

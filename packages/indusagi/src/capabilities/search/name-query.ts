// What a query for names means. Every form is matched in time linear in query and name: no regular expressions, and no more
// alternatives than the limit that is reported.

import { isAbsolute } from "node:path";
import { homeFolder } from "../../core/home.ts";
import { charactersOf, matchSequence } from "../../core/wildcard.ts";
import { createWildcard } from "./wildcard.ts";

/** An invalid query. Its message is the whole answer to the model. */
export class QueryError extends Error {
  override readonly name = "QueryError";
}

/** What a query is matched against; `path` is below the searched folder, with slashes. */
export interface Named {
  readonly name: () => string;
  readonly path: () => string;
  readonly absolutePath: () => string;
}

export interface NameQuery {
  readonly matches: (entry: Named) => boolean;
  readonly isAbsolute: boolean;
}

const MAX_ALTERNATIVES = 256;
const MAX_CHARS = 65_536;

/**
 * Parses a case-insensitive query. With `*`, `?`, `[ab]` or `{a,b}` it must match the whole of its target, otherwise a part of
 * it. The target is the name, the path if the query has a slash, and also the absolute path if the query starts like one. A
 * query that starts with `./` is matched from the beginning of the path. Brackets and braces also match themselves, because
 * names contain them. Throws {@link QueryError}.
 */
export function parseNameQuery(query: string, home?: string): NameQuery {
  const isFromRoot = query.startsWith("./");
  const text = isFromRoot
    ? query.replace(/^(?:\.\/+)+/, "")
    : query.replace(/^~\//, () => `${home ?? homeFolder()}/`);
  const covers = createGlob(text);
  const part = text.toLowerCase();
  const contains: TextTest = (asked) => asked.toLowerCase().includes(part);
  const begins: TextTest = (asked) => asked.toLowerCase().startsWith(part);
  if (isFromRoot) {
    const matches = covers ?? begins;
    return { isAbsolute: false, matches: (entry) => matches(entry.path()) };
  }
  if (!text.includes("/")) {
    const matches = covers ?? contains;
    return { isAbsolute: false, matches: (entry) => matches(entry.name()) };
  }
  const matches = covers ?? contains;
  if (!isAbsolute(text)) return { isAbsolute: false, matches: (entry) => matches(entry.path()) };
  const matchesAbsolute = covers ?? begins;
  return {
    isAbsolute: true,
    matches: (entry) => matches(entry.path()) || matchesAbsolute(entry.absolutePath()),
  };
}

type TextTest = (text: string) => boolean;

/** Undefined if the query has no wildcard, set or alternatives. */
function createGlob(query: string): TextTest | undefined {
  const alternatives = withoutFolders(alternativesOf(query));
  const isPlain = alternatives.length === 1 && !hasSet(query);
  if (isPlain) return /[*?]/.test(query) ? createWildcard(query) : undefined;
  const tests = alternatives.map((glob) => (hasSet(glob) ? createSetGlob(glob) : createWildcard(glob)));
  tests.push(/[*?]/.test(query) ? createWildcard(query) : partTest(query));
  return (text) => tests.some((test) => test(text));
}

function partTest(query: string): TextTest {
  const part = query.toLowerCase();
  return (text) => text.toLowerCase().includes(part);
}

/** Expands `{a,b}`, also nested; a brace without its pair or without a comma is literal. */
function alternativesOf(query: string): readonly string[] {
  const pairs = bracePairs(query);
  const read = (from: number, to: number): readonly string[] => {
    let texts: readonly string[] = [""];
    let start = from;
    const append = (endings: readonly string[]): void => {
      if (texts.length * endings.length > MAX_ALTERNATIVES) throw tooMany();
      texts = texts.flatMap((text) => endings.map((ending) => text + ending));
      if (texts.length * (texts[0]?.length ?? 0) > MAX_CHARS) throw tooMany();
    };
    for (let at = from; at < to; at++) {
      const pair = pairs.get(at);
      if (pair === undefined) continue;
      append([query.slice(start, at)]);
      append(pair.slice(1).flatMap((end, index) => read((pair[index] ?? at) + 1, end)));
      at = pair.at(-1) ?? at;
      start = at + 1;
    }
    append([query.slice(start, to)]);
    return texts;
  };
  return read(0, query.length);
}

/** By the index of each opening brace that has a comma: its own index, those of its commas, and that of its end. */
function bracePairs(query: string): ReadonlyMap<number, readonly number[]> {
  const pairs = new Map<number, readonly number[]>();
  const open: number[][] = [];
  for (let at = 0; at < query.length; at++) {
    const char = query[at];
    if (char === "{") open.push([at]);
    else if (char === ",") open.at(-1)?.push(at);
    else if (char === "}") {
      const places = open.pop();
      if (places && places.length > 1) pairs.set(places[0] ?? 0, [...places, at]);
    }
  }
  if (pairs.size > MAX_ALTERNATIVES) throw tooMany();
  return pairs;
}

function tooMany(): QueryError {
  return new QueryError(`The query has more than ${MAX_ALTERNATIVES} alternatives. Use fewer.`);
}

/** Each `**` + `/` can also stand for no folder at all. */
function withoutFolders(globs: readonly string[]): readonly string[] {
  const all = globs.flatMap((glob) => {
    const [first = "", ...rest] = glob.split(/(?<=^|\/)(?:\*\*\/)+/);
    if (2 ** rest.length > MAX_ALTERNATIVES) throw tooMany();
    return rest.reduce<readonly string[]>(
      (texts, part) => texts.flatMap((text) => [text + part, `${text}**/${part}`]),
      [first],
    );
  });
  if (all.length > MAX_ALTERNATIVES) throw tooMany();
  return all;
}

type Wanted = string | CharacterSet;

function createSetGlob(glob: string): TextTest {
  const pattern: Wanted[] = [];
  const lower = glob.toLowerCase();
  for (let at = 0; at < lower.length; ) {
    const set = SET.exec(lower.slice(at, at + MAX_SET_CHARS));
    if (set) {
      pattern.push(new CharacterSet(set[1] ?? ""));
      at += set[0].length;
    } else {
      const char = String.fromCodePoint(lower.codePointAt(at) ?? 0);
      pattern.push(char);
      at += char.length;
    }
  }
  const matchesOne = (wanted: Wanted, found: string): boolean =>
    typeof wanted === "string" ? wanted === "?" || wanted === found : wanted.has(found);
  return (text) => matchSequence<Wanted, string>(pattern, charactersOf(text.toLowerCase()), "*", matchesOne);
}

// A bracket that comes first is a member; a set cannot contain a slash.
const SET = /^\[([!^]?[^/][^\]/]*)\]/u;
const MAX_SET_CHARS = 256;

function hasSet(glob: string): boolean {
  return /\[[!^]?[^/][^\]/]{0,254}\]/u.test(glob); // the longest set allowed: MAX_SET_CHARS
}

/** `ab`, `a-z`, and with a leading `!` or `^` all other characters. */
class CharacterSet {
  readonly #isNegated: boolean;
  readonly #ranges: (readonly [string, string])[] = [];

  constructor(text: string) {
    this.#isNegated = /^[!^]./u.test(text);
    const chars = [...(this.#isNegated ? text.slice(1) : text)];
    for (let at = 0; at < chars.length; at++) {
      const from = chars[at] ?? "";
      const to = chars[at + 1] === "-" ? chars[at + 2] : undefined;
      this.#ranges.push([from, to ?? from]);
      if (to !== undefined) at += 2;
    }
  }

  has(char: string): boolean {
    const code = char.codePointAt(0) ?? 0;
    const isIn = this.#ranges.some(
      ([from, to]) => code >= (from.codePointAt(0) ?? 0) && code <= (to.codePointAt(0) ?? 0),
    );
    return isIn !== this.#isNegated && char !== "/";
  }
}

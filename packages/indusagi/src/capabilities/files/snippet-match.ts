// Where an edit's old text is in a file: literally, or else in one whitespace-fuzzy attempt. Normal forms are for
// searching only: what comes back are spans of the real text.

/** A half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface SnippetMatch {
  /** In order, never overlapping. */
  readonly spans: readonly Span[];
  /** True when only the whitespace-fuzzy attempt found them. */
  readonly isFuzzy: boolean;
}

/** Every place of `snippet` in `text`; no span when there is none. */
export function findSnippet(text: string, snippet: string): SnippetMatch {
  for (const spelling of lineEndSpellings(text, snippet)) {
    const starts = indexesOf(text, spelling);
    if (starts.length > 0) {
      return { spans: starts.map((start) => ({ start, end: start + spelling.length })), isFuzzy: false };
    }
  }
  return { spans: findFuzzySpans(text, snippet), isFuzzy: true };
}

/** The snippet as written, then with the file's other line ends: a model rarely writes carriage returns. */
function lineEndSpellings(text: string, snippet: string): readonly string[] {
  if (!snippet.includes("\n")) return [snippet];
  const isWindows = snippet.includes("\r\n");
  if (isWindows) return [snippet, snippet.replaceAll("\r\n", "\n")];
  return text.includes("\r\n") ? [snippet, snippet.replaceAll("\n", "\r\n")] : [snippet];
}

function findFuzzySpans(text: string, snippet: string): readonly Span[] {
  const needle = needleOf(snippet);
  const lastUnit = needle.length - 1;
  // The last unit of the needle is no blank, so the span never swallows what follows it.
  return needle === ""
    ? []
    : scan(text, needle).ends.map((end) => ({ start: goBack(text, end - 1, lastUnit), end }));
}

/** What is looked for when whitespace does not count: every run of it as one blank, none at the ends. */
function needleOf(snippet: string): string {
  return snippet.replaceAll(/\s+/g, " ").trim();
}

function indexesOf(text: string, part: string): readonly number[] {
  const indexes: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) indexes.push(at);
  return indexes;
}

/** The place in a text that comes nearest to a snippet not in it. */
export interface NearestText {
  /** From 1: where the likeness begins. */
  readonly line: number;
  readonly lineText: string;
  /** From 1: where text and snippet first differ, whitespace aside. */
  readonly differsAtLine: number;
  readonly differsAtColumn: number;
  /** One character each; empty at the end of text or snippet. */
  readonly expected: string;
  readonly found: string;
}

/** The longest common beginning of `snippet` with any place of `text`; undefined when nothing is alike. */
export function findNearest(text: string, snippet: string): NearestText | undefined {
  const needle = needleOf(snippet);
  if (needle === "") return undefined;
  const { longest, longestEnd } = scan(text, needle);
  if (longest < leastLikeness(needle)) return undefined;

  const start = goBack(text, longestEnd - 1, longest - 1);
  let differs = longestEnd;
  if (needle[longest - 1] === " ") while (isBlank(text.charCodeAt(differs))) differs++;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return {
    line: lineNumber(text, start),
    lineText: lineAt(text, start > 0 ? lineStart : 0),
    differsAtLine: lineNumber(text, differs),
    differsAtColumn: differs - (differs > 0 ? text.lastIndexOf("\n", differs - 1) + 1 : 0) + 1,
    expected: characterAt(needle, longest),
    found: isBlank(text.charCodeAt(differs)) ? " " : characterAt(text, differs),
  };
}

interface Scan {
  /** Where each match ends: behind its last unit. Matches never overlap. */
  readonly ends: readonly number[];
  /** Units of the longest beginning of the needle that is in the text, and where the first such place ends. */
  readonly longest: number;
  readonly longestEnd: number;
}

/**
 * Looks for `needle` with every run of whitespace in `text` taken for one blank. One pass without a copy (Knuth, Morris,
 * Pratt), so that neither a large text nor one that repeats itself takes long. A likeness shorter than the needle's
 * opening is not seen: from one opening to the next the machine searches.
 */
function scan(text: string, needle: string): Scan {
  const units = Uint16Array.from({ length: needle.length }, (_, at) => needle.charCodeAt(at));
  const fallback = fallbacks(units);
  const opening = (needle.split(" ", 1)[0] ?? "").slice(0, leastLikeness(needle));
  const ends: number[] = [];
  let longest = 0;
  let longestEnd = 0;
  let matched = 0;
  let wasBlank = false;
  for (let at = 0; at < text.length; ) {
    if (matched === 0) {
      const found = text.indexOf(opening, at);
      if (found < 0) break;
      at = found + opening.length;
      matched = opening.length;
      wasBlank = false;
    } else {
      const unit = text.charCodeAt(at++);
      const isInRun = wasBlank;
      wasBlank = isBlank(unit);
      if (wasBlank && isInRun) continue;
      const wanted = wasBlank ? BLANK : unit;
      while (matched > 0 && units[matched] !== wanted) matched = fallback[matched - 1] ?? 0;
      if (units[matched] !== wanted) continue;
      matched++;
    }
    if (matched > longest) {
      longest = matched;
      longestEnd = at;
    }
    if (matched < units.length) continue;
    ends.push(at);
    matched = 0;
  }
  return { ends, longest, longestEnd };
}

/** Fewer equal units are no likeness. */
function leastLikeness(needle: string): number {
  return Math.min(6, Math.ceil(needle.length / 2));
}

/** `fallbacks[k]`: how many opening units of the needle also end its first k + 1. */
function fallbacks(units: Uint16Array): Uint32Array {
  const fallback = new Uint32Array(units.length);
  let length = 0;
  for (let at = 1; at < units.length; at++) {
    while (length > 0 && units[length] !== units[at]) length = fallback[length - 1] ?? 0;
    if (units[length] === units[at]) length++;
    fallback[at] = length;
  }
  return fallback;
}

/** The place `units` units before `at`, a run of whitespace counting as one. */
function goBack(text: string, at: number, units: number): number {
  let place = at;
  for (let left = units; left > 0; left--) {
    if (isBlank(text.charCodeAt(--place))) while (isBlank(text.charCodeAt(place - 1))) place--;
  }
  return place;
}

const BLANK = 32;

/** What `\s` is, at a tenth of its cost. */
function isBlank(unit: number): boolean {
  if (unit <= BLANK) return unit === BLANK || (unit >= 9 && unit <= 13);
  return unit >= 0xa0 && WIDE_BLANKS.includes(unit);
}

const WIDE_BLANKS: readonly number[] = [
  ...[0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
];

/** The line, from 1, of a place in `text`. */
export function lineNumber(text: string, at: number): number {
  let line = 1;
  for (
    let newline = text.indexOf("\n");
    newline >= 0 && newline < at;
    newline = text.indexOf("\n", newline + 1)
  )
    line++;
  return line;
}

function lineAt(text: string, start: number): string {
  const newline = text.indexOf("\n", start);
  return text.slice(start, newline < 0 ? text.length : newline).trim();
}

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

// Finds an edit's old text in a file: literally, else in one whitespace-fuzzy attempt. Normalised forms are only for searching:
// the results are spans of the real text.

import {
  eachLiteral,
  goBack,
  isBlank,
  leastLikeness,
  needleOf,
  runUnit,
  type Span,
  scanApartFromWhitespace,
} from "./text-scan.ts";

export interface SnippetMatch {
  /** The spans that replacing every place would replace: in order, never overlapping. */
  readonly spans: readonly Span[];
  /** The number of places, including those that overlap one of the spans. */
  readonly places: number;
  /** Where the first few places begin. */
  readonly firstStarts: readonly number[];
  /** True if only the whitespace-fuzzy attempt found them. */
  readonly isFuzzy: boolean;
}

/** Every place of `snippet` in `text`; none if there is none. A lone surrogate is not text and is never found. */
export function findSnippet(text: string, snippet: string): SnippetMatch {
  if (!snippet.isWellFormed()) return NOWHERE;
  for (const spelling of lineEndSpellings(text, snippet)) {
    const found = findLiteral(text, spelling);
    if (found.places > 0) return found;
  }
  return findFuzzy(text, snippet);
}

const NOWHERE: SnippetMatch = { spans: [], places: 0, firstStarts: [], isFuzzy: false };

const FIRST_STARTS = 5;

function findLiteral(text: string, part: string): SnippetMatch {
  const spans: Span[] = [];
  const firstStarts: number[] = [];
  let places = 0;
  eachLiteral(text, part, (start) => {
    if (places++ < FIRST_STARTS) firstStarts.push(start);
    if (start >= (spans.at(-1)?.end ?? 0)) spans.push({ start, end: start + part.length });
  });
  return { spans, places, firstStarts, isFuzzy: false };
}

function findFuzzy(text: string, snippet: string): SnippetMatch {
  const needle = needleOf(snippet);
  if (needle === "") return NOWHERE;
  const spans: Span[] = [];
  const firstStarts: number[] = [];
  let places = 0;
  scanApartFromWhitespace(text, needle, (end, isOverlapping) => {
    const isFirst = places++ < FIRST_STARTS;
    if (!isFirst && isOverlapping) return;
    // The last unit of the needle is not whitespace, so the span never includes what follows it.
    const start = goBack(text, end - 1, needle.length - 1);
    if (isFirst) firstStarts.push(start);
    if (!isOverlapping) spans.push({ start, end });
  });
  return { spans, places, firstStarts, isFuzzy: true };
}

/** The snippet as written, then with the file's other line ends: models rarely write carriage returns. */
function lineEndSpellings(text: string, snippet: string): readonly string[] {
  if (!snippet.includes("\n")) return [snippet];
  const isWindows = snippet.includes("\r\n");
  if (isWindows) return [snippet, snippet.replaceAll("\r\n", "\n")];
  return text.includes("\r\n") ? [snippet, snippet.replaceAll("\n", "\r\n")] : [snippet];
}

/** The place in a text most similar to a snippet that is not in it. */
interface NearestText {
  /** From 1: where the similarity begins. */
  readonly line: number;
  readonly lineText: string;
  /** From 1: where text and snippet first differ, ignoring whitespace. */
  readonly differsAtLine: number;
  readonly differsAtColumn: number;
  /** One character each; empty at the end of text or snippet. A line feed stands for blank lines, a space for other whitespace. */
  readonly expected: string;
  readonly found: string;
}

/** The longest prefix of `snippet` found anywhere in `text`; undefined if nothing is similar. */
export function findNearest(text: string, snippet: string): NearestText | undefined {
  const needle = needleOf(snippet);
  if (needle === "") return undefined;
  const { longest, longestEnd } = scanApartFromWhitespace(text, needle, () => undefined);
  if (longest < leastLikeness(needle)) return undefined;

  const start = goBack(text, longestEnd - 1, longest - 1);
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const half = isInCharacter(text, longestEnd) ? 1 : 0; // two characters can share their first surrogate
  const differs = longestEnd - half;
  const isRun = isBlank(text.charCodeAt(differs));
  return {
    line: lineNumber(text, start),
    lineText: lineAt(text, start > 0 ? lineStart : 0),
    differsAtLine: lineNumber(text, differs),
    differsAtColumn: differs - (differs > 0 ? text.lastIndexOf("\n", differs - 1) + 1 : 0) + 1,
    expected: characterAt(needle, longest - half),
    found: isRun ? String.fromCharCode(runUnit(text, differs)) : characterAt(text, differs),
  };
}

/** True between the two halves of a surrogate pair. */
function isInCharacter(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** The line number, from 1, of a position in `text`. */
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

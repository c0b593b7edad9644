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
  const needle = collapse(snippet).text.trim();
  if (needle === "") return [];
  const { text: hay, origin } = collapse(text);
  return indexesOf(hay, needle).map((at) => ({
    start: origin[at] ?? 0,
    // The last unit of the needle is no blank, so the span never swallows what follows it.
    end: (origin[at + needle.length - 1] ?? 0) + 1,
  }));
}

/** Every run of whitespace as one blank, with the place in `text` that each unit came from. */
function collapse(text: string): { readonly text: string; readonly origin: Uint32Array } {
  const origin = new Uint32Array(text.length);
  let length = 0;
  const collapsed = text.replaceAll(/\s+|\S+/g, (run: string, offset: number) => {
    const isBlank = /\s/.test(run.charAt(0));
    const units = isBlank ? 1 : run.length;
    for (let i = 0; i < units; i++) origin[length++] = offset + i;
    return isBlank ? " " : run;
  });
  return { text: collapsed, origin };
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

const SEED_UNITS = 6;
const MAX_CANDIDATES = 10_000; // bounds the time on a text that repeats itself

/** The longest common beginning of `snippet` with any place of `text`; undefined when nothing is alike. */
export function findNearest(text: string, snippet: string): NearestText | undefined {
  const needle = collapse(snippet).text.trim();
  const { text: hay, origin } = collapse(text);
  const seed = needle.slice(0, Math.min(SEED_UNITS, Math.ceil(needle.length / 2)));
  if (seed === "") return undefined;
  let best = -1;
  let bestLength = 0;
  let candidates = 0;
  for (let at = hay.indexOf(seed); at >= 0 && candidates < MAX_CANDIDATES; at = hay.indexOf(seed, at + 1)) {
    candidates++;
    let length = seed.length;
    while (length < needle.length && hay[at + length] === needle[length]) length++;
    if (length <= bestLength) continue;
    best = at;
    bestLength = length;
  }
  if (best < 0) return undefined;

  const start = origin[best] ?? 0;
  const differs = best + bestLength < hay.length ? (origin[best + bestLength] ?? text.length) : text.length;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return {
    line: lineNumber(text, start),
    lineText: lineAt(text, start > 0 ? lineStart : 0),
    differsAtLine: lineNumber(text, differs),
    differsAtColumn: differs - (differs > 0 ? text.lastIndexOf("\n", differs - 1) + 1 : 0) + 1,
    expected: characterAt(needle, bestLength),
    found: characterAt(hay, best + bestLength),
  };
}

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

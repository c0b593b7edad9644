// What every search engine here agrees on: which files count, what a line is, how a hit is shown.

/** Files over this size are skipped (seed 001: 2 MiB). */
export const MAX_FILE_BYTES = 2_097_152;

/** A NUL among this many opening bytes makes a file binary (seed 001: 4 KiB). */
export const SNIFF_BYTES = 4_096;

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}

// One line of a minified file would otherwise be the whole answer.
const SHOWN_CHARS = 2_000;

/** A hit's line as it is shown: without its carriage return, cut when very long. */
export function shownLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.length <= SHOWN_CHARS) return text;
  return `${text.slice(0, SHOWN_CHARS)} … [line of ${text.length} characters]`;
}

export interface LineHit {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Finds the lines of a file that hold a literal text. Linear, and quick where there are none. */
export type LiteralMatcher = (bytes: Uint8Array, maxHits: number) => readonly LineHit[];

export function createLiteralMatcher(literal: string, ignoreCase: boolean): LiteralMatcher {
  const needle = Buffer.from(literal);
  const pattern = new RegExp(literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), ignoreCase ? "giu" : "gu");
  return (bytes, maxHits) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!ignoreCase && !buffer.includes(needle)) return [];
    return matchingLines(buffer.toString("utf8"), pattern, maxHits);
  };
}

function matchingLines(text: string, pattern: RegExp, maxHits: number): readonly LineHit[] {
  const hits: LineHit[] = [];
  let line = 1;
  let counted = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null && hits.length < maxHits; match = pattern.exec(text)) {
    for (
      let at = text.indexOf("\n", counted);
      at >= 0 && at < match.index;
      at = text.indexOf("\n", counted)
    ) {
      line++;
      counted = at + 1;
    }
    const next = text.indexOf("\n", match.index);
    const end = next < 0 ? text.length : next;
    hits.push({ line, text: shownLine(text.slice(counted, end)) });
    pattern.lastIndex = end; // the next hit is on a later line
  }
  return hits;
}

// What all search engines here share: which files are searched, what a line is, how a hit is shown.

import { escapePattern, type SearchPattern } from "./pattern.ts";

/** Files over this size are skipped (seed 001: 2 MiB). */
export const MAX_FILE_BYTES = 2_097_152;

/** A NUL among this many opening bytes makes a file binary (seed 001: 4 KiB). */
export const SNIFF_BYTES = 4_096;

/** UTF-16 with a byte order mark is text, as for `read`. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0) && utf16Of(bytes) === undefined;
}

/** The encoding whose byte order mark the bytes start with. */
export function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

/** A file's bytes as UTF-8 without a byte order mark: the form that is matched. */
export function utf8Of(bytes: Uint8Array): Uint8Array {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return Buffer.from(new TextDecoder(utf16).decode(bytes));
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

// Otherwise one line of a minified file could be the whole answer.
export const SHOWN_CHARS = 2_000;

/** A hit's line as shown: without its carriage return, cut if very long, NUL as `\\0`. */
export function shownLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return shownOpening(text.slice(0, SHOWN_CHARS), text.length);
}

/** {@link shownLine} for a line of `length` units of which at least the first {@link SHOWN_CHARS} are available. */
export function shownOpening(opening: string, length: number): string {
  const shown = opening.slice(0, SHOWN_CHARS).replaceAll("\0", "\\0");
  return length <= SHOWN_CHARS
    ? shown
    : `${shown.replace(/[\ud800-\udbff]$/, "")} … [line of ${length} characters]`;
}

export interface LineHit {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Finds the lines of a UTF-8 file that match. */
type LineMatcher = (bytes: Uint8Array, maxHits: number) => readonly LineHit[];

/** For a pattern that is bounded: linear, and fast for a literal that is not there. */
export function createLineMatcher({ source, literal, ignoreCase }: SearchPattern): LineMatcher {
  const needle = literal === undefined || ignoreCase ? undefined : Buffer.from(literal);
  const pattern = new RegExp(
    literal === undefined ? source : escapePattern(literal),
    ignoreCase ? "giu" : "gu",
  );
  return (bytes, maxHits) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (needle && !buffer.includes(needle)) return [];
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

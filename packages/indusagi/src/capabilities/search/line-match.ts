// What all search engines here share: which files are searched, what a line is, how a hit is shown.

import { escapePattern, type SearchPattern } from "./pattern.ts";

/** Files over this size are skipped: 2 MiB. */
export const MAX_FILE_BYTES = 2_097_152;

/** A NUL among this many opening bytes makes a file binary: 4 KiB. */
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

/** How much of a cut line is shown before its match. */
const CHARS_BEFORE = SHOWN_CHARS / 2;

/** A hit's line as shown, whose first match is at `at`: without its carriage return, the surroundings of the match if very long, NUL as `\\0`. */
export function shownLine(line: string, at = 0): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return shownPart({ text, start: 0 }, text.length, at);
}

/** Part of a line, and where in the line it begins. */
export interface LinePart {
  readonly text: string;
  readonly start: number;
}

/** Where in a line of `length` units, whose first match is at `at`, the part that is shown begins. */
export function shownStart(length: number, at: number): number {
  const isEarly = at + CHARS_BEFORE <= SHOWN_CHARS;
  return isEarly ? 0 : Math.max(0, Math.min(at - CHARS_BEFORE, length - SHOWN_CHARS));
}

/** {@link shownLine} for a line of `length` units, of which `part` has at least what is shown. */
export function shownPart(part: LinePart, length: number, at: number): string {
  const start = shownStart(length, at);
  const shown = part.text.slice(start - part.start, start - part.start + SHOWN_CHARS).replaceAll("\0", "\\0");
  if (length <= SHOWN_CHARS) return shown;
  const whole = shown.replace(start > 0 ? /^[\udc00-\udfff]/ : /^/, "").replace(/[\ud800-\udbff]$/, "");
  return start === 0
    ? `${whole} … [line of ${length} characters]`
    : `… ${whole} … [line of ${length} characters, shown from ${start + 1}]`;
}

export interface LineHit {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Where in the line its first match begins, in UTF-16 units. */
  readonly at: number;
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
    const at = match.index - counted;
    hits.push({ line, at, text: shownLine(text.slice(counted, end), at) });
    pattern.lastIndex = end; // the next hit is on a later line
  }
  return hits;
}

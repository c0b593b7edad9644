// The lines of a quoted snippet, and their counterparts in the file where both have the same words and other whitespace.

import { changedRanges } from "./changed-ranges.ts";
import type { LeadPair } from "./indentation.ts";

/** The leading blanks of a line, the rest of it, and its end; a last line without an end may be empty. */
export interface Line {
  readonly lead: string;
  readonly body: string;
  readonly ending: string;
}

export function linesOf(text: string, lineBreak: "\n" | "\r"): readonly Line[] {
  const parts = text.split(lineBreak);
  return parts.map((part, index) => {
    const isEnded = index < parts.length - 1;
    const isWindows = isEnded && part.endsWith("\r");
    const line = isWindows ? part.slice(0, -1) : part;
    const body = line.trimStart();
    const lead = line.slice(0, line.length - body.length);
    return { lead, body, ending: isEnded ? (isWindows ? `\r${lineBreak}` : lineBreak) : "" };
  });
}

interface Comparison {
  /** The indentations of the lines that begin with the same word. */
  readonly pairs: readonly LeadPair[];
  /** The indentation of a first line that may have been quoted without it. */
  readonly opening: string | undefined;
  /**
   * For the index of a quoted line: the same line of the file, or "missing" for a blank line that the file has not. The last
   * blank line before a text stands for all that the file has there.
   */
  readonly counterparts: ReadonlyMap<number, Line | "missing">;
}

interface QuotedLines {
  readonly lines: readonly Line[];
  /** Whether the snippet shows that its first line is whole. */
  readonly isWholeLine: boolean;
  /** Compares with lines of the file, which has all of its first line only if `isLineStart`. */
  readonly compare: (own: readonly Line[], isLineStart: boolean) => Comparison;
}

export function quotedLines(lines: readonly Line[], isWholeLine: boolean): QuotedLines {
  const places = byPlace(lines);
  const compare = (own: readonly Line[], isLineStart: boolean): Comparison => {
    const ownPlaces = byPlace(own);
    const pairs: LeadPair[] = [];
    const counterparts = new Map<number, Line | "missing">();
    let opening: string | undefined;
    for (const [place, { line, index, words }] of places) {
      const counterpart = ownPlaces.get(place);
      if (place === END) continue;
      if (words === 0) {
        const isLastBlank = !places.has(placeAfter(place));
        const all = isLastBlank ? runFrom(ownPlaces, place) : counterpart?.line;
        counterparts.set(index, all ?? "missing");
      } else if (counterpart !== undefined && (isLineStart || place !== FIRST)) {
        if (counterpart.words === words) counterparts.set(index, counterpart.line);
        const own = counterpart.line.lead;
        if (place === FIRST && !isWholeLine && line.lead === "" && own !== "") opening = own;
        else pairs.push({ quoted: line.lead, own });
      }
    }
    return { pairs, opening, counterparts };
  };
  return { lines, isWholeLine, compare };
}

/** For the index of a wanted line: that of the quoted line which the edit keeps there. */
export function keptLines(quoted: readonly Line[], wanted: readonly Line[]): ReadonlyMap<number, number> {
  const old = quoted.map(comparable);
  const now = wanted.map(comparable);
  const kept = new Map<number, number>();
  let atOld = 0;
  let atNow = 0;
  for (const [oldStart, oldEnd, , nowEnd] of [...changedRanges(old, now), [old.length, 0, 0, 0] as const]) {
    while (atOld < oldStart) kept.set(atNow++, atOld++);
    atOld = oldEnd;
    atNow = nowEnd;
  }
  return kept;
}

/** A blank last line is none: it only ends the one before. */
function comparable({ lead, body }: Line, index: number, lines: readonly Line[]): string {
  return lead + body + (body === "" && index === lines.length - 1 ? "\n" : "");
}

interface PlacedLine {
  readonly line: Line;
  readonly index: number;
  readonly words: number;
}

const FIRST = "0";
const END = "end";

/** Lines by the number of words before them; blank lines also by their number since the last word. */
function byPlace(lines: readonly Line[]): ReadonlyMap<string, PlacedLine> {
  const places = new Map<string, PlacedLine>();
  let wordsBefore = 0;
  let blanks = 0;
  for (const [index, line] of lines.entries()) {
    const words = line.body.split(/\s+/).filter((word) => word !== "").length;
    const isEnd = words === 0 && index === lines.length - 1;
    places.set(isEnd ? END : words > 0 ? String(wordsBefore) : blankPlace(wordsBefore, blanks), {
      line,
      index,
      words,
    });
    wordsBefore += words;
    blanks = words > 0 ? 0 : blanks + 1;
  }
  return places;
}

function blankPlace(wordsBefore: number, blanks: number): string {
  return `${wordsBefore}/${blanks}`;
}

function placeAfter(place: string): string {
  const [wordsBefore, blanks] = place.split("/").map(Number);
  return blankPlace(wordsBefore ?? 0, (blanks ?? 0) + 1);
}

/** The blank line at `place` and all after it, as one. */
function runFrom(lines: ReadonlyMap<string, PlacedLine>, place: string): Line | undefined {
  const run: Line[] = [];
  let at = place;
  for (let next = lines.get(at); next !== undefined; next = lines.get(at)) {
    run.push(next.line);
    at = placeAfter(at);
  }
  const last = run.at(-1);
  if (last === undefined) return undefined;
  const before = run.slice(0, -1).map(({ lead, ending }) => lead + ending);
  return { lead: before.join("") + last.lead, body: "", ending: last.ending };
}

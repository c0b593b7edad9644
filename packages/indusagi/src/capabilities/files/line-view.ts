// Shows a window of lines within a budget: the lines, and a header that says which they are and how to see the rest.

import type { OutputBudget } from "../../core/clamp.ts";
import type { LineWindow } from "./line-window.ts";
import type { TextEncoding } from "./text-encoding.ts";

const GUTTER_WIDTH = 6;
/** The bytes a line takes besides its text: its number, a tab, a line end. */
export const LINE_OVERHEAD_BYTES: number = GUTTER_WIDTH + 2;

interface LineView {
  /** Says what is shown, and how to see what is not. */
  readonly header: string;
  /** The numbered lines, with a notice if some are left out. */
  readonly body: string;
}

/** Shows whole lines up to the budget, from the ends it names; part of the first line if even that is too long. */
export function viewLines(window: LineWindow, budget: OutputBudget): LineView {
  const ends = lineEndsOf(window);
  const rows = window.lines.map((line, index) => rowOf(ends.shown(line, index), window.offset + index));
  const parts = partsWithin(rows, budget);
  const first = parts.head === 0 && parts.tail === 0 ? beginning(window, rows[0] ?? "", budget) : undefined;
  const head = first ? [first.row] : rows.slice(0, parts.head);
  const tail = first ? [] : rows.slice(rows.length - parts.tail);
  const span: Span = {
    first: window.offset,
    last: window.offset + rows.length - 1,
    headEnd: window.offset + head.length - 1,
    tailStart: window.offset + rows.length - tail.length,
  };
  const missing =
    span.tailStart > span.headEnd + 1 && tail.length > 0 ? missingLines(window, span) : undefined;
  const notice =
    missing && `[read: ${count(missing.bytes, "byte")} trimmed to stay within the output ceiling]`;
  const isLastShown = span.headEnd === span.last || tail.length > 0;
  const cutAtByte = first?.cutAtByte ?? window.cutAtByte;
  const header = [
    `Showing lines ${shownLines(span, tail.length)} of ${window.totalLines ?? "a file too large to count"}.`,
    ...(cutAtByte === undefined
      ? []
      : [`The line is longer than the output ceiling: continue with byteOffset ${cutAtByte}.`]),
    ...(missing ? [missing.advice] : []),
    // If a line continues in a file too large to count, it is unknown whether another follows.
    ...(window.totalLines === undefined && cutAtByte !== undefined
      ? []
      : describeRest(window, tail.length > 0 ? span.last : span.headEnd)),
    ...ends.words({ hasLast: isLastShown, hasCut: cutAtByte !== undefined }),
  ];
  return { header: header.join(" "), body: [...head, ...(notice ? [notice] : []), ...tail].join("\n") };
}

function rowOf(line: string, number: number): string {
  return `${String(number).padStart(GUTTER_WIDTH)}\t${line}`;
}

interface Parts {
  /** How many lines from the beginning and from the end. */
  readonly head: number;
  readonly tail: number;
}

function partsWithin(rows: readonly string[], { kind, maxBytes }: OutputBudget): Parts {
  const sizes = rows.map((row) => Buffer.byteLength(row) + 1);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= maxBytes + 1) return { head: rows.length, tail: 0 };
  const tailRoom = { head: 0, middle: Math.ceil(maxBytes / 2), tail: maxBytes }[kind];
  const tail = countWithin(sizes.toReversed(), tailRoom);
  const tailBytes = sizes.slice(sizes.length - tail).reduce((sum, size) => sum + size, 0);
  const head = countWithin(sizes, maxBytes - tailBytes);
  // A beginning needs at least the first line.
  if (head === 0 && kind !== "tail") return { head: countWithin(sizes, maxBytes), tail: 0 };
  return { head, tail };
}

function countWithin(sizes: readonly number[], room: number): number {
  let bytes = 0;
  const over = sizes.findIndex((size) => {
    bytes += size;
    return bytes > room;
  });
  return over < 0 ? sizes.length : over;
}

interface Beginning {
  readonly row: string;
  /** Absent if the whole line fits, however small the budget. */
  readonly cutAtByte?: number;
}

function beginning(window: LineWindow, row: string, { maxBytes }: OutputBudget): Beginning {
  const gutter = row.indexOf("\t") + 1;
  const line = row.slice(gutter);
  const { read } = new TextEncoder().encodeInto(line, new Uint8Array(Math.max(0, maxBytes - gutter)));
  const units = Math.max(read, String.fromCodePoint(line.codePointAt(0) ?? 0).length);
  if (units >= line.length) return { row };
  const shown = line.slice(0, units);
  return {
    row: row.slice(0, gutter) + shown,
    cutAtByte: window.startByte() + window.encoding.byteLength(shown),
  };
}

interface Span {
  readonly first: number;
  readonly last: number;
  /** The last line of the beginning, and the first of the end. */
  readonly headEnd: number;
  readonly tailStart: number;
}

function shownLines({ first, last, headEnd, tailStart }: Span, tail: number): string {
  const head = headEnd >= first ? [`${first}–${headEnd}`] : [];
  return [...head, ...(tail > 0 ? [`${tailStart}–${last}`] : [])].join(" and ") || `${first}–${last}`;
}

function missingLines({ lines, offset, encoding }: LineWindow, { headEnd, tailStart }: Span) {
  const missing = lines.slice(headEnd + 1 - offset, tailStart - offset);
  const bytes = encoding.byteLength(missing.join("\n")) + encoding.byteLength("\n");
  const from = headEnd + 1;
  const amount = tailStart - from;
  const advice =
    `Lines ${from}–${tailStart - 1} (${count(bytes, "byte")}) were trimmed: ` +
    `use offset ${from} and limit ${amount} to see them.`;
  return { bytes, advice };
}

function describeRest({ totalLines }: LineWindow, last: number): readonly string[] {
  if (totalLines === last) return [];
  const rest =
    totalLines === undefined ? "More lines follow" : `${count(totalLines - last, "line")} remaining`;
  return [`${rest}: continue with offset ${last + 1}.`];
}

interface LineEnds {
  readonly shown: (line: string, index: number) => string;
  readonly words: (seen: { readonly hasLast: boolean; readonly hasCut: boolean }) => readonly string[];
}

// If all lines end alike, the header says how; if only some end in a carriage return, it is shown.
function lineEndsOf({ lines, offset, isLastEnded, totalLines, encoding }: LineWindow): LineEnds {
  const ended = isLastEnded ? lines.length : lines.length - 1;
  let returns = 0;
  for (let index = 0; index < ended; index++) if (lines[index]?.endsWith("\r")) returns++;
  const isWindows = returns > 0 && returns === ended;
  const isEndOfFile = totalLines !== undefined && offset + lines.length - 1 === totalLines;
  return {
    shown: (line, index) => (isWindows && index < ended ? line.slice(0, -1) : line),
    words: ({ hasLast, hasCut }) => [
      ...(isWindows ? ["Line endings are CRLF."] : []),
      ...(returns > 0 && !isWindows ? ["Line endings are mixed: carriage returns are shown."] : []),
      ...(isEndOfFile && !isLastEnded && hasLast && !hasCut && lines.length > 0
        ? ["The last line has no line ending."]
        : []),
      ...(encoding.name === "UTF-8" ? [] : [describeEncoding(encoding)]),
    ],
  };
}

/** Names a text's encoding if it is not UTF-8. */
export function describeEncoding({ name, likely }: TextEncoding): string {
  if (name !== "Windows-1252") return `It is ${name} text.`;
  const guess = `It is probably ${likely}: convert it to read its words (iconv -f ${likely} -t UTF-8).`;
  return `It is not UTF-8: shown as Windows-1252 (Latin-1).${likely === undefined ? "" : ` ${guess}`}`;
}

export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

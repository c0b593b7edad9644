// Marked text, laid out in rows. Everything laid out has passed the sanitiser: spans are the only way to the screen, and
// the only control sequences in a row are those written here.

import { printable } from "indusagi/core";
import { clustersOf, columnsOfCluster } from "../../console/columns.ts";
import type { Mark, Painter } from "./theme.ts";

/** A piece of a row, without control characters; make it with {@link span}. */
export interface Span {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** The link's address, accepted by {@link linkTarget}. */
  readonly link?: string;
}

export type Line = readonly Span[];

/** A piece of any text, made printable, on one row: a line break becomes a blank, a tab four. */
export function span(text: string, ...marks: readonly Mark[]): Span {
  return { text: oneRow(text), marks };
}

const ASCII = /^[\x20-\x7e]*$/;
const BREAKS = /[\n\t\u2028\u2029]/g;

function oneRow(text: string): string {
  const shown = printable(text);
  return shown.replace(BREAKS, (found) => (found === "\t" ? "    " : " "));
}

/**
 * The most cells that any terminal uses for `text`: terminals differ in whether they draw joined characters as one, and a row
 * must fit in all of them.
 */
function cellsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += character === "\ufe0f" ? 1 : columnsOfCluster(character);
  return cells;
}

export function widthOf(line: Line): number {
  let width = 0;
  for (const { text } of line) width += cellsOf(text);
  return width;
}

const RESET = "\x1b[0m";
const LINK_END = "\x1b]8;;\x1b\\";

/** The row as sent to the terminal. */
export function paint(line: Line, painter: Painter): string {
  let row = "";
  /** The colours currently in effect: neighbours with the same look share them. */
  let colours = "";
  let target: string | undefined;
  for (const { text, marks, link } of line) {
    if (text === "") continue;
    let wanted = "";
    for (const mark of marks) wanted += painter(mark);
    if (colours !== wanted && colours !== "") row += RESET;
    if (target !== link) {
      if (target !== undefined) row += LINK_END;
      if (link !== undefined) row += `\x1b]8;;${link}\x1b\\`;
      target = link;
    }
    if (colours !== wanted) row += wanted;
    colours = wanted;
    row += text;
  }
  if (colours !== "") row += RESET;
  return target === undefined ? row : row + LINK_END;
}

// Not `file:`: clicking it could open a program.
const SCHEMES = /^(?:https?|mailto):/i;
const MAX_LINK = 2000;

/** The address of a link if it is safe to send to a terminal: a known scheme, and only visible ASCII. */
export function linkTarget(address: string): string | undefined {
  const isSafe = SCHEMES.test(address) && address.length <= MAX_LINK && /^[\x21-\x7e]+$/.test(address);
  return isSafe ? address : undefined;
}

/** False for a terminal known not to show links (OSC 8). Most do, and over SSH little is known of one. */
export function hasLinks({ TERM = "", TERM_PROGRAM, TMUX }: NodeJS.ProcessEnv): boolean {
  return (
    TERM_PROGRAM !== "Apple_Terminal" &&
    TERM !== "linux" &&
    (!TERM.startsWith("screen") || TMUX !== undefined)
  );
}

interface WrapOptions {
  /** Precedes the first row; `rest` precedes each further one. */
  readonly first?: Line;
  readonly rest?: Line;
  /** Breaks at the last column, wherever that is, and keeps every blank. */
  readonly cutsWords?: boolean;
}

/** The rows of a line at most `columns` wide, broken between words if possible. */
export function wrap(
  line: Line,
  columns: number,
  { first = [], rest = first, cutsWords = false }: WrapOptions = {},
): Line[] {
  const rows: Line[] = [];
  let row: Span[] = [...first];
  let width = widthOf(first);
  let room = columns - width;
  let isFresh = true;
  const restWidth = widthOf(rest);
  const breakRow = (): void => {
    rows.push(row);
    row = [...rest];
    room = columns - restWidth;
    width = restWidth;
    isFresh = true;
  };
  const put = (piece: Span, text: string, taken: number): void => {
    const last = row.at(-1);
    if (last && last.marks === piece.marks && last.link === piece.link && !isFresh)
      row[row.length - 1] = { ...last, text: last.text + text };
    else row.push({ ...piece, text });
    room -= taken;
    width += taken;
    isFresh = false;
  };
  for (const piece of line) {
    for (const [word] of piece.text.matchAll(cutsWords ? /[\s\S]+/g : / +|[^ ]+/g)) {
      const taken = cellsOf(word);
      if (taken <= room) {
        put(piece, word, taken);
        continue;
      }
      if (!cutsWords && word.startsWith(" ")) {
        if (!isFresh) breakRow(); // a blank at the end of a row is invisible
        continue;
      }
      const isLong = taken > columns - restWidth || taken > word.length;
      if ((cutsWords ? room < 1 : !isLong) && !isFresh) breakRow();
      if (taken <= room) {
        put(piece, word, taken);
        continue;
      }
      for (const { text, taken: part } of pieces(word, Math.max(1, room), Math.max(1, columns - restWidth))) {
        if (part > room && !isFresh) breakRow();
        put(piece, text, part);
      }
    }
  }
  rows.push(row);
  return rows;
}

/** A word in pieces, the first at most `first` wide, the others at most `columns`; no character is split. */
function* pieces(
  word: string,
  first: number,
  columns: number,
): Generator<{ readonly text: string; readonly taken: number }> {
  if (ASCII.test(word)) {
    for (let at = 0; at < word.length; ) {
      const text = word.slice(at, at + (at === 0 ? first : columns));
      yield { text, taken: text.length };
      at += text.length;
    }
    return;
  }
  let text = "";
  let taken = 0;
  let room = first;
  for (const segment of clustersOf(word)) {
    const width = cellsOf(segment);
    if (taken + width > room && text !== "") {
      yield { text, taken };
      text = "";
      taken = 0;
      room = columns;
    }
    text += segment;
    taken += width;
  }
  if (text !== "") yield { text, taken };
}

/** The beginning of a line that fits, with `…` if something is left out. */
export function cut(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line;
  const kept: Span[] = [];
  let room = columns - 1;
  for (const piece of line) {
    const taken = cellsOf(piece.text);
    if (taken <= room) {
      kept.push(piece);
      room -= taken;
      continue;
    }
    const [head] = pieces(piece.text, Math.max(1, room), 1);
    if (head && head.taken <= room) kept.push({ ...piece, text: head.text });
    break;
  }
  return [...kept, { text: "…", marks: ["dim"] }];
}

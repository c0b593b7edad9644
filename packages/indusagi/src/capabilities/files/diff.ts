// Line differences between two texts, of their real bytes: a changed line end or a missing final one is a change and
// shows as one.

import { type ChangedRange, changedRanges } from "./changed-ranges.ts";

/** Lines of unchanged text around each change. */
export const DEFAULT_CONTEXT = 3;

export type DiffOpKind = "keep" | "add" | "remove";

export interface DiffOp {
  readonly kind: DiffOpKind;
  /** The line without its line end. */
  readonly text: string;
  /** The line end as it is in the text; empty only at the end of a text. */
  readonly ending: "\n" | "\r\n" | "";
  /** Line numbers from 1; undefined on the side that has no such line. */
  readonly beforeLine: number | undefined;
  readonly afterLine: number | undefined;
}

export interface LineDiff {
  readonly ops: readonly DiffOp[];
  readonly added: number;
  readonly removed: number;
}

/** The edit script from `before` to `after`, by lines: the shortest, unless that one costs too much to find. */
export function diffLines(before: string, after: string): LineDiff {
  const old = splitLines(before);
  const now = splitLines(after);
  const ops: DiffOp[] = [];
  let added = 0;
  let removed = 0;
  let atOld = 0;
  let atNow = 0;
  const keepUntil = (end: number): void => {
    while (atOld < end)
      ops.push(createOp("keep", old[atOld] ?? "", { beforeLine: ++atOld, afterLine: ++atNow }));
  };
  for (const [oldStart, oldEnd, , nowEnd] of changedRanges(old, now)) {
    keepUntil(oldStart);
    removed += oldEnd - atOld;
    added += nowEnd - atNow;
    while (atOld < oldEnd) ops.push(createOp("remove", old[atOld] ?? "", { beforeLine: ++atOld }));
    while (atNow < nowEnd) ops.push(createOp("add", now[atNow] ?? "", { afterLine: ++atNow }));
  }
  keepUntil(old.length);
  return { ops, added, removed };
}

/**
 * `@@` hunks with `context` unchanged lines around each change; an empty string for equal texts. A carriage return
 * stays in its line, and a text without a final line end is marked as git and patch(1) do.
 */
export function renderUnifiedDiff(before: string, after: string, context: number = DEFAULT_CONTEXT): string {
  if (before === after) return "";
  const { start, end } = commonEnds(before, after, context);
  const old = splitLines(before.slice(start, before.length - end));
  const now = splitLines(after.slice(start, after.length - end));
  const texts: Texts = { old, now, linesBefore: countNewlines(before, start) };
  return hunksOf(changedRanges(old, now), context)
    .map((ranges) => renderHunk(ranges, context, texts))
    .join("");
}

/** Lines with their line ends; a final line end begins no further line, and an empty text has no line. */
function splitLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

function createOp(kind: DiffOpKind, line: string, at: { beforeLine?: number; afterLine?: number }): DiffOp {
  const ending = line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
  const text = line.slice(0, line.length - ending.length);
  return { kind, text, ending, beforeLine: at.beforeLine, afterLine: at.afterLine };
}

/** How many units at both ends are whole equal lines that no hunk will show. */
function commonEnds(
  before: string,
  after: string,
  context: number,
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start + PIECE_UNITS <= shorter && isSamePiece(before, after, start, start)) start += PIECE_UNITS;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
  const startOfPiece = (text: string): number => text.length - end - PIECE_UNITS;
  while (
    end + PIECE_UNITS <= shorter - start &&
    isSamePiece(before, after, startOfPiece(before), startOfPiece(after))
  )
    end += PIECE_UNITS;
  const isSame = (): boolean =>
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end);
  while (end < shorter - start && isSame()) end++;

  // Back to the line break before the context, and on to the one after it.
  let tail = before.length - end;
  for (let line = 0; line <= context; line++) {
    start = start > 0 ? before.lastIndexOf("\n", start - 1) : -1;
    const newline = before.indexOf("\n", tail);
    tail = newline < 0 ? before.length : newline + 1;
  }
  return { start: start + 1, end: before.length - tail };
}

const PIECE_UNITS = 65_536; // the machine compares a piece at once, where unit by unit takes thirty times as long

function isSamePiece(before: string, after: string, atBefore: number, atAfter: number): boolean {
  return before.slice(atBefore, atBefore + PIECE_UNITS) === after.slice(atAfter, atAfter + PIECE_UNITS);
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** The changes of each hunk: those no more than twice `context` lines apart share one. */
function hunksOf(ranges: readonly ChangedRange[], context: number): readonly ChangedRange[][] {
  const hunks: ChangedRange[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const range of ranges) {
    if (range[0] - end > 2 * context) hunks.push([]);
    hunks.at(-1)?.push(range);
    end = range[1];
  }
  return hunks;
}

interface Texts {
  readonly old: readonly string[];
  readonly now: readonly string[];
  /** Lines that stand before both. */
  readonly linesBefore: number;
}

function renderHunk(
  ranges: readonly ChangedRange[],
  context: number,
  { old, now, linesBefore }: Texts,
): string {
  const [[firstOld, , firstNow] = NOTHING] = ranges;
  const [, lastOld, , lastNow] = ranges.at(-1) ?? NOTHING;
  const lead = Math.min(context, firstOld);
  const trail = Math.min(context, old.length - lastOld);
  const lines: string[] = [];
  let at = firstOld - lead;
  for (const [oldStart, oldEnd, nowStart, nowEnd] of ranges) {
    while (at < oldStart) lines.push(row(" ", old[at++]));
    while (at < oldEnd) lines.push(row("-", old[at++]));
    for (let added = nowStart; added < nowEnd; added++) lines.push(row("+", now[added]));
  }
  while (at < lastOld + trail) lines.push(row(" ", old[at++]));
  const before = rangeOf(linesBefore + firstOld - lead, at - firstOld + lead);
  const after = rangeOf(linesBefore + firstNow - lead, lastNow + trail - firstNow + lead);
  return `@@ -${before} +${after} @@\n${lines.join("")}`;
}

const NOTHING: ChangedRange = [0, 0, 0, 0];

function row(sign: " " | "-" | "+", line = ""): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}

// By convention a side without lines is numbered by the line it follows.
function rangeOf(linesBefore: number, length: number): string {
  return `${length === 0 ? linesBefore : linesBefore + 1},${length}`;
}

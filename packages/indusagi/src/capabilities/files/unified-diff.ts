// A change of a text as git and patch(1) write it: `@@` hunks of the texts' real bytes. A carriage return stays in its line,
// and a text without a final line end is marked.

import type { OutputBudget } from "../../core/clamp.ts";
import { type ChangedRange, changedRanges, splitLines } from "./changed-ranges.ts";
import type { Span } from "./text-scan.ts";

/** What of a diff a tool gives: a 16 KB middle window. */
export const DIFF_BUDGET: OutputBudget = { kind: "middle", maxBytes: 16_384 };

/** Lines of unchanged text around each change. */
export const DEFAULT_CONTEXT = 3;

/** The hunks that turn `before` into `after`; an empty string if the texts are equal. */
export function renderUnifiedDiff(before: string, after: string, context: number = DEFAULT_CONTEXT): string {
  if (before === after) return "";
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const removed: Span = { start, end: before.length - end };
  return renderRegions([wholeLines(before, removed, after.length - before.length)], {
    before,
    after,
    context,
  });
}

/** A text before and after an edit, and where the edit was made: `removed[k]` of `before` became `inserted[k]` of `after`. */
interface PlacedEdit {
  readonly before: string;
  readonly after: string;
  readonly removed: readonly Span[];
  readonly inserted: readonly Span[];
}

/** The hunks of an edit. Only the lines it touched are compared, however large the text is. */
export function renderEditDiff(edit: PlacedEdit, context: number = DEFAULT_CONTEXT): string {
  return renderRegions(regionsOf(edit, context), { before: edit.before, after: edit.after, context });
}

/** Whole lines of both texts; outside them the texts are equal. */
interface Region {
  readonly old: Span;
  readonly now: Span;
}

interface Texts {
  readonly before: string;
  readonly after: string;
  readonly context: number;
}

/** Places on the same line, or so close that their hunks would touch, form one region. */
function* regionsOf({ before, removed, inserted }: PlacedEdit, context: number): Generator<Region> {
  let first = 0;
  let changedEnd = 0; // the end of the line of the previous place
  for (const [index, { start, end }] of removed.entries()) {
    if (index > 0 && end <= changedEnd) continue;
    if (index > 0 && start >= linesOn(before, changedEnd, 2 * context + 1)) {
      yield regionFrom(first, index - 1);
      first = index;
    }
    changedEnd = linesOn(before, end, 1);
  }
  if (removed.length > 0) yield regionFrom(first, removed.length - 1);

  function regionFrom(from: number, to: number): Region {
    const start = removed[from]?.start ?? 0;
    const shift = (inserted[from]?.start ?? 0) - start;
    const end = removed[to]?.end ?? 0;
    const growth = (inserted[to]?.end ?? 0) - end - shift;
    const { old, now } = wholeLines(before, { start, end }, growth);
    return { old, now: { start: now.start + shift, end: now.end + shift } };
  }
}

function wholeLines(text: string, { start, end }: Span, growth: number): Region {
  const old: Span = { start: lineStart(text, start), end: linesOn(text, end, 1) };
  return { old, now: { start: old.start, end: old.end + growth } };
}

function renderRegions(regions: Iterable<Region>, { before, after, context }: Texts): string {
  const hunks: string[] = [];
  let counted = 0;
  let linesBefore = 0;
  let linesAfter = 0;
  for (const { old, now } of regions) {
    const passed = countNewlines(before, counted, old.start);
    const lead = splitLines(before.slice(linesBack(before, old.start, context), old.start));
    const oldLines = splitLines(before.slice(old.start, old.end));
    const nowLines = splitLines(after.slice(now.start, now.end));
    const trail = splitLines(before.slice(old.end, linesOn(before, old.end, context)));
    const frame: Frame = {
      old: [...lead, ...oldLines, ...trail],
      now: [...lead, ...nowLines, ...trail],
      linesBefore: linesBefore + passed - lead.length,
      linesAfter: linesAfter + passed - lead.length,
      context,
    };
    const ranges = changedRanges(oldLines, nowLines).map((range) => shifted(range, lead.length));
    for (const hunk of hunksOf(ranges, context)) hunks.push(renderHunk(hunk, frame));
    linesBefore += passed + oldLines.length;
    linesAfter += passed + nowLines.length;
    counted = old.end;
  }
  return hunks.join("");
}

/** The lines that hunks are cut from, and how many lines precede them in each text. */
interface Frame {
  readonly old: readonly string[];
  readonly now: readonly string[];
  readonly linesBefore: number;
  readonly linesAfter: number;
  readonly context: number;
}

function shifted([oldStart, oldEnd, nowStart, nowEnd]: ChangedRange, by: number): ChangedRange {
  return [oldStart + by, oldEnd + by, nowStart + by, nowEnd + by];
}

/** The changes of each hunk: changes at most twice `context` lines apart share one. */
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

function renderHunk(ranges: readonly ChangedRange[], frame: Frame): string {
  const { old, now, context } = frame;
  const [[firstOld, , firstNow] = NOTHING] = ranges;
  const [, lastOld, , lastNow] = ranges.at(-1) ?? NOTHING;
  const lead = Math.min(context, firstOld);
  const trail = Math.min(context, old.length - lastOld);
  const rows: string[] = [];
  let at = firstOld - lead;
  for (const [oldStart, oldEnd, nowStart, nowEnd] of ranges) {
    while (at < oldStart) rows.push(row(" ", old[at++]));
    while (at < oldEnd) rows.push(row("-", old[at++]));
    for (let added = nowStart; added < nowEnd; added++) rows.push(row("+", now[added]));
  }
  while (at < lastOld + trail) rows.push(row(" ", old[at++]));
  const before = rangeOf(frame.linesBefore + firstOld - lead, lastOld - firstOld + lead + trail);
  const after = rangeOf(frame.linesAfter + firstNow - lead, lastNow - firstNow + lead + trail);
  return `@@ -${before} +${after} @@\n${rows.join("")}`;
}

const NOTHING: ChangedRange = [0, 0, 0, 0];

function row(sign: " " | "-" | "+", line = ""): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}

// By convention, a side without lines is numbered by the line before it.
function rangeOf(linesBefore: number, length: number): string {
  return `${length === 0 ? linesBefore : linesBefore + 1},${length}`;
}

const PIECE_UNITS = 65_536; // a piece is compared natively, in a thirtieth of the time that comparing units takes

function commonStart(before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  const isSamePiece = (at: number): boolean =>
    before.slice(at, at + PIECE_UNITS) === after.slice(at, at + PIECE_UNITS);
  let length = 0;
  while (length + PIECE_UNITS <= shorter && isSamePiece(length)) length += PIECE_UNITS;
  while (length < shorter && before.charCodeAt(length) === after.charCodeAt(length)) length++;
  return length;
}

function commonEnd(before: string, after: string, start: number): number {
  const shorter = Math.min(before.length, after.length) - start;
  const pieceBefore = (text: string, end: number): string => text.slice(end - PIECE_UNITS, end);
  let length = 0;
  while (
    length + PIECE_UNITS <= shorter &&
    pieceBefore(before, before.length - length) === pieceBefore(after, after.length - length)
  )
    length += PIECE_UNITS;
  const isSame = (at: number): boolean =>
    before.charCodeAt(before.length - at) === after.charCodeAt(after.length - at);
  while (length < shorter && isSame(length + 1)) length++;
  return length;
}

function lineStart(text: string, at: number): number {
  return at > 0 ? text.lastIndexOf("\n", at - 1) + 1 : 0;
}

/** The start of the line `lines` lines before the one starting at `at`; the start of the text if there are fewer. */
function linesBack(text: string, at: number, lines: number): number {
  let start = at;
  for (let line = 0; line < lines && start > 0; line++) start = lineStart(text, start - 1);
  return start;
}

/** The position after the `lines`-th line end from `at`; the end of the text if there are fewer. */
function linesOn(text: string, at: number, lines: number): number {
  let end = at;
  for (let line = 0; line < lines && end < text.length; line++) {
    const newline = text.indexOf("\n", end);
    end = newline < 0 ? text.length : newline + 1;
  }
  return end;
}

function countNewlines(text: string, from: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

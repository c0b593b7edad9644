// Line differences between two texts, of their real bytes: a changed line end or a missing final one is a change and
// shows as one.

import { diff } from "fast-myers-diff";

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

/**
 * The shortest edit script from `before` to `after`, by lines. Two long texts with little in common would take
 * seconds: past a fixed cost, the whole differing block counts as replaced.
 */
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
  const { ops } = diffLines(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const skippedLines = countNewlines(before, start);
  return hunksOf(ops, context)
    .map((hunk) => renderHunk(hunk, skippedLines))
    .join("");
}

type Range = readonly [oldStart: number, oldEnd: number, nowStart: number, nowEnd: number];

// Comparisons before giving up on the shortest script: about 50 ms.
const COST_CAP = 4_000_000;

class CostCapReached extends Error {}

function changedRanges(old: readonly string[], now: readonly string[]): readonly Range[] {
  let start = 0;
  const shorter = Math.min(old.length, now.length);
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;

  const whole: Range = [start, old.length - end, start, now.length - end];
  const numbers = new Map<string, number>(); // comparing numbers costs the same for any line
  const numbered = (lines: readonly string[]): Uint32Array =>
    Uint32Array.from(lines.slice(start, lines.length - end), (line) => {
      const known = numbers.get(line) ?? numbers.size;
      numbers.set(line, known);
      return known;
    });
  const a = numbered(old);
  const b = numbered(now);
  if (a.length === 0 || b.length === 0) return a.length === b.length ? [] : [whole];
  let cost = 0;
  const isSame = (i: number, j: number): boolean => {
    if (++cost > COST_CAP) throw new CostCapReached();
    return a[i] === b[j];
  };
  try {
    return [...diff(a, b, isSame)].map(([oldStart, oldEnd, nowStart, nowEnd]) => [
      start + oldStart,
      start + oldEnd,
      start + nowStart,
      start + nowEnd,
    ]);
  } catch (error) {
    if (error instanceof CostCapReached) return [whole];
    throw error;
  }
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
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
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

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

interface Hunk {
  readonly ops: DiffOp[];
  /** Lines of either text before the hunk. */
  readonly linesBefore: number;
  readonly linesAfter: number;
}

/** Changes with the context around them; those no more than twice `context` apart share a hunk. */
function hunksOf(ops: readonly DiffOp[], context: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let end = 0; // the first operation in no hunk yet
  let linesBefore = 0;
  let linesAfter = 0;
  for (const [index, op] of ops.entries()) {
    if (op.kind !== "keep") {
      const from = Math.max(index - context, end);
      if (from > end || hunks.length === 0) {
        const kept = index - from;
        hunks.push({ ops: [], linesBefore: linesBefore - kept, linesAfter: linesAfter - kept });
        end = from;
      }
      const to = Math.min(ops.length, index + 1 + context);
      hunks.at(-1)?.ops.push(...ops.slice(end, to));
      end = Math.max(end, to);
    }
    if (op.kind !== "add") linesBefore++;
    if (op.kind !== "remove") linesAfter++;
  }
  return hunks;
}

const SIGNS: Readonly<Record<DiffOpKind, string>> = { keep: " ", add: "+", remove: "-" };

function renderHunk({ ops, linesBefore, linesAfter }: Hunk, skippedLines: number): string {
  const lines = ops.map(({ kind, text, ending }) => {
    const line = `${SIGNS[kind]}${text}${ending === "\r\n" ? "\r" : ""}\n`;
    return ending === "" ? `${line}\\ No newline at end of file\n` : line;
  });
  const before = rangeOf(skippedLines + linesBefore, ops.filter((op) => op.kind !== "add").length);
  const after = rangeOf(skippedLines + linesAfter, ops.filter((op) => op.kind !== "remove").length);
  return `@@ -${before} +${after} @@\n${lines.join("")}`;
}

// By convention a side without lines is numbered by the line it follows.
function rangeOf(linesBefore: number, length: number): string {
  return `${length === 0 ? linesBefore : linesBefore + 1},${length}`;
}

// A unified diff in readable form: line numbers, colours for added and removed lines, and marks on the words that differ.

import { printable } from "indusagi/core";
import { DIFF_SIGNS, type DiffLine, parseDiff } from "../../console/diff.ts";
import { type Line, type Span, span, wrap } from "../screen/spans.ts";
import type { Mark } from "../screen/theme.ts";

interface DiffRows {
  readonly rows: readonly Line[];
  readonly added: number;
  readonly removed: number;
  /** Lines left out because of `most`. */
  readonly hidden: number;
}

/** The rows for at most `most` lines of `diff`. Without line numbers if these are unknown. */
export function diffRows(
  diff: string,
  columns: number,
  most = Number.POSITIVE_INFINITY,
  isUnnumbered = false,
): DiffRows {
  const lines = parseDiff(diff);
  const added = lines.filter(({ kind }) => kind === "added").length;
  const removed = lines.filter(({ kind }) => kind === "removed").length;
  const shown = lines.slice(0, most);
  const marked = withWords(shown);
  const digits = isUnnumbered
    ? 0
    : String(shown.reduce((most, { number = 0 }) => Math.max(most, number), 1)).length;
  const rows = shown.flatMap((line, i) => rowsOf(line, marked[i], { digits, columns }));
  return { rows, added, removed, hidden: lines.length - shown.length };
}

function rowsOf(
  { kind, text, number }: DiffLine,
  words: readonly Span[] | undefined,
  { digits, columns }: { readonly digits: number; readonly columns: number },
): Line[] {
  const mark: readonly Mark[] =
    kind === "added" || kind === "removed" ? [kind] : kind === "same" ? [] : ["dim"];
  const label = number === undefined ? " ".repeat(digits) : String(number).padStart(digits);
  const numbers = digits === 0 ? "" : `${label} `;
  const first: Line = [span(numbers, "dim"), span(`${DIFF_SIGNS[kind]} `, ...mark)];
  const rest: Line = [span(" ".repeat(numbers.length)), span("  ", ...mark)];
  return wrap(words ?? [span(text, ...mark)], columns, { first, rest });
}

/** A run of removed lines and an equally long run of added ones after it are compared line by line. */
function withWords(lines: readonly DiffLine[]): readonly (readonly Span[] | undefined)[] {
  const marked: (readonly Span[] | undefined)[] = lines.map(() => undefined);
  for (let at = 0; at < lines.length; ) {
    const removedEnd = endOf(lines, at, "removed");
    const addedEnd = endOf(lines, removedEnd, "added");
    const pairs = Math.min(removedEnd - at, addedEnd - removedEnd);
    for (let i = 0; i < pairs && removedEnd - at === addedEnd - removedEnd; i++) {
      const both = wordMarks(lines[at + i]?.text ?? "", lines[removedEnd + i]?.text ?? "");
      marked[at + i] = both?.[0];
      marked[removedEnd + i] = both?.[1];
    }
    at = Math.max(addedEnd, at + 1);
  }
  return marked;
}

function endOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let at = from;
  while (lines[at]?.kind === kind) at += 1;
  return at;
}

const WORD = /[\p{L}\p{N}_]{1,200}|\s{1,200}|[\s\S]/gu;
const MAX_WORDS = 400;

/** Both lines with the differing words marked; undefined if they have too little in common for marks to help. */
function wordMarks(removed: string, added: string): readonly [readonly Span[], readonly Span[]] | undefined {
  const before = printable(removed).match(WORD) ?? [];
  const after = printable(added).match(WORD) ?? [];
  if (before.length > MAX_WORDS || after.length > MAX_WORDS) return undefined;
  const same = commonWords(before, after);
  const kept = same.reduce((sum, [i]) => sum + (before[i]?.trim().length ?? 0), 0);
  if (kept * 3 < Math.max(removed.trim().length, added.trim().length)) return undefined;
  const keptBefore = new Set(same.map(([i]) => i));
  const keptAfter = new Set(same.map(([, j]) => j));
  return [
    before.map((word, i) => span(word, keptBefore.has(i) ? "removed" : "removedWord")),
    after.map((word, j) => span(word, keptAfter.has(j) ? "added" : "addedWord")),
  ];
}

/** The longest common subsequence, as pairs of indexes. */
function commonWords(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [number, number])[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[head + i] === after[head + j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const pairs: (readonly [number, number])[] = Array.from({ length: head }, (_, i) => [i, i]);
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (before[head + i] === after[head + j]) pairs.push([head + i++, head + j++]);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  for (let i = tail; i > 0; i--) pairs.push([before.length - i, after.length - i]);
  return pairs;
}

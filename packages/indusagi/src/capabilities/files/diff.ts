// Line differences between two texts, by their real bytes: a changed line end or a missing final one is shown as a change.

import { changedRanges, splitLines } from "./changed-ranges.ts";

export type DiffOpKind = "keep" | "add" | "remove";

export interface DiffOp {
  readonly kind: DiffOpKind;
  /** The line without its line end. */
  readonly text: string;
  /** The line end as it is in the text; empty only at the end of a text. */
  readonly ending: "\n" | "\r\n" | "";
  /** Line numbers from 1; undefined on the side that lacks the line. */
  readonly beforeLine: number | undefined;
  readonly afterLine: number | undefined;
}

export interface LineDiff {
  readonly ops: readonly DiffOp[];
  readonly added: number;
  readonly removed: number;
}

/** The line-based edit script from `before` to `after`: the shortest, unless that costs too much to find. */
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

function createOp(kind: DiffOpKind, line: string, at: { beforeLine?: number; afterLine?: number }): DiffOp {
  const ending = line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
  const text = line.slice(0, line.length - ending.length);
  return { kind, text, ending, beforeLine: at.beforeLine, afterLine: at.afterLine };
}

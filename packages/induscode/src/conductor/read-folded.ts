// Reads and folds a log in one pass, so that nothing of a long log is held, or read again, just for the view.

import { jumpsIn, startFold } from "./branch.ts";
import type { Entry } from "./contract.ts";
import type { ContextFold } from "./fold.ts";
import { type ReadLog, type ReadWish, readEntries } from "./log-reader.ts";

export interface FoldedLog extends ReadLog {
  /** The view of the branch in force. */
  readonly fold: ContextFold;
  /** Adds the next entry. */
  readonly add: (entry: Entry) => void;
}

export interface FoldWish extends Pick<ReadWish, "path"> {
  /** Begins a pass: the function it returns receives each entry whole, with its line and the view before it. */
  readonly begin?: (() => (entry: Entry, line: string, fold: ContextFold) => void) | undefined;
  /** The entry that the next jump leads to. */
  readonly jumpTo?: number;
}

/** A log with jumps is read twice: their targets must be known beforehand. Throws what the file system throws. */
export function readFolded(path: string, wish: FoldWish = {}): FoldedLog {
  const read = foldedWith(new Map(), path, wish);
  const jumps = jumpsIn(
    wish.jumpTo === undefined
      ? read.entries
      : [...read.entries, { type: "jump", n: Number.POSITIVE_INFINITY, at: 0, to: wish.jumpTo }],
  );
  return jumps.size === 0 ? read : foldedWith(jumps, path, wish);
}

function foldedWith(
  jumps: ReturnType<typeof jumpsIn>,
  path: string,
  { begin, jumpTo: _, ...wish }: FoldWish,
): FoldedLog {
  const { fold, add } = startFold(jumps);
  const see = begin?.();
  const read = readEntries(path, {
    ...wish,
    visit(entry, line) {
      see?.(entry, line, fold);
      add(entry);
      return entry.type === "tool" ? fold.messages.at(-1) : undefined;
    },
  });
  return { ...read, fold, add };
}

// What a file was when it was looked at, so that the next look reads it again only where it may be another. Its mark is what a program
// cannot keep as it was while it changes the file: the time of its last change above all, which nothing can set.

import type { Stats } from "node:fs";
import type { FileState } from "./file-contents.ts";

type Mark = Pick<Stats, "mtimeMs" | "ctimeMs" | "size" | "ino">;

export interface SeenFile extends Mark {
  readonly state: FileState;
  /** It changed so shortly before that it may change again within the same tick of its clock: its mark says nothing yet. */
  readonly isFresh: boolean;
  /** The last look that met it so. */
  look: number;
}

/** No file system's clock is coarser, but for FAT's. */
const TICK_MS = 50;

/** What was never looked at: no file is as this one. */
export const NOT_SEEN: SeenFile = withMark("", "absent");

/** `found` and `at`, the moment, must be from before `state` was read. */
export function seenAs(
  { mtimeMs, ctimeMs, size, ino }: Stats,
  at: number,
  state: FileState,
  look = 0,
): SeenFile {
  // Also where the clock was set back since: then a later change may come to the same time.
  return { mtimeMs, ctimeMs, size, ino, state, isFresh: at - ctimeMs < TICK_MS, look };
}

export function isSameMark(a: Mark, b: Mark): boolean {
  return a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino;
}

/** Whether what was read then is what is there now. */
export function isAsSeen(found: Mark, seen: SeenFile): boolean {
  return !seen.isFresh && isSameMark(found, seen);
}

/** For the index; of a fresh one, a mark that nothing has. */
export function markOf({ mtimeMs, ctimeMs, size, ino, isFresh }: SeenFile): string {
  return isFresh ? "" : `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
}

export function withMark(mark: string, state: FileState): SeenFile {
  const [mtimeMs = Number.NaN, ctimeMs = Number.NaN, size = Number.NaN, ino = Number.NaN] = mark
    .split(" ")
    .map(Number);
  return { mtimeMs, ctimeMs, size, ino, state, isFresh: false, look: 0 };
}

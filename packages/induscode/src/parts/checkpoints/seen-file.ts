// The state of a file when it was looked at, so that the next look reads it again only if it could have changed. Its mark is what a
// program cannot preserve while changing the file: above all the time of the last change (ctime), which nothing can set.

import type { Stats } from "node:fs";
import type { FileState } from "./file-contents.ts";

type Mark = Pick<Stats, "mtimeMs" | "ctimeMs" | "size" | "ino">;

export interface SeenFile extends Mark {
  readonly state: FileState;
  /** It changed so recently that it could change again within the same clock tick: its mark proves nothing yet. */
  readonly isFresh: boolean;
}

/** No file system's clock is coarser, except FAT's. */
export const TICK_MS = 50;

/** Never looked at: no file matches this. */
export const NOT_SEEN: SeenFile = withMark("", "absent");

/** `found` and `at`, the current time, must be taken before `state` is read. */
export function seenAs({ mtimeMs, ctimeMs, size, ino }: Stats, at: number, state: FileState): SeenFile {
  // Also true if the clock was set back since: a later change could then get the same time.
  return { mtimeMs, ctimeMs, size, ino, state, isFresh: at - ctimeMs < TICK_MS };
}

export function isSameMark(a: Mark, b: Mark): boolean {
  return a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino;
}

/** Whether the file still is what was read. */
export function isAsSeen(found: Mark, seen: SeenFile): boolean {
  return !seen.isFresh && isSameMark(found, seen);
}

/** The mark as figures; those of a fresh file are ones that nothing matches. */
export function figuresOf({ mtimeMs, ctimeMs, size, ino, isFresh }: SeenFile): readonly number[] {
  return isFresh ? [Number.NaN, Number.NaN, Number.NaN, Number.NaN] : [mtimeMs, ctimeMs, size, ino];
}

/** For the index; a fresh file gets a mark that nothing matches. */
export function markOf(seen: SeenFile): string {
  return seen.isFresh ? "" : figuresOf(seen).join(" ");
}

export function withMark(mark: string, state: FileState): SeenFile {
  const [mtimeMs = Number.NaN, ctimeMs = Number.NaN, size = Number.NaN, ino = Number.NaN] = mark
    .split(" ")
    .map(Number);
  return { mtimeMs, ctimeMs, size, ino, state, isFresh: false };
}

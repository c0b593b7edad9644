// A start prints only a few lines of each kind: a file that someone else wrote must not be able to bury what a person should read.

import { grouped } from "indusagi/core";

/** How many lines of a kind are printed individually. */
const MOST = 10;

/** The first of `lines`, and one that counts the rest; `whole` says what lists all of them, or what to do. */
export function limitedLines(lines: readonly string[], whole: string): readonly string[] {
  if (lines.length <= MOST) return lines;
  const more = grouped(lines.length - MOST);
  return [...lines.slice(0, MOST), `and ${more} more of the same kind: ${whole}`];
}

// By what a place on this machine's disk is known again: whether it is still the same entry, and whether something in it has changed. A few
// thousandths of a millisecond each.

import { lstatSync, type Stats } from "node:fs";

/** The identity of a place where nothing is, or that cannot be seen. */
export const ABSENT = "absent";

/** Of the entry itself, not of what a link leads to. */
export function identityOf(path: string): string {
  const entry = entryAt(path);
  return entry === undefined ? ABSENT : `${entry.dev} ${entry.ino} ${entry.mode}`;
}

/** In milliseconds. Nobody can set this time back, as opposed to that of the last writing. */
export function changedAt(path: string): number {
  return entryAt(path)?.ctimeMs ?? 0;
}

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or not to be seen
  }
}

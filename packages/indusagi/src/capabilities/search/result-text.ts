// What grep and find say around their results.

import { MAX_IGNORED_COUNTED } from "./walk.ts";

export interface LeftOut {
  readonly ignored?: number | undefined;
  readonly unreadable?: number | undefined;
}

/** One line for each kind of thing that a search left out. */
export function leftOutNotes({ ignored = 0, unreadable = 0 }: LeftOut): readonly string[] {
  const notes: string[] = [];
  if (ignored === 1) notes.push("[1 ignored file was left out; pass includeIgnored to search it.]");
  else if (ignored > 1)
    notes.push(`[${countOf(ignored)} ignored files were left out; pass includeIgnored to search them.]`);
  if (unreadable === 1) notes.push("[1 file or folder could not be read.]");
  else if (unreadable > 1) notes.push(`[${unreadable} files or folders could not be read.]`);
  return notes;
}

function countOf(ignored: number): string {
  return ignored > MAX_IGNORED_COUNTED ? `over ${MAX_IGNORED_COUNTED}` : String(ignored);
}

const UNSAFE_CHARACTERS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;

/** A path on one line: one with line breaks or other control characters becomes a JSON string, as a call takes it. */
export function shownPath(path: string): string {
  if (path.search(UNSAFE_CHARACTERS) < 0) return path;
  return JSON.stringify(path).replaceAll(
    UNSAFE_CHARACTERS,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// What grep and find say around their results.

import { MAX_IGNORED_COUNTED } from "./walk.ts";

export interface LeftOut {
  readonly ignored?: number | undefined;
  readonly unreadable?: number | undefined;
}

/** One line for each kind of thing that a search left out. */
export function leftOutNotes({ ignored = 0, unreadable = 0 }: LeftOut): string[] {
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

/** One line about names that the disk may hold in another encoding; none where there are none. */
export function undecodedNote(names: readonly string[]): readonly string[] {
  const count = names.filter((name) => name.includes("\ufffd")).length;
  if (count === 0) return [];
  const subject = count === 1 ? "1 name holds" : `${count} names hold`;
  return [`[${subject} U+FFFD: what is not UTF-8 on the disk can only be opened by a command.]`];
}

// The text that grep and find add around their results.

import type { SearchOmissions } from "../kernel/contract.ts";
import { MAX_IGNORED_COUNTED } from "./walk.ts";

/** One line per kind of thing that a search left out. */
export function leftOutNotes(omissions: SearchOmissions): string[] {
  const { ignored = 0, unreadable = 0, cutLines = 0, changed = 0 } = omissions;
  const notes: string[] = [];
  if (ignored === 1) notes.push("[1 ignored file was skipped; set includeIgnored to search it.]");
  else if (ignored > 1)
    notes.push(`[${countOf(ignored)} ignored files were skipped; set includeIgnored to search them.]`);
  notes.push(...notSearched(omissions));
  if (unreadable === 1) notes.push("[1 file or folder could not be read.]");
  else if (unreadable > 1) notes.push(`[${unreadable} files or folders could not be read.]`);
  if (changed > 0)
    notes.push(
      `[${changed === 1 ? "1 file changed during the search and was" : `${changed} files changed during the search and were`} skipped: search again.]`,
    );
  if (cutLines > 0)
    notes.push(
      `[${cutLines === 1 ? "1 line was" : `${cutLines} lines were`} too long: only the beginning was searched.]`,
    );
  return notes;
}

function notSearched({ tooLarge = 0, binary = 0, special = 0, undecoded = 0 }: SearchOmissions): string[] {
  const parts = [
    ...amount(tooLarge, "file over 2 MiB", "files over 2 MiB"),
    ...amount(binary, "binary file", "binary files"),
    ...amount(special, "pipe, socket or device", "pipes, sockets and devices"),
    ...amount(undecoded, "name that is not UTF-8", "names that are not UTF-8"),
  ];
  if (parts.length === 0) return [];
  const list = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts[0];
  const verb = tooLarge + binary + special + undecoded === 1 ? "was" : "were";
  const advice = tooLarge + binary > 0 ? " A file given as path is searched whatever it contains." : "";
  return [`[${list} ${verb} not searched.${advice}]`];
}

function amount(count: number, one: string, several: string): readonly string[] {
  return count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${several}`];
}

function countOf(ignored: number): string {
  return ignored > MAX_IGNORED_COUNTED ? `over ${MAX_IGNORED_COUNTED}` : String(ignored);
}

/** A line about names that the disk may hold in another encoding; none if there are no such names. */
export function undecodedNote(names: readonly string[]): readonly string[] {
  const count = names.filter((name) => name.includes("\ufffd")).length;
  if (count === 0) return [];
  const subject = count === 1 ? "1 name contains" : `${count} names contain`;
  return [`[${subject} U+FFFD: a name that is not UTF-8 on disk can only be opened by a command.]`];
}

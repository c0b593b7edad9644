// The contents of a folder of macros or skills.

import { type Dirent, readdirSync } from "node:fs";
import { describeError, errorCode } from "indusagi/core";

export type FolderEntry = Dirent;

interface FolderEntries {
  readonly entries: readonly FolderEntry[];
  /** Why an existing folder cannot be read. */
  readonly problem?: string;
}

/** The entries by name, in the same order on every machine, without dotfiles. */
export function listFolder(folder: string): FolderEntries {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
    return { entries: entries.sort((one, other) => (one.name < other.name ? -1 : 1)) };
  } catch (error) {
    const isAbsent = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
    return { entries: [], ...(isAbsent ? {} : { problem: describeError(error) }) };
  }
}

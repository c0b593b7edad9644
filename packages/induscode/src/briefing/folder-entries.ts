// The contents of a folder of macros or skills.

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { findFile } from "./text-file.ts";

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

/** Whether an entry of `folder` is a folder, or a link to one. */
export function isFolder(entry: FolderEntry, folder: string): boolean {
  return entry.isSymbolicLink()
    ? (findFile(join(folder, entry.name))?.stats.isDirectory() ?? false)
    : entry.isDirectory();
}

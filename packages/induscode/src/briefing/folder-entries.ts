// The contents of a folder of macros, skills or agents.

import { type Dirent, opendirSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode, grouped } from "indusagi/core";
import { LookBudget } from "../store/look-budget.ts";
import { findFile } from "./text-file.ts";

export type FolderEntry = Dirent;

/** No folder is listed further than this, whoever it belongs to. */
const MAX_FOLDER_NAMES = 10_000;

interface FolderEntries {
  readonly entries: readonly FolderEntry[];
  /** Why an existing folder is not used. */
  readonly problem?: { readonly kind: "unreadable" | "limit"; readonly text: string };
}

/**
 * The entries by name, in the same order on every machine, without dotfiles. A folder that has too many is not used at all: which of
 * them come first would depend on the disk.
 */
export function listFolder(folder: string, look: LookBudget = LookBudget.unlimited()): FolderEntries {
  const most = Math.min(MAX_FOLDER_NAMES, look.namesLeft);
  try {
    const entries = readNames(folder, most + 1);
    look.takeNames(entries.length);
    if (entries.length > most) {
      const why =
        most === MAX_FOLDER_NAMES ? `it has more than ${grouped(MAX_FOLDER_NAMES)} entries` : look.words;
      return { entries: [], problem: { kind: "limit", text: `is not searched: ${why}` } };
    }
    const shown = entries.filter(({ name }) => !name.startsWith("."));
    return { entries: shown.sort((one, other) => (one.name < other.name ? -1 : 1)) };
  } catch (error) {
    const isAbsent = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
    if (isAbsent) return { entries: [] };
    return { entries: [], problem: { kind: "unreadable", text: `cannot be read: ${describeError(error)}` } };
  }
}

function readNames(folder: string, most: number): Dirent[] {
  const names: Dirent[] = [];
  const open = opendirSync(folder, { bufferSize: 1_024 });
  try {
    for (let entry = open.readSync(); entry && names.length < most; entry = open.readSync())
      names.push(entry);
  } finally {
    open.closeSync();
  }
  return names;
}

/** Whether an entry of `folder` is a folder, or a link to one. */
export function isFolder(entry: FolderEntry, folder: string): boolean {
  return entry.isSymbolicLink()
    ? (findFile(join(folder, entry.name))?.stats.isDirectory() ?? false)
    : entry.isDirectory();
}

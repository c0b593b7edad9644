// What trust is bound to: the content of an addon, so that a changed addon is a different addon (CVE-2025-54136: approved
// once, changed later).

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describeError, readBoundedFile } from "indusagi/core";
import { LoaderError } from "../contract.ts";

export const MAX_ADDON_ENTRIES = 10_000;
export const MAX_ADDON_BYTES: number = 64 * 1024 * 1024;

/**
 * SHA-256, in hexadecimal, over every file of the folder in sorted order: its path in the folder and its bytes; a link is
 * hashed as the text of its target. An entry that is a file is hashed alone. Throws a {@link LoaderError} of kind `io` for
 * anything that cannot be read, is not a file, folder or link, or exceeds the limits.
 */
export function hashAddon(path: string): string {
  try {
    const named = lstatSync(path);
    const isLink = named.isSymbolicLink();
    const root = isLink ? realpathSync.native(path) : path;
    const status = isLink ? lstatSync(root) : named;
    const hash = createHash("sha256").update("indus addon 1\0");
    const budget = { entries: MAX_ADDON_ENTRIES, bytes: MAX_ADDON_BYTES };
    const isFolder = status.isDirectory();
    const folder = isFolder ? root : dirname(root);
    const entries = isFolder ? contentUnder(root, budget) : [fileEntry(root)];
    // Checked before anything is read: refusing what is too large costs nothing.
    const bytes = isFolder ? bytesOf(folder, entries) : status.size;
    if (bytes > MAX_ADDON_BYTES) throw new Error(`it has ${bytes} bytes; the limit is ${MAX_ADDON_BYTES}`);
    for (const entry of entries) {
      const bytes = content(folder, entry, budget.bytes);
      budget.bytes -= bytes.length;
      // Each part ends with a NUL, which no name can contain, and the bytes are preceded by their length, so no two
      // different addons produce the same input.
      hash.update(`${entry.kind}\0${entry.name}\0${bytes.length}\0`).update(bytes);
    }
    return hash.digest("hex");
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `its content cannot be hashed: ${describeError(cause)}`, {
      cause,
    });
  }
}

/**
 * How much {@link hashAddon} would read, going by the file system's metadata alone; looks at no more than `maxEntries`.
 * Anything that cannot be looked at counts as one entry: reading it later reports the reason.
 */
export function measureAddon(
  path: string,
  maxEntries: number,
): { readonly entries: number; readonly bytes: number } {
  const budget = { entries: Math.min(maxEntries, MAX_ADDON_ENTRIES), bytes: 0 };
  const allowed = budget.entries;
  try {
    if (!lstatSync(path).isDirectory())
      return { entries: 1, bytes: bytesOf(dirname(path), [fileEntry(path)]) };
    const entries = contentUnder(path, budget);
    return { entries: allowed - budget.entries + 1, bytes: bytesOf(path, entries) };
  } catch {
    return { entries: Math.max(1, allowed - budget.entries), bytes: 0 };
  }
}

/** Everything in the folder, folders too, in no order. Throws the system's error. */
export function entriesOf(root: string): readonly Entry[] {
  return entriesUnder(root, { entries: MAX_ADDON_ENTRIES, bytes: 0 });
}

function fileEntry(path: string): Entry {
  return { name: basename(path), kind: "file" };
}

/** Anything that is not a regular file is refused without reading a byte. */
function bytesOf(folder: string, entries: readonly Entry[]): number {
  return entries.reduce((sum, { name }) => {
    const status = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (status?.isFile() ? status.size : 0);
  }, 0);
}

interface Budget {
  entries: number;
  bytes: number;
}

export interface Entry {
  /** Its `/`-separated path in the folder. */
  readonly name: string;
  /** What is none of these counts as a file, which its reader then refuses. */
  readonly kind: "file" | "link" | "folder";
}

/** Everything but folders, sorted by code unit. */
function contentUnder(root: string, budget: Budget): readonly Entry[] {
  return entriesUnder(root, budget)
    .filter(({ kind }) => kind !== "folder")
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function entriesUnder(root: string, budget: Budget): readonly Entry[] {
  const found: Entry[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (--budget.entries < 0) throw new Error(`it has more than ${MAX_ADDON_ENTRIES} entries`);
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file";
      if (kind === "folder") folders.push(name);
      found.push({ name, kind });
    }
  }
  return found;
}

function content(folder: string, { name, kind }: Entry, maxBytes: number): Buffer {
  const path = join(folder, name);
  try {
    return kind === "link" ? readlinkSync(path, "buffer") : readBoundedFile(path, maxBytes);
  } catch (cause) {
    const left = `${maxBytes} of ${MAX_ADDON_BYTES} bytes were left for it`;
    throw new Error(`${name}: ${describeError(cause)} (${left})`, { cause });
  }
}

// What trust is bound to: the content of an addon, so that a changed addon is a different addon (CVE-2025-54136: approved
// once, changed later).

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describeError, readBoundedFile } from "indusagi/core";
import { LoaderError } from "../contract.ts";

export const MAX_ADDON_ENTRIES = 10_000;
export const MAX_ADDON_BYTES: number = 64 * 1024 * 1024;
/** Of the packages that are installed in it, for which its author did not write the files. */
export const MAX_INSTALLED_ENTRIES = 60_000;
export const MAX_INSTALLED_BYTES: number = 512 * 1024 * 1024;

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
    const left = { own: MAX_ADDON_BYTES, installed: MAX_INSTALLED_BYTES };
    const isFolder = status.isDirectory();
    const folder = isFolder ? root : dirname(root);
    const entries = isFolder ? contentUnder(root, LIMIT) : [fileEntry(root)];
    // Checked before anything is read: refusing what is too large costs nothing.
    for (const part of ["own", "installed"] as const) {
      const bytes = bytesOf(
        folder,
        entries.filter((entry) => originOf(entry) === part),
      );
      if (bytes > left[part])
        throw new Error(`it has ${bytes} bytes${INSTALLED[part]}; the limit is ${left[part]}`);
    }
    for (const entry of entries) {
      const part = originOf(entry);
      const bytes = content(folder, entry, left[part]);
      left[part] -= bytes.length;
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
  let looked = 0;
  const count = (): void => {
    looked += 1;
  };
  try {
    if (!lstatSync(path).isDirectory())
      return { entries: 1, bytes: bytesOf(dirname(path), [fileEntry(path)]) };
    const entries = contentUnder(path, { ...LIMIT, all: maxEntries }, count);
    return { entries: looked + 1, bytes: bytesOf(path, entries) };
  } catch {
    return { entries: Math.max(1, looked), bytes: 0 };
  }
}

/** Everything in the folder, folders too, in no order. Throws the system's error. */
export function entriesOf(root: string): readonly Entry[] {
  return entriesUnder(root, LIMIT);
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

interface EntryLimit {
  readonly own: number;
  readonly installed: number;
  /** Of both together. */
  readonly all: number;
}

const LIMIT: EntryLimit = {
  own: MAX_ADDON_ENTRIES,
  installed: MAX_INSTALLED_ENTRIES,
  all: MAX_ADDON_ENTRIES + MAX_INSTALLED_ENTRIES,
};
const INSTALLED = { own: "", installed: " in installed packages" } as const;

export interface Entry {
  /** Its `/`-separated path in the folder. */
  readonly name: string;
  /** What is none of these counts as a file, which its reader then refuses. */
  readonly kind: "file" | "link" | "folder";
}

/** Everything but folders, sorted by code unit. */
function contentUnder(root: string, limit: EntryLimit, onEntry?: () => void): readonly Entry[] {
  return entriesUnder(root, limit, onEntry)
    .filter(({ kind }) => kind !== "folder")
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function entriesUnder(root: string, limit: EntryLimit, onEntry?: () => void): readonly Entry[] {
  const found: Entry[] = [];
  const counts = { own: 0, installed: 0 };
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      onEntry?.();
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file";
      const part = originOf({ name });
      counts[part] += 1;
      if (counts[part] > limit[part])
        throw new Error(`it has more than ${limit[part]} entries${INSTALLED[part]}`);
      if (counts.own + counts.installed > limit.all) throw new Error(`it has more than ${limit.all} entries`);
      if (kind === "folder") folders.push(name);
      found.push({ name, kind });
    }
  }
  return found;
}

/** Files of packages that were installed in it are not its author's. */
export function originOf({ name }: Pick<Entry, "name">): "installed" | "own" {
  return /(?:^|\/)node_modules\//.test(name) ? "installed" : "own";
}

function content(folder: string, { name, kind }: Entry, maxBytes: number): Buffer {
  const path = join(folder, name);
  try {
    return kind === "link" ? readlinkSync(path, "buffer") : readBoundedFile(path, maxBytes);
  } catch (cause) {
    const left = `${maxBytes} bytes were left for it`;
    throw new Error(`${name}: ${describeError(cause)} (${left})`, { cause });
  }
}

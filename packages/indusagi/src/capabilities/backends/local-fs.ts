// The local file seam, by paths. Only this file and its neighbours here touch node:fs in the tool layer.

import { accessSync, closeSync, constants, fstatSync, lstatSync, statSync } from "node:fs";
import * as disk from "node:fs/promises";
import { basename, dirname } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type { Fs, FsEntryInfo, ReadRange, RemoveOptions } from "../kernel/contract.ts";
import { checkedFs } from "./checked-fs.ts";
import {
  decodeUtf8,
  describeEntry,
  isReplaceable,
  openNumber,
  readRange,
  replaceFile,
  requireRegular,
  requireStorage,
  writeInPlace,
} from "./file-content.ts";
import { realPathOfTarget } from "./real-path.ts";
import { ripgrepSearch } from "./ripgrep.ts";

/** The local file system; it holds no state. */
export function localFs(): Fs {
  return LOCAL_FS;
}

const LOCAL_FS: Fs = {
  readText: async (path) => decodeUtf8(await readBytes(path)),
  readBytes,
  writeFile,
  stat,
  readDir: async (path) => {
    const entries = await disk.readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      isDirectory: entry.isDirectory(),
      isSymlink: entry.isSymbolicLink(),
    }));
  },
  mkdir: async (path, options) => {
    if (process.platform === "linux") requireStorage(await realPathOfTarget(dirname(path)).catch(() => path));
    await disk.mkdir(path, { recursive: options?.recursive ?? false });
  },
  rm: (path, options: RemoveOptions = {}) =>
    disk.rm(path, { recursive: options.recursive ?? false, force: options.ignoreMissing ?? false }),
  exists,
  // Not by their values: what calls need is loaded with the first one.
  realPath: (path) => realPathOfTarget(path),
  search: { grep: (query, signal) => ripgrepSearch.grep(query, signal), opensPaths: true },
  checked: (check) => checkedFs(check),
};

// Calls that only need names are synchronous, as in real-path.ts; those that read a folder or a file use a thread.
async function stat(path: string): Promise<FsEntryInfo> {
  const own = lstatSync(path);
  const isSymlink = own.isSymbolicLink();
  return describeEntry(isSymlink ? statSync(path) : own, isSymlink);
}

async function exists(path: string): Promise<boolean> {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

async function readBytes(path: string, range?: ReadRange): Promise<Uint8Array> {
  requireRegular(statSync(path), path); // before it is opened; checked again once it is open
  const file = await openNumber(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = fstatSync(file);
    requireRegular(info, path);
    return await readRange(file, info.size, range);
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces a file's content in one step: a reader, a crash or a full disk sees the old bytes or the new ones. Links are
 * followed to the file they name, and its mode is kept. A file with several hard links, with another owner, or in a read-only
 * folder is written in place instead: keeping those links is worth more than the single step.
 */
async function writeFile(path: string, data: string | Uint8Array): Promise<void> {
  const target = await realPathOfTarget(path);
  requireStorage(target);
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const existing = lstatSync(target, { throwIfNoEntry: false });
  const folder = dirname(target);
  if (existing === undefined) return replaceFile(folder, basename(target), { bytes });
  requireRegular(existing, target);
  accessSync(target, constants.W_OK); // a rename would bypass a read-only mode
  if (!isReplaceable(existing, folder))
    return writeInPlace(target, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0), bytes);
  await replaceFile(folder, basename(target), { bytes, mode: existing.mode & 0o7777 });
}

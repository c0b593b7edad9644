// The file seam on this machine. The only file of the tool layer, with its neighbours here, that touches node:fs.

import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import * as disk from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../../core/faults.ts";
import { isInside } from "../../core/paths.ts";
import type { Fs, FsEntryInfo, ReadRange, RemoveOptions } from "../kernel/contract.ts";
import { realPathOfTarget } from "./real-path.ts";
import { ripgrepSearch } from "./ripgrep.ts";

/** The one local file system; it holds no state. */
export function localFs(): Fs {
  return LOCAL_FS;
}

const LOCAL_FS: Fs = {
  readText,
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
    requireStorage(path);
    await disk.mkdir(path, { recursive: options?.recursive ?? false });
  },
  rm: (path, options: RemoveOptions = {}) =>
    disk.rm(path, { recursive: options.recursive ?? false, force: options.ignoreMissing ?? false }),
  exists,
  realPath: realPathOfTarget,
  search: ripgrepSearch,
};

async function stat(path: string): Promise<FsEntryInfo> {
  const own = await disk.lstat(path);
  const isSymlink = own.isSymbolicLink();
  const target = isSymlink ? await disk.stat(path) : own;
  return {
    isFile: target.isFile(),
    isDirectory: target.isDirectory(),
    isSymlink,
    size: target.size,
    modifiedMs: target.mtimeMs,
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await disk.stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

async function readText(path: string): Promise<string> {
  // ignoreBOM keeps a byte order mark in the text, so that writing the text back keeps it in the file.
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readBytes(path));
}

async function readBytes(path: string, range?: ReadRange): Promise<Uint8Array> {
  const { file, size } = await openRegular(path);
  try {
    const start = range?.start ?? 0;
    const limit = range?.maxBytes ?? Number.POSITIVE_INFINITY;
    const expected = Math.min(limit, Math.max(0, size - start));
    const bytes = Buffer.allocUnsafe(expected);
    const read = await fill(file, bytes, start);
    // Files of /proc call themselves empty and are not: read those until they end.
    if (size === 0 && limit > 0) return await readToEnd(file, start, limit);
    return read === expected ? bytes : bytes.subarray(0, read);
  } finally {
    await file.close();
  }
}

const MAX_READ = 2 ** 30; // one read call takes a signed 32-bit length

async function fill(file: disk.FileHandle, bytes: Buffer, start: number): Promise<number> {
  let read = 0;
  while (read < bytes.length) {
    const { bytesRead } = await file.read(bytes, read, Math.min(bytes.length - read, MAX_READ), start + read);
    if (bytesRead === 0) break; // the file shrank meanwhile
    read += bytesRead;
  }
  return read;
}

const CHUNK_BYTES = 65_536;

async function readToEnd(file: disk.FileHandle, start: number, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit - total));
    const read = await fill(file, chunk, start + total);
    chunks.push(chunk.subarray(0, read));
    total += read;
    if (read < chunk.length) break;
  }
  return Buffer.concat(chunks);
}

/** Opening a pipe waits for its other end and opening a device may act, so the path is looked at before and after. */
async function openRegular(path: string): Promise<{ readonly file: disk.FileHandle; readonly size: number }> {
  requireRegular(await disk.stat(path), path);
  const file = await disk.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = await file.stat();
    requireRegular(info, path);
    return { file, size: info.size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function requireRegular(info: Stats, path: string): void {
  if (info.isFile()) return;
  if (info.isDirectory()) throw systemError("EISDIR", `illegal operation on a directory, open '${path}'`);
  throw systemError("EINVAL", `not a regular file, open '${path}'`);
}

// What the kernel makes up answers a write with the error of whatever step fails first, and none says why.
function requireStorage(path: string): void {
  if (process.platform !== "linux" || !["/proc", "/sys"].some((folder) => isInside(folder, path))) return;
  throw systemError("ENOTSUP", `no file can be made there, open '${path}'`);
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/**
 * Replaces a file's content in one step: a reader, a crash or a full disk sees the old bytes or the new ones. Links
 * are followed to the file they name, and its mode survives. A file with several hard links, of another owner, or in
 * a read-only folder is written in place instead: keeping those links is worth more than the one step.
 */
async function writeFile(path: string, data: string | Uint8Array): Promise<void> {
  const target = await realPathOfTarget(path);
  requireStorage(target);
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const existing = await statIfAny(target);
  if (existing === undefined) return replace(target, bytes, undefined);
  requireRegular(existing, target);
  await disk.access(target, constants.W_OK); // a rename would go past a read-only mode
  const canReplace = existing.nlink === 1 && isOwn(existing) && (await isWritable(dirname(target)));
  if (!canReplace) return writeInPlace(target, bytes);
  await replace(target, bytes, existing.mode & 0o7777);
}

async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await disk.access(path, constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return false;
    throw error;
  }
}

function isOwn(info: Stats): boolean {
  return process.geteuid === undefined || info.uid === process.geteuid();
}

async function replace(target: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const folder = dirname(target);
  const temporary = join(folder, `.indus-${randomBytes(8).toString("hex")}.tmp`);
  const file = await disk.open(temporary, "wx", mode === undefined ? 0o666 : 0o600);
  try {
    try {
      await file.writeFile(bytes);
      if (mode !== undefined) await file.chmod(mode); // not through open: the umask would narrow it
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, target);
  } catch (error) {
    await disk.rm(temporary, { force: true });
    throw error;
  }
  if (process.platform !== "win32") await syncFolder(folder); // Windows cannot open a folder
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await disk.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Cut to length last, so that a crash never leaves an empty file.
async function writeInPlace(target: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(target, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    await file.writeFile(bytes);
    await file.truncate(bytes.byteLength);
    await file.sync();
  } finally {
    await file.close();
  }
}

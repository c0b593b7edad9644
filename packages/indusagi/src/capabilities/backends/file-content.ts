// Reading and writing an open file, and putting a file into a folder in one step. Callers have already located the place: by
// its path (local-fs.ts) or by an open handle (checked-fs.ts).

import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsync,
  open,
  openSync,
  read,
  renameSync,
  type Stats,
  writeFile,
} from "node:fs";
import * as disk from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../../core/faults.ts";
import { isInside } from "../../core/paths.ts";
import type { FsEntryInfo, ReadRange } from "../kernel/contract.ts";

/** Opens a file as a raw descriptor, at a third of the cost of a `FileHandle`. The caller must close it. */
export const openNumber: (path: string, flags: number) => Promise<number> = promisify(open);
const readInto = promisify(read);
const writeInto = promisify(writeFile);
const sync = promisify(fsync);

const MAX_READ = 2 ** 30; // a single read call takes a signed 32-bit length
const CHUNK_BYTES = 65_536;

/** The bytes of an open regular file of `size` bytes, or a range of them. */
export async function readRange(file: number, size: number, range?: ReadRange): Promise<Uint8Array> {
  const start = range?.start ?? 0;
  const limit = range?.maxBytes ?? Number.POSITIVE_INFINITY;
  const expected = Math.min(limit, Math.max(0, size - start));
  const bytes = Buffer.allocUnsafe(expected);
  const found = await fill(file, bytes, start);
  // Files in /proc report a size of 0 but have content: read those to the end.
  if (size === 0 && limit > 0) return readToEnd(file, start, limit);
  return found === expected ? bytes : bytes.subarray(0, found);
}

async function fill(file: number, bytes: Buffer, start: number): Promise<number> {
  let done = 0;
  while (done < bytes.length) {
    const length = Math.min(bytes.length - done, MAX_READ);
    const { bytesRead } = await readInto(file, bytes, done, length, start + done);
    if (bytesRead === 0) break; // the file shrank in the meantime
    done += bytesRead;
  }
  return done;
}

async function readToEnd(file: number, start: number, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limit - total));
    const found = await fill(file, chunk, start + total);
    chunks.push(chunk.subarray(0, found));
    total += found;
    if (found < chunk.length) break;
  }
  return Buffer.concat(chunks);
}

/** Strict UTF-8; a byte order mark stays in the text, so that writing the text back keeps it in the file. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** An entry in the form the seam describes it. */
export function describeEntry(target: Stats, isSymlink: boolean): FsEntryInfo {
  return {
    isFile: target.isFile(),
    isDirectory: target.isDirectory(),
    isSymlink,
    size: target.size,
    modifiedMs: target.mtimeMs,
  };
}

/** Opening a pipe waits for its other end, and opening a device can have side effects: neither can be read or written as a file. */
export function requireRegular(info: Stats, path: string): void {
  if (info.isFile()) return;
  if (info.isDirectory()) throw systemError("EISDIR", `illegal operation on a directory, open '${path}'`);
  throw systemError("EINVAL", `not a regular file, open '${path}'`);
}

/**
 * Refuses a real path in a kernel file system. A write there fails with the error of whichever step fails first, and none of
 * those errors says why.
 */
export function requireStorage(realPath: string): void {
  if (process.platform !== "linux" || !["/proc", "/sys"].some((folder) => isInside(folder, realPath))) return;
  throw systemError("ENOTSUP", `no file can be created there, open '${realPath}'`);
}

export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/** Whether a file can be replaced by another without anything but its content changing. */
export function isReplaceable(info: Stats, folder: string): boolean {
  return info.nlink === 1 && isOwn(info) && isWritable(folder);
}

function isOwn(info: Stats): boolean {
  return process.geteuid === undefined || info.uid === process.geteuid();
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === "EACCES" || errorCode(error) === "EPERM") return false;
    throw error;
  }
}

/**
 * Puts a file in `folder` in one step; `folder` is a path that stays valid whatever happens meanwhile. `mode` is that of the
 * file being replaced.
 */
export async function replaceFile(
  folder: string,
  name: string,
  { bytes, mode }: { readonly bytes: Uint8Array; readonly mode?: number | undefined },
): Promise<void> {
  const temporary = join(folder, `.indus-${randomBytes(8).toString("hex")}.tmp`);
  // What waits for the disk runs on a thread; names and modes are answered by the kernel, faster than a thread would be.
  const file = openSync(temporary, "wx", mode === undefined ? 0o666 : 0o600);
  try {
    try {
      await writeInto(file, bytes);
      if (mode !== undefined) fchmodSync(file, mode); // not through open: the umask would narrow it
      await sync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, join(folder, name));
  } catch (error) {
    await disk.rm(temporary, { force: true });
    throw error;
  }
  if (process.platform !== "win32") await syncFolder(folder); // Windows cannot open a folder
}

async function syncFolder(folder: string): Promise<void> {
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    await sync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes into the file itself. Truncated last, so that a crash never leaves an empty file. */
export async function writeInPlace(path: string, flags: number, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path, flags);
  try {
    await file.writeFile(bytes);
    await file.truncate(bytes.byteLength);
    await file.sync();
  } finally {
    await file.close();
  }
}

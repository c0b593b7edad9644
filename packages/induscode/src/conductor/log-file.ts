// The open file of a session log: it holds whole lines only, reaches the disk soon, and stays at its path.

import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { makeFolder } from "../store/make-folder.ts";

/** How long written data may wait to be flushed, in milliseconds: together with the flush, less than the promised two seconds. */
const FLUSH_AFTER_MS = 1_000;
const COPY_BYTES = 1024 * 1024;

export interface LogFileStart {
  readonly path: string;
  /** True: the file must not exist yet; false: it must. */
  readonly isNew: boolean;
  /** Bytes up to the end of the last entry; everything after that is cut off. */
  readonly goodLength: number;
  /** The newline after it has yet to be written. */
  readonly lacksNewline: boolean;
  /** Receives what was found and done about it, once it is done. */
  readonly onRemark: (text: string) => void;
}

/** A file that is open, whatever its path names by now. */
export interface HeldFile {
  readonly fd: number;
  readonly length: number;
  /** Clears the failure; absent if the file is open for reading only. */
  readonly mended?: () => void;
}

/** Every method throws or rejects with the system's error. */
export interface LogFile {
  readonly path: () => string;
  /** Writes one line; the next flush begins within a second. A line that does not fit leaves nothing of itself in the file. */
  readonly write: (line: Buffer) => void;
  /** Flushes everything written so far to the disk, and the file's name as well. */
  readonly flush: () => Promise<void>;
  /** Flushes synchronously; the name is flushed with the next `flush`. */
  readonly flushNow: () => void;
  /** Its descriptor, and how many bytes its whole lines take; undefined once it is closed. */
  readonly held: () => HeldFile | undefined;
  readonly close: () => void;
  readonly isOpen: () => boolean;
}

const fdatasyncOf = promisify(fdatasync);

export function openLogFile({
  path: first,
  isNew,
  goodLength,
  lacksNewline,
  onRemark,
}: LogFileStart): LogFile {
  let path = first;
  let fd = openSync(path, isNew ? "wx+" : "r+", 0o600);
  let length = goodLength;
  try {
    if (fstatSync(fd).size > goodLength) ftruncateSync(fd, goodLength);
    if (lacksNewline) length += writeSync(fd, "\n", length);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let isOpen = true;
  let isDirty = isNew || lacksNewline;
  /** The folder has not been flushed since the file was created in it. */
  let isNameNew = isNew;
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** A flush that nobody awaited failed, or half a line could not be cut off: every operation reports it until it is repaired. */
  let broken: { readonly error: unknown } | undefined;

  return {
    path: () => path,
    write,
    flush,
    flushNow,
    held,
    close,
    isOpen: () => isOpen,
  };

  function write(line: Buffer): void {
    if (broken) throw broken.error;
    let written = 0;
    try {
      while (written < line.length)
        written += writeSync(fd, line, written, line.length - written, length + written);
    } catch (error) {
      if (written > 0) cutHalfLine();
      throw error;
    }
    length += written;
    isDirty = true;
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: unknown) => {
        broken ??= { error };
      });
    }, FLUSH_AFTER_MS).unref();
  }

  // A half line would fuse with the next entry and lose both: either it is cut off at once, or no further entry is written.
  function cutHalfLine(): void {
    try {
      ftruncateSync(fd, length);
    } catch (error) {
      broken ??= { error }; // repairing or reopening the log cuts the line off
    }
  }

  function mended(): void {
    broken = undefined;
  }

  function held(): HeldFile | undefined {
    return isOpen ? { fd, length, mended } : undefined;
  }

  async function flush(): Promise<void> {
    // One flush at a time; callers that arrive meanwhile share the next one.
    while (flushing) await flushing;
    if (broken) throw broken.error;
    if (!isOpen || !(isDirty || isNameNew)) return;
    keepPlace();
    isDirty = false;
    const began = flushFile();
    flushing = began.then(
      () => undefined,
      () => undefined,
    );
    try {
      await began;
    } catch (error) {
      isDirty = true;
      throw error;
    } finally {
      flushing = undefined;
    }
  }

  async function flushFile(): Promise<void> {
    await fdatasyncOf(fd);
    if (!isNameNew) return;
    isNameNew = false;
    const folder = dirname(path);
    for (const each of [folder, dirname(folder)]) await flushFolder(each);
  }

  function flushNow(): void {
    if (broken) throw broken.error;
    if (!isOpen) return;
    keepPlace();
    fdatasyncSync(fd);
    isDirty = false;
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    // A descriptor still used by a flush must not be reused for another file.
    if (flushing) void flushing.then(() => closeSync(fd));
    else closeSync(fd);
  }

  /** Moving, deleting or replacing the file of a running session loses nothing: it is written again. */
  function keepPlace(): void {
    const mine = fstatSync(fd);
    const there = statSync(path, { throwIfNoEntry: false });
    if (there && isSameFile(mine, there)) return;
    const lost = path;
    if (there) path = freePath(path);
    makeFolder(dirname(path));
    const copy = openSync(path, "wx+", 0o600);
    copyInto(copy, fd, length);
    if (!flushing) closeSync(fd);
    else {
      const old = fd;
      void flushing.then(() => closeSync(old));
    }
    fd = copy;
    isNameNew = true;
    isDirty = true;
    onRemark(
      there
        ? `The session log ${lost} was replaced by another file while this session had it open. The session is kept, and continues, in ${path}.`
        : `The session log ${lost} was deleted or moved while this session had it open. It was rewritten in full.`,
    );
  }
}

/** A new name in a folder is safe once the folder is flushed. Windows cannot open folders, and keeps names without that. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** `x-2.jsonl` for `x.jsonl`, or the next free number. */
function freePath(path: string): string {
  for (let count = 2; ; count++) {
    const found = path.replace(/\.jsonl$/, `-${count}.jsonl`);
    if (!statSync(found, { throwIfNoEntry: false })) return found;
  }
}

/** The first `length` bytes. */
export function copyInto(to: number, from: number, length: number): void {
  const chunk = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = 0; at < length; ) {
    const got = readSync(from, chunk, 0, Math.min(chunk.length, length - at), at);
    if (got === 0) return;
    for (let put = 0; put < got; ) put += writeSync(to, chunk, put, got - put, at + put);
    at += got;
  }
}

// The open file of a session log: what is written is whole lines, reaches the disk soon, and stays the file that its path names.

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

/** How long what was written may wait for the disk, in milliseconds: with the flush itself less than the two seconds of the promise. */
const FLUSH_AFTER_MS = 1_000;
const COPY_BYTES = 1024 * 1024;

export interface LogFileStart {
  readonly path: string;
  /** It must be new, or it is there. */
  readonly isNew: boolean;
  /** Bytes up to the end of the last entry; what is behind goes. */
  readonly goodLength: number;
  /** The newline after it is still to be written. */
  readonly lacksNewline: boolean;
  /** Hears what was found and done about it, once it is done. */
  readonly onRemark: (text: string) => void;
}

/** Every method throws or rejects with what the system says. */
export interface LogFile {
  readonly path: () => string;
  /** Writes one line; the next flush begins within a second. A line that does not fit leaves no part of itself. */
  readonly write: (line: Buffer) => void;
  /** What was written so far is on the disk, and its name as well. */
  readonly flush: () => Promise<void>;
  /** The same, at once; the name has its turn with the next flush. */
  readonly flushNow: () => void;
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
  /** The folder has not been flushed since the file appeared in it. */
  let isNameNew = isNew;
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** A flush that nobody waited for failed: the next thing that is asked of the file says so. */
  let broken: { readonly error: unknown } | undefined;

  return { path: () => path, write, flush, flushNow, close, isOpen: () => isOpen };

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

  // A half line would fuse with the next entry and both would be lost: it goes at once, or there is no next entry.
  function cutHalfLine(): void {
    try {
      ftruncateSync(fd, length);
    } catch {
      close(); // the caller reports; opening the log again cuts the line off
    }
  }

  async function flush(): Promise<void> {
    // One at a time; whoever comes meanwhile shares the next.
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
    // A number that is still in use by a flush must not become another file's.
    if (flushing) void flushing.then(() => closeSync(fd));
    else closeSync(fd);
  }

  /** Whoever moves, deletes or replaces the file of a running session takes nothing from it: it is written again. */
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
        ? `The session log ${lost} was replaced by another file while this session had it open. The session is kept, and goes on, in ${path}.`
        : `The session log ${lost} was deleted or moved while this session had it open. It was written again, whole.`,
    );
  }
}

/** A new name in a folder is safe once the folder is. Windows opens none, and keeps names by itself. */
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

/** `x-2.jsonl` for `x.jsonl`, or the next number that is free. */
function freePath(path: string): string {
  for (let count = 2; ; count++) {
    const found = path.replace(/\.jsonl$/, `-${count}.jsonl`);
    if (!statSync(found, { throwIfNoEntry: false })) return found;
  }
}

function copyInto(to: number, from: number, length: number): void {
  const chunk = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = 0; at < length; ) {
    const got = readSync(from, chunk, 0, Math.min(chunk.length, length - at), at);
    if (got === 0) return;
    for (let put = 0; put < got; ) put += writeSync(to, chunk, put, got - put, at + put);
    at += got;
  }
}

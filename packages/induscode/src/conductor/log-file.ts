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

export function openLogFile(start: LogFileStart): LogFile {
  return new OpenLogFile(start);
}

class OpenLogFile implements LogFile {
  #path: string;
  #fd: number;
  #length: number;
  #isOpen = true;
  #isDirty: boolean;
  /** The folder has not been flushed since the file was created in it. */
  #isNameNew: boolean;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** A flush that nobody awaited failed, or half a line could not be cut off: every operation reports it until it is repaired. */
  #broken: { readonly error: unknown } | undefined;
  readonly #onRemark: LogFileStart["onRemark"];

  constructor({ path, isNew, goodLength, lacksNewline, onRemark }: LogFileStart) {
    this.#path = path;
    this.#onRemark = onRemark;
    this.#length = goodLength;
    this.#isDirty = isNew || lacksNewline;
    this.#isNameNew = isNew;
    this.#fd = openSync(path, isNew ? "wx+" : "r+", 0o600);
    try {
      if (fstatSync(this.#fd).size > goodLength) ftruncateSync(this.#fd, goodLength);
      if (lacksNewline) this.#length += writeSync(this.#fd, "\n", goodLength);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  path(): string {
    return this.#path;
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  held(): HeldFile | undefined {
    if (!this.#isOpen) return undefined;
    return { fd: this.#fd, length: this.#length, mended: () => (this.#broken = undefined) };
  }

  write(line: Buffer): void {
    if (this.#broken) throw this.#broken.error;
    let written = 0;
    try {
      while (written < line.length)
        written += writeSync(this.#fd, line, written, line.length - written, this.#length + written);
    } catch (error) {
      if (written > 0) this.#cutHalfLine();
      throw error;
    }
    this.#length += written;
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch((error: unknown) => {
        this.#broken ??= { error };
      });
    }, FLUSH_AFTER_MS).unref();
  }

  // A half line would fuse with the next entry and lose both: either it is cut off at once, or no further entry is written.
  #cutHalfLine(): void {
    try {
      ftruncateSync(this.#fd, this.#length);
    } catch (error) {
      this.#broken ??= { error }; // repairing or reopening the log cuts the line off
    }
  }

  async flush(): Promise<void> {
    // One flush at a time; callers that arrive meanwhile share the next one.
    while (this.#flushing) await this.#flushing;
    if (this.#broken) throw this.#broken.error;
    if (!this.#isOpen || !(this.#isDirty || this.#isNameNew)) return;
    this.#keepPlace();
    this.#isDirty = false;
    const began = this.#flushFile();
    this.#flushing = began.then(
      () => undefined,
      () => undefined,
    );
    try {
      await began;
    } catch (error) {
      this.#isDirty = true;
      throw error;
    } finally {
      this.#flushing = undefined;
    }
  }

  async #flushFile(): Promise<void> {
    await fdatasyncOf(this.#fd);
    if (!this.#isNameNew) return;
    this.#isNameNew = false;
    const folder = dirname(this.#path);
    for (const each of [folder, dirname(folder)]) await flushFolder(each);
  }

  flushNow(): void {
    if (this.#broken) throw this.#broken.error;
    if (!this.#isOpen) return;
    this.#keepPlace();
    fdatasyncSync(this.#fd);
    this.#isDirty = false;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#closeLater(this.#fd);
  }

  // A descriptor still used by a flush must not be reused for another file.
  #closeLater(fd: number): void {
    if (this.#flushing) void this.#flushing.then(() => closeSync(fd));
    else closeSync(fd);
  }

  /** Moving, deleting or replacing the file of a running session loses nothing: it is written again. */
  #keepPlace(): void {
    const lost = this.#path;
    const mine = fstatSync(this.#fd);
    const there = statSync(lost, { throwIfNoEntry: false });
    if (there && isSameFile(mine, there)) return;
    if (there) this.#path = freePath(lost);
    makeFolder(dirname(this.#path));
    const copy = openSync(this.#path, "wx+", 0o600);
    copyInto(copy, this.#fd, this.#length);
    this.#closeLater(this.#fd);
    this.#fd = copy;
    this.#isNameNew = true;
    this.#isDirty = true;
    this.#onRemark(
      there
        ? `The session log ${lost} was replaced by another file while this session had it open. The session is kept, and continues, in ${this.#path}.`
        : `The session log ${lost} was deleted or moved while this session had it open. The log was rewritten in full.`,
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

// The session log: append-only JSON Lines. An entry is one write that has ended before anyone hears of it, so it
// survives kill -9; `sync` makes everything before it survive a power cut. Splitting is on the byte 0x0A only.

import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { describeError, nowMs } from "indusagi/core";
import type { Entry, EntryBody } from "./contract.ts";
import { isEntry } from "./entry-shape.ts";
import { acquireSessionLock, type SessionLock } from "./session-lock.ts";

/** Thrown when a log cannot be opened or cannot take an entry: nothing that follows from the entry may happen. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** The one writer of one session's file. */
export interface SessionLog {
  readonly id: string;
  readonly path: string;
  /** Writes one entry and returns it. Throws {@link LogError}; the file then ends with the entry before. */
  readonly append: (body: EntryBody) => Entry;
  /** Forces what was written to the disk. Throws {@link LogError}. */
  readonly sync: () => void;
  readonly close: () => void;
}

/** What opening an existing log found. */
export interface OpenedLog {
  readonly log: SessionLog;
  readonly entries: readonly Entry[];
  /** Lines that could not be read and were left out, wherever they stood. */
  readonly damagedLines: number;
}

export interface NewLogFacts {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly version: string;
}

/** A new session. Its file appears with the first entry, so that a session without one leaves nothing behind. */
export function createLog(facts: NewLogFacts): SessionLog {
  const { id, path } = facts;
  let log: SessionLog | undefined;
  return {
    id,
    path,
    append(body) {
      log ??= beginLog(facts);
      return log.append(body);
    },
    sync: () => log?.sync(),
    close: () => log?.close(),
  };
}

/** A log that begins with its session entry, or none: without that entry nobody could open it again. */
function beginLog({ id, path, cwd, version }: NewLogFacts): SessionLog {
  orLogError(`The folder of the session log ${path} cannot be made`, () =>
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 }),
  );
  const log = openWriter(path, id, { flags: "wx", nextNumber: 0, goodLength: 0 });
  try {
    log.append({ type: "session", v: 1, id, cwd, version });
    return log;
  } catch (error) {
    discard(log);
    throw error;
  }
}

// Removed while the lock is still held: nobody else can have begun to use the file.
function discard(log: SessionLog): void {
  try {
    orLogError(`The session log ${log.path} is without its first line`, () =>
      rmSync(log.path, { force: true }),
    );
  } finally {
    log.close();
  }
}

/**
 * Opens a log for reading on and writing on. A torn last line is cut off; a damaged line elsewhere is left out and
 * counted. Throws {@link LogError} when it cannot be opened or another process has it open.
 */
export function openLog(path: string): OpenedLog {
  const lock = lockOrThrow(path);
  try {
    const what = `The session log ${path} cannot be read`;
    const { entries, damagedLines, goodLength } = orLogError(what, () => readEntries(path));
    const head = entries[0];
    if (head?.type !== "session")
      throw new LogError(`${path} is not a session log: its first line is not a session entry`);
    const nextNumber = (entries.at(-1)?.n ?? -1) + 1;
    const log = openWriter(path, head.id, { flags: "r+", nextNumber, goodLength, lock });
    return { log, entries, damagedLines };
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface WriterStart {
  readonly flags: "wx" | "r+";
  readonly nextNumber: number;
  /** Bytes up to the end of the last whole line. */
  readonly goodLength: number;
  readonly lock?: SessionLock;
}

function openWriter(path: string, id: string, start: WriterStart): SessionLog {
  const lock = start.lock ?? lockOrThrow(path);
  let opened: number | undefined;
  try {
    opened = openSync(path, start.flags, 0o600);
    if (fstatSync(opened).size > start.goodLength) ftruncateSync(opened, start.goodLength);
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    lock.release();
    throw new LogError(`The session log ${path} cannot be written: ${describeError(error)}`);
  }
  const fd = opened;
  let length = start.goodLength;
  let n = start.nextNumber;
  let open = true;
  return {
    id,
    path,
    append(body) {
      if (!open) throw new LogError(`The session log ${path} is closed`);
      const entry: Entry = { n, at: nowMs(), ...body };
      length += writeLine(entry);
      n++;
      return entry;
    },
    sync() {
      if (open) orLogError(`The session log ${path} is not safe on the disk`, () => fdatasyncSync(fd));
    },
    close,
  };

  function close(): void {
    if (!open) return;
    open = false;
    closeSync(fd);
    lock.release();
  }

  /** Returns the bytes that the line takes. */
  function writeLine(entry: Entry): number {
    let written = 0;
    try {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      while (written < line.length)
        written += writeSync(fd, line, written, line.length - written, length + written);
      return written;
    } catch (error) {
      if (written > 0) cutHalfLine();
      throw new LogError(
        `The session log ${path} could not take an entry: ${describeError(error)}. Nothing was lost before it.`,
      );
    }
  }

  // A half line would fuse with the next entry and both would be lost: it goes at once, or there is no next entry.
  function cutHalfLine(): void {
    try {
      ftruncateSync(fd, length);
    } catch {
      close(); // the caller reports; opening the log again cuts the line off
    }
  }
}

/** Runs `work`; whatever it throws becomes a {@link LogError} that begins with `what`. */
function orLogError<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new LogError(`${what}: ${describeError(error)}`);
  }
}

function lockOrThrow(path: string): SessionLock {
  const what = `The session log ${path} cannot be locked`;
  const lock = orLogError(what, () => acquireSessionLock(`${path}.lock`));
  if (lock.ok) return lock.lock;
  throw new LogError(
    `The session log ${path} is in use ${lock.holder}. End that one, or start a new session.`,
  );
}

const NEWLINE = 0x0a;
const READ_CHUNK_BYTES = 1024 * 1024;

interface ReadLog {
  readonly entries: readonly Entry[];
  readonly damagedLines: number;
  readonly goodLength: number;
}

/** Reads every whole line; what stands behind the last newline is a torn tail. */
export function readEntries(path: string): ReadLog {
  const entries: Entry[] = [];
  let damagedLines = 0;
  let goodLength = 0;
  let rest = Buffer.alloc(0);
  const fd = openSync(path, "r");
  try {
    const chunk = Buffer.alloc(READ_CHUNK_BYTES);
    for (let got = readSync(fd, chunk); got > 0; got = readSync(fd, chunk)) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk.subarray(0, got)]) : chunk.subarray(0, got);
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
        const entry = parseLine(bytes.toString("utf8", from, end));
        if (entry) entries.push(entry);
        else damagedLines++;
        from = end + 1;
      }
      goodLength += from;
      rest = Buffer.from(bytes.subarray(from));
    }
  } finally {
    closeSync(fd);
  }
  return { entries, damagedLines, goodLength };
}

function parseLine(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined; // counted by the caller and told to the person
  }
}

const MAX_HEAD_BYTES = 64 * 1024;

/** Whether `path` can be read and begins with a session entry, as every log does that could be opened again. */
export function isSessionLog(path: string): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const chunk = Buffer.alloc(MAX_HEAD_BYTES);
    const head = chunk.subarray(0, readSync(fd, chunk));
    return parseLine(head.toString("utf8", 0, head.indexOf(NEWLINE)))?.type === "session";
  } catch {
    return false; // not a file, gone, or somebody else's
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

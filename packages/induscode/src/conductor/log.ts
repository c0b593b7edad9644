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
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { describeError, nowMs } from "indusagi/core";
import type { Entry, EntryBody } from "./contract.ts";
import { acquireSessionLock, type SessionLock } from "./session-lock.ts";

/** Thrown when the log cannot take an entry: nothing that follows from the entry may happen. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** The one writer of one session's file. */
export interface SessionLog {
  readonly id: string;
  readonly path: string;
  /** Writes one entry and returns it. Throws {@link LogError}; the file then ends with the entry before. */
  readonly append: (body: EntryBody) => Entry;
  /** Forces what was written to the disk. */
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
export function createLog({ id, path, cwd, version }: NewLogFacts): SessionLog {
  let log: SessionLog | undefined;
  return {
    id,
    path,
    append(body) {
      if (!log) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        log = openWriter(path, id, { flags: "ax", nextNumber: 0, goodLength: 0 });
        log.append({ type: "session", v: 1, id, cwd, version });
      }
      return log.append(body);
    },
    sync: () => log?.sync(),
    close: () => log?.close(),
  };
}

/**
 * Opens a log for reading on and writing on. A torn last line is cut off; a damaged line elsewhere is left out and
 * counted. Throws {@link LogError} when it cannot be opened or another process has it open.
 */
export function openLog(path: string): OpenedLog {
  const lock = lockOrThrow(path);
  try {
    const { entries, damagedLines, goodLength } = readEntries(path);
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
  readonly flags: "ax" | "r+";
  readonly nextNumber: number;
  /** Bytes up to the end of the last whole line. */
  readonly goodLength: number;
  readonly lock?: SessionLock;
}

function openWriter(path: string, id: string, start: WriterStart): SessionLog {
  const lock = start.lock ?? lockOrThrow(path);
  let fd: number;
  try {
    fd = openSync(path, start.flags, 0o600);
    if (fstatSync(fd).size > start.goodLength) ftruncateSync(fd, start.goodLength);
  } catch (error) {
    lock.release();
    throw new LogError(`The session log ${path} cannot be written: ${describeError(error)}`);
  }
  let length = start.goodLength;
  let n = start.nextNumber;
  let open = true;
  return {
    id,
    path,
    append(body) {
      if (!open) throw new LogError(`The session log ${path} is closed`);
      const entry: Entry = { n, at: nowMs(), ...body };
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      writeWhole(line);
      length += line.length;
      n++;
      return entry;
    },
    sync() {
      if (open) fdatasyncSync(fd);
    },
    close() {
      if (!open) return;
      open = false;
      closeSync(fd);
      lock.release();
    },
  };

  function writeWhole(line: Buffer): void {
    let written = 0;
    try {
      while (written < line.length)
        written += writeSync(fd, line, written, line.length - written, length + written);
    } catch (error) {
      // A half line would fuse with the next entry and both would be lost: cut it off at once.
      if (written > 0) ftruncateSync(fd, length);
      throw new LogError(
        `The session log ${path} could not take an entry: ${describeError(error)}. Nothing was lost before it.`,
      );
    }
  }
}

function lockOrThrow(path: string): SessionLock {
  const lock = acquireSessionLock(`${path}.lock`);
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
    if (typeof value !== "object" || value === null) return undefined;
    const { type, n, at } = value as Partial<Entry>;
    return typeof type === "string" && typeof n === "number" && typeof at === "number"
      ? (value as Entry)
      : undefined;
  } catch {
    return undefined; // counted by the caller and told to the person
  }
}

// The session log: append-only JSON Lines. An entry is one write that has completed before anyone is
// told of it, so it survives kill -9; a power cut loses at most the last two seconds, and nothing before
// a call that changed something. `log-file.ts` keeps the file, `log-reader.ts` reads it.

import { rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeError, nowMs } from "indusagi/core";
import { acquireLock, type FileLock, type LockResult, lockHolder } from "../store/lock.ts";
import { makeFolder } from "../store/make-folder.ts";
import type { Entry, EntryBody } from "./contract.ts";
import type { ContextFold } from "./fold.ts";
import { type HeldFile, type LogFile, openLogFile } from "./log-file.ts";
import { type LogDamage, newerFormatReason } from "./log-reader.ts";
import { type FoldWish, readFolded } from "./read-folded.ts";

/** Thrown when a log cannot be opened or cannot take an entry: nothing that follows from the entry may happen. */
export class LogError extends Error {
  override readonly name = "LogError";
  /** The entry that was not written. */
  unwritten?: EntryBody;
}

/** The log can be read, but not written: its disk is full or fails, or its folder is read-only. */
export class LogUnwritable extends LogError {}

/** Another process has the log open. */
export class LogInUse extends LogError {
  /** Completes "is in use …". */
  readonly holder: string;

  constructor(path: string, holder: string) {
    super(`The session log ${path} is in use ${holder}. End that process, or start a new session.`);
    this.holder = holder;
  }
}

/** The only writer of one session's file. */
export interface SessionLog {
  readonly id: string;
  readonly path: string;
  /** What the first line of a new log says, which the view does not see. */
  readonly begins?: Pick<NewLogFacts, "cwd" | "version">;
  /** Writes one entry and returns it. Throws {@link LogError}; the file then still ends with the previous entry. */
  readonly append: (body: EntryBody) => Entry;
  /** Flushes everything written to the disk. Throws {@link LogError}. */
  readonly sync: () => void;
  /** The same without blocking. Rejects with a {@link LogError}. */
  readonly flush: () => Promise<void>;
  /** Sets the listener for what happens to the file while it is open. */
  readonly hear: (listener: (text: string) => void) => void;
  /** Its open file; undefined before the first entry. */
  readonly held: () => HeldFile | undefined;
  /** Before the first entry: begins in this file. */
  readonly beginAt: (path: string) => void;
  readonly close: () => void;
}

/** What opening an existing log found. */
export interface OpenedLog {
  readonly log: SessionLog;
  readonly entries: readonly Entry[];
  /** The view folded from those entries. */
  readonly fold: ContextFold;
  /** What was wrong with the log; repaired where necessary. */
  readonly damage: LogDamage;
}

export interface NewLogFacts {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly version: string;
}

/** A new session. Its file is created with the first entry, so a session without one leaves nothing behind. */
export function createLog(facts: NewLogFacts): SessionLog {
  const { id } = facts;
  let { path } = facts;
  let log: SessionLog | undefined;
  let listener = (_text: string): void => undefined;
  return {
    id,
    begins: facts,
    get path() {
      return log?.path ?? path;
    },
    append(body) {
      if (log === undefined) {
        log = beginLog({ ...facts, path });
        log.hear((text) => listener(text));
      }
      return log.append(body);
    },
    sync: () => log?.sync(),
    flush: async () => log?.flush(),
    hear(next) {
      listener = next;
    },
    held: () => log?.held(),
    beginAt(next) {
      path = next;
    },
    close: () => log?.close(),
  };
}

/** Creates a log with its session entry, or none at all: without that entry it could not be opened again. */
function beginLog({ id, path, cwd, version }: NewLogFacts): SessionLog {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw new LogError(
      `The folder of the session log ${path} cannot be created: ${describeError(error)}. Set INDUS_HOME to a folder that can be written`,
    );
  }
  const log = openWriter(path, id, { flags: "wx", nextNumber: 0, goodLength: 0, lacksNewline: false });
  try {
    log.append({ type: "session", v: 1, id, cwd, version });
    return log;
  } catch (error) {
    discard(log);
    throw error;
  }
}

// Removed while the lock is still held: no one else can have started to use the file.
function discard(log: SessionLog): void {
  try {
    orLogError(`The session log ${log.path} lacks its first line`, () => rmSync(log.path, { force: true }));
  } finally {
    log.close();
  }
}

/**
 * Opens a log for reading and appending, whatever happened to it: anything after its last entry is cut off, a damaged line
 * elsewhere is left out, and a session whose first line is gone gets the id of its file. Throws {@link LogError} if it cannot be
 * read, holds no entry, has a newer format, or is open in another process, and {@link LogUnwritable} if only writing fails. `begin` is
 * the option of {@link readFolded}.
 */
export function openLog(path: string, begin?: FoldWish["begin"]): OpenedLog {
  const lock = lockLog(path);
  try {
    return readThenOpen(path, begin, (id, end) => openWriter(path, id, { flags: "r+", ...end, lock }));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What a log holds, with the log that `open` makes of its id and its end. */
export function readThenOpen(
  path: string,
  begin: FoldWish["begin"] | undefined,
  open: (id: string, end: LogEnd) => SessionLog,
): OpenedLog {
  const what = `The session log ${path} cannot be read`;
  let now = (): string => path;
  const wish = { path: () => now(), begin };
  const { entries, fold, damage, newerFormat, goodLength, lacksNewline } = orLogError(what, () =>
    readFolded(path, wish),
  );
  if (newerFormat !== undefined)
    throw new LogError(`${what}: ${newerFormatReason(newerFormat)}. Update indus, or start a new session.`);
  if (entries.length === 0) throw new LogError(`${path} is not a session log: it contains no readable entry`);
  const head = entries.find((entry) => entry.type === "session");
  const lastOnes = [...entries.slice(-LOOK_BACK), ...damage.later.slice(-LOOK_BACK)];
  const nextNumber = Math.max(...lastOnes.map(({ n = 0 }) => n)) + 1;
  const log = open(head?.id ?? idOf(path), { nextNumber, goodLength, lacksNewline });
  now = () => log.path;
  return { log, entries, fold, damage };
}

// Numbers go up; a repeated line is never far from the original.
const LOOK_BACK = 1_000;

function idOf(path: string): string {
  return basename(path).replace(/\.jsonl$/, "");
}

/** Where the next entry goes. */
export interface LogEnd {
  readonly nextNumber: number;
  /** Bytes up to the end of the last entry. */
  readonly goodLength: number;
  /** The newline after it has yet to be written. */
  readonly lacksNewline: boolean;
}

interface WriterStart extends LogEnd {
  readonly flags: "wx" | "r+";
  readonly lock?: FileLock;
}

/** Throws {@link LogUnwritable}. */
export function openWriter(path: string, id: string, start: WriterStart): SessionLog {
  const lock = start.lock ?? lockLog(path);
  const remarks: string[] = [];
  let listener: ((text: string) => void) | undefined;
  let file: LogFile;
  try {
    const { flags, goodLength, lacksNewline } = start;
    file = openLogFile({
      path,
      isNew: flags === "wx",
      goodLength,
      lacksNewline,
      onRemark: (text) => void (listener ? listener(text) : remarks.push(text)),
    });
  } catch (error) {
    lock.release();
    throw new LogUnwritable(`The session log ${path} cannot be written: ${describeError(error)}`);
  }
  let n = start.nextNumber;
  return {
    id,
    get path() {
      return file.path();
    },
    append(body) {
      if (!file.isOpen()) throw new LogError(`The session log ${file.path()} is closed`);
      const entry: Entry = { n, at: nowMs(), ...body };
      writeLine(entry);
      n++;
      return entry;
    },
    sync: () => orLogError(notSafe(), () => file.flushNow()),
    async flush() {
      try {
        await file.flush();
      } catch (error) {
        throw new LogError(`${notSafe()}: ${describeError(error)}`);
      }
    },
    hear(next) {
      listener = next;
      for (const text of remarks.splice(0)) next(text);
    },
    held: () => file.held(),
    beginAt: () => undefined,
    close() {
      if (!file.isOpen()) return;
      file.close();
      lock.release();
    },
  };

  function notSafe(): string {
    return `The session log ${file.path()} could not be flushed to the disk`;
  }

  function writeLine(entry: Entry): void {
    try {
      file.write(Buffer.from(`${JSON.stringify(entry)}\n`));
    } catch (error) {
      throw new LogError(
        `The session log ${file.path()} could not be appended to: ${describeError(error)}. Earlier entries are not lost.`,
      );
    }
  }
}

/** Runs `work`; any error it throws becomes a {@link LogError} that begins with `what`. */
function orLogError<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new LogError(`${what}: ${describeError(error)}`);
  }
}

/** Throws {@link LogInUse}, or {@link LogUnwritable}. */
export function lockLog(path: string): FileLock {
  let lock: LockResult;
  try {
    lock = acquireLock(`${path}.lock`);
  } catch (error) {
    const why = `The session log ${path} cannot be written: ${describeError(error)}`;
    const holder = orLogError(why, () => lockHolder(`${path}.lock`));
    if (holder !== undefined) throw new LogInUse(path, holder);
    throw new LogUnwritable(why);
  }
  if (lock.ok) return lock.lock;
  throw new LogInUse(path, lock.holder);
}

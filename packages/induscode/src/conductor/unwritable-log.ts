// The log of a session that continues though its file cannot be written: it is read, and each entry tries again to open it for writing.

import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { describeError } from "indusagi/core";
import {
  type LogEnd,
  LogError,
  lockLog,
  type OpenedLog,
  openWriter,
  readThenOpen,
  type SessionLog,
} from "./log.ts";
import type { FoldWish } from "./read-folded.ts";

/** Opens a log for reading alone. Throws {@link LogError} if it cannot be read, as `openLog` does. */
export function openUnwritable(path: string, begin?: FoldWish["begin"]): OpenedLog {
  const fd = openToRead(path);
  try {
    const before = fstatSync(fd);
    return readThenOpen(path, begin, (id, end) => unwritableLog({ path, id, end, fd, before }));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openToRead(path: string): number {
  try {
    return openSync(path, "r");
  } catch (error) {
    throw new LogError(`The session log ${path} cannot be read: ${describeError(error)}`);
  }
}

const SAME = ["dev", "ino", "size", "mtimeMs"] as const;

interface UnwritableFacts {
  readonly path: string;
  readonly id: string;
  readonly end: LogEnd;
  readonly fd: number;
  /** The file before it was read. */
  readonly before: Stats;
}

function unwritableLog({ path, id, end, fd, before }: UnwritableFacts): SessionLog {
  let writer: SessionLog | undefined;
  let isOpen = true;
  let listener = (_text: string): void => undefined;
  return {
    id,
    get path() {
      return writer?.path ?? path;
    },
    append: (body) => writing().append(body),
    sync: () => writer?.sync(),
    flush: async () => writer?.flush(),
    hear(next) {
      listener = next;
    },
    held() {
      if (writer) return writer.held();
      return isOpen ? { fd, length: end.goodLength } : undefined;
    },
    beginAt: () => undefined,
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
      writer?.close();
    },
  };

  function writing(): SessionLog {
    if (writer) return writer;
    if (!isOpen) throw new LogError(`The session log ${path} is closed`);
    const lock = lockLog(path);
    try {
      if (!isAsBefore())
        throw new LogError(
          `The session log ${path} has changed since it was read: continue in another folder`,
        );
      writer = openWriter(path, id, { flags: "r+", ...end, lock });
    } catch (error) {
      lock.release();
      throw error;
    }
    writer.hear((text) => listener(text));
    return writer;
  }

  // Its lock was not held: what another process has written since would be cut off.
  function isAsBefore(): boolean {
    const now = statSync(path, { throwIfNoEntry: false });
    return SAME.every((each) => now?.[each] === before[each]);
  }
}

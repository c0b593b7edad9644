// A board's file: one step per line, appended whole under the board's lock. Readers ignore the partial line of a writer that
// was killed, and the next writer removes it.

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { withRegularFile } from "../core/bounded-file.ts";
import { describeError, errorCode } from "../core/faults.ts";
import { type BoardEntry, BoardError } from "./contract.ts";

const CHUNK_BYTES: number = 256 * 1024;
const LINE_FEED = 0x0a;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** The steps in one file, as far as this process has read them. */
export interface BoardLog {
  /** Passes each new complete step to `take`. If the file was replaced, calls `restart` and starts over. */
  readonly refresh: (take: (entry: BoardEntry) => void, restart: () => void) => void;
  /**
   * Appends a step after those that `refresh` passed on; only under the lock, right after `refresh`. Durable when it returns
   * true. False, with nothing appended, if the lock is no longer `isMine`: what is there now belongs to another process.
   */
  readonly append: (entry: BoardEntry, isMine: () => boolean) => boolean;
}

/** A file larger than `maxBytes` is not read, and no step makes it larger than that. */
export function openBoardLog(path: string, maxBytes: number = Number.POSITIVE_INFINITY): BoardLog {
  let identity = "";
  let offset = 0;
  let line = 0;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });

  const parse = (bytes: Buffer): BoardEntry => {
    try {
      const entry = JSON.parse(bytes.toString("utf8")) as BoardEntry;
      if (Number.isSafeInteger(entry.seq) && Array.isArray(entry.acts)) return entry;
    } catch {
      // Reported below, with its location.
    }
    throw new BoardError(
      "damaged",
      `${path}: expected a step of the board in line ${line + 1}, found something else`,
    );
  };
  /** Passes on the complete steps between `offset` and `size`; no byte is copied twice, however long a line is. */
  const readOn = (file: number, size: number, take: (entry: BoardEntry) => void): void => {
    let pieces: Buffer[] = [];
    for (let position = offset; position < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position));
      let rest = chunk.subarray(0, readSync(file, chunk, 0, chunk.length, position));
      if (rest.length === 0) return;
      position += rest.length;
      for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
        const bytes = Buffer.concat([...pieces, rest.subarray(0, end)]);
        take(parse(bytes));
        offset += bytes.length + 1;
        line++;
        pieces = [];
        rest = rest.subarray(end + 1);
      }
      pieces.push(rest);
    }
  };

  return {
    refresh(take, restart) {
      try {
        withRegularFile(path, {}, (file, size) => {
          if (size > maxBytes) throw new Error(`it has ${size} bytes; the limit is ${maxBytes}`);
          const now = identityOf(fstatSync(file));
          if (now !== identity || size < offset) {
            restart();
            [identity, offset, line] = [now, 0, 0];
          }
          readOn(file, size, take);
        });
      } catch (error) {
        if (error instanceof BoardError) throw error;
        if (errorCode(error) === "ENOENT") return;
        throw new BoardError("damaged", `${path} cannot be read: ${describeError(error)}`, { cause: error });
      }
    },
    append(entry, isMine) {
      const file = openSync(path, constants.O_RDWR | constants.O_CREAT | NO_LINK, 0o600);
      try {
        const { size, ...facts } = fstatSync(file);
        identity ||= identityOf(facts);
        if (identityOf(facts) !== identity || size < offset)
          throw new BoardError("conflict", `${path} was replaced while it was being changed; try again`);
        const text = Buffer.from(`${JSON.stringify(entry)}\n`);
        if (offset + text.length > maxBytes)
          throw new BoardError(
            "validation",
            `${path} is full: the limit is ${maxBytes} bytes; delete it to start over`,
          );
        if (!isMine()) return false;
        try {
          if (size > offset) ftruncateSync(file, offset); // the partial line of a writer that was killed
          for (let written = 0; written < text.length; )
            written += writeSync(file, text, written, text.length - written, offset + written);
          fdatasyncSync(file);
        } catch (error) {
          ftruncateSync(file, offset);
          throw error;
        }
        offset += text.length;
        line++;
        return true;
      } finally {
        closeSync(file);
      }
    },
  };
}

/** The inode of a removed file is reused by the next one; the birth times differ. */
function identityOf({ ino, birthtimeMs }: { readonly ino: number; readonly birthtimeMs: number }): string {
  return `${ino} ${birthtimeMs}`;
}

// Reads a session log, whatever happened to the file: what is damaged costs itself, is counted, and what follows is read.
// Splitting is on the byte 0x0A only; a line is held in memory once, whatever its length.

import { readSync, statSync } from "node:fs";
import { describeError, readFileOpening, trimEndOf, trimStartOf, withRegularFile } from "indusagi/core";
import { HOME_FILES } from "../store/home-files.ts";
import type { Entry } from "./contract.ts";
import { isEntry } from "./entry-shape.ts";
import { HELD_BYTES, type LinePlace, lighten, MIN_CHARS } from "./light-entries.ts";

/** The newest format that this version reads and writes. A log begins in the first, which earlier versions read as well. */
export const LOG_FORMAT: 3 = HOME_FILES.session.version;

/** What was not as it should be. */
export interface LogDamage {
  /** Lines that are not entries, wherever they stood: they are left out. */
  readonly lines: number;
  /** Lines that hold a whole entry and something else; the entry counts. */
  readonly salvaged: number;
  /** Entries with a number that stood before. */
  readonly repeated: number;
  /** Entries that are missing by their numbers. */
  readonly missing: number;
  /** The first entry is not a session entry. */
  readonly isHeadless: boolean;
  /** Bytes after the last entry that are not a whole one: opening the log cuts them off. */
  readonly tail: number;
  /** They are zeros, as a machine that goes down leaves them. */
  readonly isTailZero: boolean;
}

export interface ReadLog {
  readonly entries: readonly Entry[];
  readonly damage: LogDamage;
  /** Bytes up to the end of the last line that stays. */
  readonly goodLength: number;
  /** The last entry is whole, but for its newline. */
  readonly lacksNewline: boolean;
  /** The format that a newer version wrote it in: its entries are not to be trusted then. */
  readonly newerFormat?: number;
}

const NEWLINE = 0x0a;
const ZERO = 0x00;
const READ_CHUNK_BYTES = 1024 * 1024;
/** No entry is as long; a longer run without a line end is passed over without being held. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** A hundred times what a long session takes. */
const MAX_LOG_BYTES = 4 * 1024 ** 3;

/** What is done while a log is read. */
export interface ReadWish {
  /** Sees each entry whole, with its line; what it answers holds texts of the entry under the same names, and is made light too. */
  readonly visit?: (entry: Entry, line: string) => object | undefined;
  /** Where the log is by now. */
  readonly path?: () => string;
}

/** Reads every entry of a log; of a long one, the texts stay in the file. Throws what the file system throws. */
export function readEntries(path: string, { visit, path: now = () => path }: ReadWish = {}): ReadLog {
  const entries: Entry[] = [];
  const reread = createRereader(now);
  const lightBelow = statSync(path).size - HELD_BYTES;
  const read = scanEntries(path, (entry, line, place) => {
    const shared = visit?.(entry, line);
    if (place && place.at < lightBelow && place.bytes > MIN_CHARS) {
      const { n } = entry;
      const again = (): Entry => reread(n, place);
      lighten(entry, again);
      if (shared) lighten(shared, again);
    }
    entries.push(entry);
  });
  return { entries, ...read };
}

/** Reads entries at their places again; the last one is kept, since whoever wants one of its texts wants the others too. */
function createRereader(path: () => string): (n: number, place: LinePlace) => Entry {
  let last: { readonly at: number; readonly entry: Entry } | undefined;
  return (n, { at, bytes }) => {
    if (last?.at === at) return last.entry;
    const line = Buffer.allocUnsafe(bytes);
    withRegularFile(path(), { followsLinks: true }, (file) => readSync(file, line, 0, bytes, at));
    const { entry } = readLine(line.toString("utf8"));
    if (entry?.n !== n) throw new Error(`entry ${n} is no longer where it was in the session log ${path()}`);
    last = { at, entry };
    return entry;
  };
}

/**
 * Hands each entry of a log to `visit` and keeps none. What `isUnwanted` says of how a line begins is passed over unread, and is
 * missing then in what is said of damage. Throws what the file system throws.
 */
export function scanEntries(
  path: string,
  visit: (entry: Entry, line: string, place?: LinePlace) => void,
  isUnwanted: (line: string) => boolean = () => false,
): Omit<ReadLog, "entries"> {
  const numbers = createNumbering();
  let damagedLines = 0;
  let salvagedLines = 0;
  let goodLength = 0;
  let newerFormat: number | undefined;
  let held: Buffer[] = []; // the line so far
  let heldBytes = 0;
  let zeros = 0; // before it
  let isTooLong = false;
  const hold = (bytes: Buffer): void => {
    let from = 0;
    if (heldBytes === 0) while (from < bytes.length && bytes[from] === ZERO) from++;
    zeros += from;
    if (from === bytes.length) return;
    heldBytes += bytes.length - from;
    isTooLong ||= heldBytes > MAX_LINE_BYTES;
    if (isTooLong) held = [];
    else held.push(Buffer.from(bytes.subarray(from)));
  };
  const release = (): void => {
    held = [];
    heldBytes = 0;
    zeros = 0;
    isTooLong = false;
  };
  const take = (line: Line, text: string, place?: LinePlace): void => {
    if (line.kind === "newer") newerFormat ??= line.format;
    if (line.entry) {
      numbers.add(line.entry);
      visit(line.entry, text, place);
    }
    if (line.kind === "damaged") damagedLines++;
    if (line.kind === "entry" && line.isDamaged) salvagedLines++;
  };

  withRegularFile(path, { followsLinks: true }, (fd, size) => {
    if (size > MAX_LOG_BYTES) throw new Error(`it has ${size} bytes; the limit is ${MAX_LOG_BYTES}`);
    const chunk = Buffer.allocUnsafe(READ_CHUNK_BYTES);
    let chunkAt = 0;
    for (let got = readSync(fd, chunk); got > 0; got = readSync(fd, chunk)) {
      const read = chunk.subarray(0, got);
      const texts = read.toString("utf8", 0, read.lastIndexOf(NEWLINE) + 1).split("\n");
      let from = 0;
      for (const text of texts) {
        const end = read.indexOf(NEWLINE, from);
        if (end < 0) break;
        const place = { at: goodLength, bytes: chunkAt + end - goodLength };
        if (heldBytes + zeros === 0) {
          if (!isUnwanted(text)) take(readLine(text), text, place);
        } else {
          hold(read.subarray(from, end));
          const text = isTooLong ? "" : Buffer.concat(held).toString("utf8");
          take(isTooLong ? DAMAGED : withZeros(zeros, readLine(text)), text, zeros === 0 ? place : undefined);
          release();
        }
        from = end + 1;
        goodLength = chunkAt + from;
      }
      hold(read.subarray(from));
      chunkAt += got;
    }
  });

  // Behind the last newline: an entry that lacks only that stays, anything else goes.
  const text = isTooLong ? "{" : Buffer.concat(held).toString("utf8");
  const written = trimEndOf(text, isBehind);
  const behind = text.length - written.length; // bytes as well: they are ASCII
  const last = readLine(written);
  take(last.kind === "entry" ? withZeros(zeros, last) : { kind: "blank" }, written);
  if (last.kind === "newer") newerFormat ??= last.format;
  const isKept = last.kind === "entry";
  if (isKept) goodLength += zeros + heldBytes - behind;
  const cut = isKept ? behind : zeros + heldBytes;
  const hasZeros = text.slice(written.length).includes("\0") || (!isKept && zeros > 0);
  const isBlank = !hasZeros && (isKept || last.kind === "blank");
  return {
    damage: {
      lines: damagedLines,
      salvaged: salvagedLines,
      ...numbers.found(),
      tail: isBlank ? 0 : cut,
      isTailZero: hasZeros && (isKept || written === ""),
    },
    goodLength,
    lacksNewline: isKept,
    ...(newerFormat === undefined ? {} : { newerFormat }),
  };
}

const isBehind = (character: string): boolean => "\0 \t\r".includes(character);

type Line =
  | { readonly kind: "entry"; readonly entry: Entry; readonly isDamaged: boolean }
  | { readonly kind: "newer"; readonly format: number; readonly entry?: undefined }
  | { readonly kind: "blank" | "damaged"; readonly entry?: undefined };

const DAMAGED: Line = { kind: "damaged" };

function withZeros(zeros: number, line: Line): Line {
  if (zeros === 0) return line;
  return line.kind === "entry" ? { ...line, isDamaged: true } : DAMAGED;
}

// A byte order mark and zeros around an entry are not of it.
const isAround = (character: string): boolean => character === "\0" || /\s/.test(character);

function readLine(line: string): Line {
  if (line === "" || line === "\r") return { kind: "blank" }; // a log may hold any number of them
  const found = asEntry(line);
  if (found) return found;
  const bare = trimEndOf(trimStartOf(line, isAround), isAround);
  if (bare === "") return line.includes("\0") ? DAMAGED : { kind: "blank" };
  const cleaned = bare === line ? undefined : asEntry(bare);
  if (cleaned?.kind === "entry") return { ...cleaned, isDamaged: line.includes("\0") };
  return cleaned ?? salvage(bare);
}

function asEntry(text: string): Line | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // counted by the caller and reported to the person
  }
  const format = formatOf(value);
  if (format !== undefined && format > LOG_FORMAT) return { kind: "newer", format };
  return isEntry(value) ? { kind: "entry", entry: value, isDamaged: false } : undefined;
}

function formatOf(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, v } = value as { readonly type?: unknown; readonly v?: unknown };
  return type === "session" && typeof v === "number" ? v : undefined;
}

// How every entry begins; inside a JSON text the quotes would be escaped.
const BEGINNING = '{"n":';
const MAX_TRIES = 4;

/** The whole entry at the end of a line whose beginning belongs to another that was torn. */
function salvage(line: string): Line {
  let at = line.length;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    at = line.lastIndexOf(BEGINNING, at - 1);
    if (at <= 0) return DAMAGED;
    const found = asEntry(line.slice(at));
    if (found?.kind === "entry") return { ...found, isDamaged: true };
  }
  return DAMAGED;
}

/** Numbers go up by one from 0, and the first entry is the session's. */
function createNumbering(): {
  readonly add: (entry: Entry) => void;
  readonly found: () => Pick<LogDamage, "missing" | "repeated" | "isHeadless">;
} {
  let [missing, repeated, next] = [0, 0, 0];
  let first: Entry["type"] | undefined;
  return {
    add({ n, type }) {
      first ??= type;
      if (n > next) missing += n - next;
      if (n < next) repeated++;
      next = Math.max(next, n + 1);
    },
    found: () => ({ missing, repeated, isHeadless: first !== undefined && first !== "session" }),
  };
}

/** What a damaged log lost, in words that complete "the session … ": none for a log that is whole. */
export function describeDamage({
  lines,
  salvaged,
  missing,
  repeated,
  isHeadless,
  tail,
  isTailZero,
}: LogDamage): readonly string[] {
  const found: readonly (string | false)[] = [
    lines > 0 && `has ${counted(lines, "damaged line")}, left out`,
    salvaged > 0 && `has ${counted(salvaged, "entry", "entries")} in damaged lines, kept`,
    repeated > 0 && `has ${counted(repeated, "entry", "entries")} out of order`,
    missing > 0 && `lacks ${counted(missing, "entry", "entries")}`,
    isHeadless && "lacks its first line: its id is that of its file",
    tail > 0 &&
      `ended in ${counted(tail, "byte")} that are ${isTailZero ? "zeros" : "half an entry"}, cut off`,
  ];
  return found.filter((each) => each !== false);
}

/** `1 line`, `2 lines`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What a file is for someone who looks for a session to go on with. */
export type LogLook =
  | { readonly kind: "session" }
  /** Nothing was ever said in it. */
  | { readonly kind: "empty" }
  | { readonly kind: "unreadable"; readonly reason: string };

const HEAD_BYTES = 64 * 1024;

/** Looks at the first line of a whole log, and at everything of another. Never throws. */
export function lookAtLog(path: string): LogLook {
  try {
    if (hasWholeHead(path)) return { kind: "session" };
    const { entries, damage, newerFormat } = readEntries(path);
    if (newerFormat !== undefined) return { kind: "unreadable", reason: newerFormatReason(newerFormat) };
    if (entries.length > 0) return { kind: "session" };
    return damage.lines + damage.tail === 0
      ? { kind: "empty" }
      : { kind: "unreadable", reason: "it holds no readable entry" };
  } catch (error) {
    return { kind: "unreadable", reason: describeError(error) };
  }
}

function hasWholeHead(path: string): boolean {
  const head = readFileOpening(path, HEAD_BYTES, { followsLinks: true });
  const end = head.indexOf(NEWLINE);
  if (end < 0) return false;
  const line = readLine(head.toString("utf8", 0, end));
  return line.kind === "entry" && line.entry.type === "session";
}

/** Why a log of a newer format is not opened: appending to it would break what the newer version reads. */
export function newerFormatReason(format: number): string {
  return `it has format ${format}, which a newer indus writes; this one reads up to format ${LOG_FORMAT}`;
}

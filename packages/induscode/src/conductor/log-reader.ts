// Reads a session log, whatever happened to the file: damaged lines are skipped and counted, and reading continues after them.
// Lines are split on the byte 0x0A only; a line is held in memory once, whatever its length.

import { readSync, statSync } from "node:fs";
import {
  brief,
  describeError,
  readFileOpening,
  trimEndOf,
  trimStartOf,
  withRegularFile,
} from "indusagi/core";
import { HOME_FILES } from "../store/home-files.ts";
import type { Entry } from "./contract.ts";
import { isEntry, isKnownType, laterType } from "./entry-shape.ts";
import { HELD_BYTES, type LinePlace, lighten, MIN_CHARS } from "./light-entries.ts";

/** The newest format that this version reads and writes. A log begins in the first format, which earlier versions also read. */
export const LOG_FORMAT: 3 = HOME_FILES.session.version;

/** What was wrong with a log. */
export interface LogDamage {
  /** Lines anywhere that are not entries: they are left out. */
  readonly lines: number;
  /** Lines that hold a whole entry and something else; the entry is used. */
  readonly salvaged: number;
  /** Entries with a number that was already used. */
  readonly repeated: number;
  /** Entries that are missing, judging by the numbers. */
  readonly missing: number;
  /** The first entry is not a session entry. */
  readonly isHeadless: boolean;
  /** Bytes after the last entry that are not a whole entry: opening the log cuts them off. */
  readonly tail: number;
  /** They are zeros, such as a machine leaves when it goes down. */
  readonly isTailZero: boolean;
  /** Lines with entries of types that only a newer version knows: no damage, but nothing here makes use of them. */
  readonly later: readonly LaterLine[];
}

export interface LaterLine {
  readonly type: string;
  /** Its number, if it has one. */
  readonly n?: number | undefined;
}

export interface ReadLog {
  readonly entries: readonly Entry[];
  readonly damage: LogDamage;
  /** Bytes up to the end of the last line that is kept. */
  readonly goodLength: number;
  /** The last entry is complete except for its newline. */
  readonly lacksNewline: boolean;
  /** The format that a newer version wrote; if set, the entries are not to be trusted. */
  readonly newerFormat?: number | undefined;
}

const NEWLINE = 0x0a;
const ZERO = 0x00;
/** With pieces of 1 MiB, V8 left 130 MB more uncollected at the end of a log of 200 MB. */
const READ_CHUNK_BYTES = 64 * 1024;
/** No entry is this long; a longer run without a line end is skipped without being held. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** A hundred times what a long session takes. */
const MAX_LOG_BYTES = 4 * 1024 ** 3;

/** Options for reading a log. */
export interface ReadWish {
  /** Receives each entry whole, with its line; what it returns holds texts of the entry under the same names and is lightened too. */
  readonly visit?: (entry: Entry, line: string) => object | undefined;
  /** The log's current path. */
  readonly path?: () => string;
}

/** Reads every entry of a log; in a long log, the texts stay in the file. Throws what the file system throws. */
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

/** Reads single entries again; the last one is kept, since a caller that needs one of its texts needs the others too. */
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
 * Passes each entry of a log to `visit` and keeps none. Lines that `isUnwanted` recognises by their beginning are skipped unread,
 * and the damage report counts them as missing. Throws what the file system throws.
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
  const later: LaterLine[] = [];
  let held: Buffer[] = []; // the current line so far
  let heldBytes = 0;
  let zeros = 0; // before the current line
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
    if (line.kind === "later") {
      later.push(line.line);
      if (line.line.n !== undefined) numbers.add({ ...line.line, n: line.line.n });
    }
    if (line.entry) {
      numbers.add(line.entry);
      if (!isKnownType(line.entry.type)) later.push({ type: line.entry.type, n: line.entry.n });
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
      const whole = read.lastIndexOf(NEWLINE) + 1;
      const decoded = read.toString("utf8", 0, whole);
      const isPlain = decoded.length === whole; // each character is one byte
      let from = 0;
      const takeLine = (text: string): void => {
        if (from === whole) return;
        const end = isPlain ? from + text.length : read.indexOf(NEWLINE, from);
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
      };
      decoded.split("\n").forEach(takeLine); // a loop over thousands of lines is recompiled while it runs
      hold(read.subarray(from));
      chunkAt += got;
    }
  });

  // After the last newline: an entry that only lacks its newline is kept, anything else is cut.
  const text = isTooLong ? "{" : Buffer.concat(held).toString("utf8");
  const written = trimEndOf(text, isBehind);
  const behind = text.length - written.length; // also the byte count: they are ASCII
  const last = readLine(written);
  const isKept = last.kind === "entry" || last.kind === "later";
  take(isKept ? withZeros(zeros, last) : { kind: "blank" }, written);
  if (last.kind === "newer") newerFormat ??= last.format;
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
      later,
    },
    goodLength,
    lacksNewline: isKept,
    newerFormat,
  };
}

const isBehind = (character: string): boolean => "\0 \t\r".includes(character);

type Line =
  | { readonly kind: "entry"; readonly entry: Entry; readonly isDamaged: boolean }
  | { readonly kind: "newer"; readonly format: number; readonly entry?: undefined }
  | { readonly kind: "later"; readonly line: LaterLine; readonly entry?: undefined }
  | { readonly kind: "blank" | "damaged"; readonly entry?: undefined };

const DAMAGED: Line = { kind: "damaged" };

function withZeros(zeros: number, line: Line): Line {
  if (zeros === 0) return line;
  if (line.kind === "later") return line;
  return line.kind === "entry" ? { ...line, isDamaged: true } : DAMAGED;
}

// A byte order mark and zeros around an entry are not part of it.
const isAround = (character: string): boolean => character === "\0" || /\s/.test(character);

function readLine(line: string): Line {
  if (line === "" || line === "\r") return { kind: "blank" }; // a log may hold any number of blank lines
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
  if (isEntry(value)) return { kind: "entry", entry: value, isDamaged: false };
  const type = laterType(value);
  if (type === undefined) return undefined;
  const { n } = value as { readonly n?: unknown };
  return { kind: "later", line: { type, n: Number.isSafeInteger(n) ? (n as number) : undefined } };
}

function formatOf(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, v } = value as { readonly type?: unknown; readonly v?: unknown };
  return type === "session" && typeof v === "number" ? v : undefined;
}

// How every entry begins; inside a JSON string the quotes would be escaped.
const BEGINNING = '{"n":';
const MAX_TRIES = 4;

/** The whole entry at the end of a line that begins with a torn one. */
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
  readonly add: (entry: { readonly n: number; readonly type: string }) => void;
  readonly found: () => Pick<LogDamage, "missing" | "repeated" | "isHeadless">;
} {
  let [missing, repeated, next] = [0, 0, 0];
  let first: string | undefined;
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

/** What a damaged log lost, in words that complete "the session … "; none for an undamaged log. */
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
    lines > 0 && `has ${counted(lines, "damaged line")}, skipped`,
    salvaged > 0 && `has ${counted(salvaged, "entry", "entries")} in damaged lines, kept`,
    repeated > 0 && `has ${counted(repeated, "entry", "entries")} out of order`,
    missing > 0 && `lacks ${counted(missing, "entry", "entries")}`,
    isHeadless && "lacks its first line: its id is taken from its file name",
    tail > 0 &&
      `ended with ${counted(tail, "byte")} of ${isTailZero ? "zeros" : "an incomplete entry"}, cut off`,
  ];
  return found.filter((each) => each !== false);
}

const MAX_TYPES = 5;

/** The entries that a newer version wrote, in words that complete "the session … "; none if there are none. */
export function describeLater({ later }: LogDamage): readonly string[] {
  if (later.length === 0) return [];
  const types = [...new Set(later.map(({ type }) => JSON.stringify(brief(type))))];
  const more = types.length > MAX_TYPES ? ", …" : "";
  return [
    `has ${counted(later.length, "entry", "entries")} written by a newer version, skipped: ${types.slice(0, MAX_TYPES).join(", ")}${more}`,
  ];
}

/** `1 line`, `2 lines`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What a file is to someone looking for a session to resume. */
export type LogLook =
  | { readonly kind: "session" }
  /** Nothing was ever said in it. */
  | { readonly kind: "empty" }
  | { readonly kind: "unreadable"; readonly reason: string };

const HEAD_BYTES = 64 * 1024;

/** Looks at the first line of an undamaged log, and reads any other in full. Never throws. */
export function lookAtLog(path: string): LogLook {
  try {
    if (hasWholeHead(path)) return { kind: "session" };
    const { entries, damage, newerFormat } = readEntries(path);
    if (newerFormat !== undefined) return { kind: "unreadable", reason: newerFormatReason(newerFormat) };
    if (entries.length > 0) return { kind: "session" };
    return damage.lines + damage.tail === 0
      ? { kind: "empty" }
      : { kind: "unreadable", reason: "it contains no readable entry" };
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

/** Why a log in a newer format is not opened: appending to it would break it for the newer version. */
export function newerFormatReason(format: number): string {
  return `it has format ${format}, written by a newer indus; this indus reads formats up to ${LOG_FORMAT}`;
}

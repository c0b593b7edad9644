// A window of a text file's lines: from a text in memory, or from a file too large to hold.

import { Aborted } from "../../core/abort.ts";
import { lastBoundary } from "../backends/bounded-capture.ts";
import type { Fs } from "../kernel/contract.ts";
import { type TextEncoding, UTF_8, WINDOWS_1252 } from "./text-encoding.ts";

export interface LineWindow {
  readonly encoding: TextEncoding;
  /** From 1: the number of the first line. */
  readonly offset: number;
  /** Without their line feeds; a carriage return before one is part of the line here. */
  readonly lines: readonly string[];
  /** Whether the last of the lines ends in a line feed. */
  readonly isLastEnded: boolean;
  /** The number of lines in the whole file; a final line end starts no further line. Undefined: more than shown, not counted. */
  readonly totalLines: number | undefined;
  /** The byte at which the first line continues, if `lines` holds only its beginning. */
  readonly cutAtByte: number | undefined;
  /** The byte at which the window starts. */
  readonly startByte: () => number;
}

export interface WindowRequest {
  /** First line, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export function windowOf(text: string, encoding: TextEncoding, { offset, limit }: WindowRequest): LineWindow {
  const all = text.split("\n");
  const isEnded = all.at(-1) === "";
  if (isEnded) all.pop();
  const lines = all.slice(offset - 1, offset - 1 + limit);
  const before = (): string => all.slice(0, offset - 1).join("\n");
  return {
    encoding,
    offset,
    lines,
    isLastEnded: isEnded || offset - 1 + lines.length < all.length,
    totalLines: all.length,
    cutAtByte: undefined,
    startByte: () =>
      encoding.markBytes + (offset > 1 ? encoding.byteLength(before()) + encoding.byteLength("\n") : 0),
  };
}

interface LargeWindowRequest extends WindowRequest {
  readonly encoding: TextEncoding;
  /** The file's size in bytes. */
  readonly size: number;
  /** The window ends before the line that would exceed this many bytes; `lineOverheadBytes` is added for each line. */
  readonly maxBytes: number;
  readonly lineOverheadBytes: number;
  readonly signal: AbortSignal;
  readonly limits: ReadLimits;
}

/** How much of a file is read, held and counted. */
export interface ReadLimits {
  /** A larger file is read in ranges, and only the window is kept. */
  readonly wholeBytes: number;
  /** The lines of a larger file are not counted to its end: reading 2 GB takes seconds. */
  readonly countedBytes: number;
  /** Even, because a UTF-16 unit has two bytes. */
  readonly rangeBytes: number;
}

export const READ_LIMITS: ReadLimits = {
  wholeBytes: 4_194_304,
  countedBytes: 67_108_864,
  rangeBytes: 4_194_304,
};

// A character has at most four bytes: at least that many are always shown, so that a reader who continues makes progress.
const LEAST_BYTES = 8;

/**
 * The window of a file that is scanned range by range and never held in memory. For a file over `countedBytes`, only the part
 * up to the window's end is read. A window assumed to be UTF-8 but not valid is decoded as Windows-1252. Rejects with
 * `Aborted` between two ranges, and with {@link NotInEncoding}.
 */
export async function readWindow(fs: Fs, path: string, request: LargeWindowRequest): Promise<LineWindow> {
  const { start, end, totalLines } = await scan(fs, path, request);
  const room = Math.max(LEAST_BYTES, request.maxBytes - request.lineOverheadBytes);
  const bytes = Buffer.from(await fs.readBytes(path, { start, maxBytes: Math.min(end - start, room) }));
  const isCut = bytes.length < end - start;
  const lastEnd = isCut ? lastLineEnd(bytes, request.encoding) : bytes.length;
  const shown = bytes.subarray(0, lastEnd > 0 ? lastEnd : wholeCharacters(bytes, request.encoding));
  const own = request.encoding.decode(shown);
  if (own === undefined && request.encoding.markBytes > 0) throw new NotInEncoding(request.encoding, start);
  const encoding = own === undefined ? WINDOWS_1252 : request.encoding;
  const text = own ?? WINDOWS_1252.decode(shown) ?? "";
  const window = windowOf(text, encoding, { offset: 1, limit: request.limit });
  const lines = fitting(window.lines, request);
  const isWholeWindow = lines.length === window.lines.length;
  return {
    ...window,
    offset: request.offset,
    lines,
    isLastEnded: isWholeWindow ? text.endsWith("\n") : true,
    totalLines,
    cutAtByte: isCut && lastEnd === 0 ? start + shown.length : undefined,
    startByte: () => start,
  };
}

/** The file cannot be split into lines; its bytes can still be read. */
export class NotInEncoding extends Error {
  override readonly name = "NotInEncoding";

  constructor({ name }: TextEncoding, start: number) {
    super(
      `it has a ${name} byte order mark but is not valid ${name}. Use byteOffset ${start} to see its bytes.`,
    );
  }
}

interface Span {
  /** The first byte of the window, and the byte after its last. */
  readonly start: number;
  readonly end: number;
  readonly totalLines: number | undefined;
}

async function scan(fs: Fs, path: string, request: LargeWindowRequest): Promise<Span> {
  const { encoding, limits, size } = request;
  const endLine = request.offset + request.limit;
  let line = 1;
  let lineStart: number = encoding.markBytes;
  let start = request.offset === 1 ? lineStart : undefined;
  let end: number | undefined;
  for (let position = 0; ; position += limits.rangeBytes) {
    if (request.signal.aborted) throw new Aborted();
    const range = await fs.readBytes(path, { start: position, maxBytes: limits.rangeBytes });
    for (let at = lineEndAfter(range, 0, encoding); at > 0; at = lineEndAfter(range, at, encoding)) {
      line++;
      lineStart = position + at;
      if (line === request.offset) start = lineStart;
      else if (line === endLine) end = lineStart;
    }
    const read = position + range.length;
    if (range.length < limits.rangeBytes) {
      return { start: start ?? read, end: end ?? read, totalLines: lineStart < read ? line : line - 1 };
    }
    if (size <= limits.countedBytes || start === undefined) continue;
    const enough = end ?? (read - start > Math.max(LEAST_BYTES, request.maxBytes) ? read : size);
    if (enough < size) return { start, end: enough, totalLines: undefined };
  }
}

const LINE_FEED = 10;

/** The position after the next line feed; 0 if there is none. A range starts at an even byte of the file. */
function lineEndAfter(bytes: Uint8Array, from: number, { name }: TextEncoding): number {
  if (name === "UTF-8" || name === "Windows-1252") return bytes.indexOf(LINE_FEED, from) + 1;
  const [place, zero] = name === "UTF-16LE" ? [0, 1] : [1, -1];
  for (let at = bytes.indexOf(LINE_FEED, from); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (at % 2 === place && bytes[at + zero] === 0) return at - place + 2;
  }
  return 0;
}

function lastLineEnd(bytes: Uint8Array, encoding: TextEncoding): number {
  let end = 0;
  for (let at = lineEndAfter(bytes, 0, encoding); at > 0; at = lineEndAfter(bytes, at, encoding)) end = at;
  return end;
}

function fitting(
  lines: readonly string[],
  { maxBytes, lineOverheadBytes }: LargeWindowRequest,
): readonly string[] {
  let bytes = 0;
  const over = lines.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + lineOverheadBytes;
    return index > 0 && bytes > maxBytes;
  });
  return over < 0 ? lines : lines.slice(0, over);
}

/** The end of the last character that is certainly complete. */
export function wholeCharacters(bytes: Buffer, { name, markBytes }: TextEncoding): number {
  if (name === UTF_8.name) return lastBoundary(bytes);
  if (markBytes === 0) return bytes.length;
  const even = bytes.length - (bytes.length % 2);
  const lastUnit = name === "UTF-16LE" ? bytes[even - 1] : bytes[even - 2];
  const isFirstHalf = lastUnit !== undefined && (lastUnit & 0xfc) === 0xd8;
  return isFirstHalf ? even - 2 : even;
}

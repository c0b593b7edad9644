// A window of a text file's lines: from a text at hand, or from a file too large to hold.

import { Aborted } from "../../core/abort.ts";
import { isContinuation } from "../../core/clamp.ts";
import type { Fs } from "../kernel/contract.ts";

export interface LineWindow {
  /** Without their line ends. */
  readonly lines: readonly string[];
  /** Lines of the whole file; a final line end begins no further line. Undefined: more than shown, not counted. */
  readonly totalLines: number | undefined;
  /** True when even the first line is over the ceiling and `lines` holds only its beginning. */
  readonly isLineCut: boolean;
}

export interface WindowRequest {
  /** First line, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export function windowOf(text: string, { offset, limit }: WindowRequest): LineWindow {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  return { lines: shown.map(withoutReturn), totalLines: lines.length, isLineCut: false };
}

export interface LargeWindowRequest extends WindowRequest {
  /** Bytes of the file. */
  readonly size: number;
  /** The window ends before the line that would pass this many bytes, `lineOverheadBytes` counted for each line. */
  readonly maxBytes: number;
  readonly lineOverheadBytes: number;
  readonly signal: AbortSignal;
}

/**
 * The window of a file that is scanned range by range and never held. Of a file over {@link COUNTED_BYTES} only what
 * leads to the window's end is read. Rejects with `ERR_ENCODING_INVALID_ENCODED_DATA` when the window is not UTF-8, and
 * with `Aborted` between two ranges.
 */
export async function readWindow(fs: Fs, path: string, request: LargeWindowRequest): Promise<LineWindow> {
  const { start, end, totalLines } = await scan(fs, path, request);
  const room = Math.max(0, request.maxBytes - request.lineOverheadBytes);
  const bytes = Buffer.from(await fs.readBytes(path, { start, maxBytes: Math.min(end - start, room) }));
  const isCut = bytes.length < end - start;
  const lastNewline = bytes.lastIndexOf(NEWLINE);
  const isLineCut = isCut && lastNewline < 0;
  const shown = bytes.subarray(0, isLineCut ? wholeCharacters(bytes) : isCut ? lastNewline : bytes.length);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(shown);
  const { lines } = windowOf(text, { offset: 1, limit: request.limit });
  return { lines: fitting(lines, request), totalLines, isLineCut };
}

/** The lines of a larger file are not counted to its end: reading 2 GB takes seconds. */
export const COUNTED_BYTES = 67_108_864;

const RANGE_BYTES = 4_194_304;
const NEWLINE = 10;

interface Span {
  /** First byte of the window, and the byte after its last. */
  readonly start: number;
  readonly end: number;
  readonly totalLines: number | undefined;
}

async function scan(fs: Fs, path: string, request: LargeWindowRequest): Promise<Span> {
  const endLine = request.offset + request.limit;
  let line = 1;
  let start = request.offset === 1 ? 0 : undefined;
  let end: number | undefined;
  let lineStart = 0;
  for (let position = 0; ; position += RANGE_BYTES) {
    if (request.signal.aborted) throw new Aborted();
    const range = await fs.readBytes(path, { start: position, maxBytes: RANGE_BYTES });
    for (let at = range.indexOf(NEWLINE); at >= 0; at = range.indexOf(NEWLINE, at + 1)) {
      line++;
      lineStart = position + at + 1;
      if (line === request.offset) start = lineStart;
      else if (line === endLine) end = lineStart;
    }
    const read = position + range.length;
    if (range.length < RANGE_BYTES) {
      return { start: start ?? read, end: end ?? read, totalLines: lineStart < read ? line : line - 1 };
    }
    if (request.size <= COUNTED_BYTES || start === undefined) continue;
    const enough = end ?? (read - start > request.maxBytes ? read : request.size);
    if (enough < request.size) return { start, end: enough, totalLines: undefined };
  }
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

/** The end of the last character that surely is whole. */
function wholeCharacters(bytes: Buffer): number {
  let end = bytes.length - 1;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return Math.max(0, end);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

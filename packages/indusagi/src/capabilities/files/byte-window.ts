// Part of a text file by byte range, shown as it is: for what line numbers cannot reach, such as a line larger than an answer.

import type { Fs } from "../kernel/contract.ts";
import { wholeCharacters } from "./line-window.ts";
import { type TextEncoding, UTF_8, WINDOWS_1252 } from "./text-encoding.ts";

interface ByteWindow {
  readonly encoding: TextEncoding;
  /** The first byte of the file that is shown, and the byte after the last. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface ByteRequest {
  readonly encoding: TextEncoding;
  /** From 0; if it is inside a character, that character is shown whole. */
  readonly start: number;
  /** At most this many bytes of the file, but at least one character. */
  readonly limit: number;
  /** At most this many bytes of text. */
  readonly maxBytes: number;
}

const CHARACTER_BYTES = 4;

export async function readBytesAsText(fs: Fs, path: string, request: ByteRequest): Promise<ByteWindow> {
  const { encoding } = request;
  // A character of two bytes in UTF-16 can take one byte in UTF-8.
  const room = Math.min(request.limit, request.maxBytes * (encoding.markBytes > 0 ? 2 : 1));
  const from = Math.max(0, request.start - (CHARACTER_BYTES - 1));
  const around = Buffer.from(
    await fs.readBytes(path, { start: from, maxBytes: request.start - from + room + CHARACTER_BYTES }),
  );
  const start = characterStart(around, { from, asked: request.start, encoding });
  const bytes = around.subarray(start - from);
  const least = request.start - start + 1;
  const wanted = Math.min(bytes.length, Math.max(least, room + least - 1));
  const whole = bytes.subarray(0, characterEnd(bytes, { least, wanted, encoding }));
  const markBytes = start === 0 ? encoding.markBytes : 0;
  const own = encoding.decode(whole.subarray(Math.min(markBytes, whole.length)));
  if (own === undefined) return plain(bytes.subarray(request.start - start), request);
  const text = own.slice(0, unitsWithin(own, request.maxBytes));
  const mark = Math.min(markBytes, whole.length);
  return { encoding, start, end: start + mark + encoding.byteLength(text), text };
}

// Not valid in the file's encoding: each byte is shown as a character.
function plain(bytes: Buffer, { start, limit, maxBytes }: ByteRequest): ByteWindow {
  const decoded = WINDOWS_1252.decode(bytes.subarray(0, Math.max(1, limit))) ?? "";
  const text = decoded.slice(0, unitsWithin(decoded, maxBytes));
  return { encoding: WINDOWS_1252, start, end: start + text.length, text };
}

interface Place {
  /** The offset in the file of the first of the bytes. */
  readonly from: number;
  readonly asked: number;
  readonly encoding: TextEncoding;
}

/** The start of the character that contains the byte `asked`. */
function characterStart(bytes: Buffer, { from, asked, encoding }: Place): number {
  let start = asked;
  if (encoding.markBytes > 0) {
    start -= start % 2;
    if (isLowHalf(bytes, start - from, encoding) && start - from >= 2) start -= 2;
    return start < encoding.markBytes ? 0 : start;
  }
  if (encoding.name === UTF_8.name) while (start > from && isContinuation(bytes[start - from])) start--;
  return start;
}

interface Wanted {
  /** The result is at least this many bytes. */
  readonly least: number;
  readonly wanted: number;
  readonly encoding: TextEncoding;
}

/** The end of the last complete character in the first `wanted` bytes, or in as many more as needed. */
function characterEnd(bytes: Buffer, { least, wanted, encoding }: Wanted): number {
  for (let length = wanted; length <= bytes.length; length++) {
    const end = wholeCharacters(bytes.subarray(0, length), encoding);
    if (end >= least) return end;
  }
  return bytes.length;
}

function isLowHalf(bytes: Buffer, at: number, { name }: TextEncoding): boolean {
  const high = bytes[name === "UTF-16LE" ? at + 1 : at];
  return high !== undefined && (high & 0xfc) === 0xdc;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many units of `text` fit in `maxBytes` bytes of UTF-8; at least one character. */
function unitsWithin(text: string, maxBytes: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return Math.max(read, String.fromCodePoint(text.codePointAt(0) ?? 0).length);
}

// Detects a file's encoding, and converts its text both ways without loss: what an edit leaves alone keeps its bytes.

import { isUtf8 } from "node:buffer";
import { lastBoundary } from "../backends/bounded-capture.ts";
import { likelyEncoding, likelyUtf16 } from "./likely-encoding.ts";

export interface TextEncoding {
  readonly name: "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252";
  /** What text that is taken for Windows-1252 more likely is, by a name that iconv knows. */
  readonly likely?: string | undefined;
  /** Size of the byte order mark that opens the file and is not part of the text. A UTF-8 mark is part of the text. */
  readonly markBytes: 0 | 2;
  /** Undefined if the bytes are not valid, or do not start and end on a character boundary. */
  readonly decode: (bytes: Uint8Array) => string | undefined;
  /** Without the mark. Undefined if the encoding lacks any of the characters. */
  readonly encode: (text: string) => Buffer | undefined;
  readonly byteLength: (text: string) => number;
}

const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const UTF_8: TextEncoding = {
  name: "UTF-8",
  markBytes: 0,
  decode: (bytes) => {
    try {
      return utf8Decoder.decode(bytes);
    } catch {
      return undefined;
    }
  },
  encode: (text) => Buffer.from(text),
  byteLength: (text) => Buffer.byteLength(text),
};

const UTF_16LE: TextEncoding = {
  name: "UTF-16LE",
  markBytes: 2,
  decode: (bytes) => wellFormed(bytes, bufferOf(bytes)),
  encode: (text) => Buffer.from(text, "utf16le"),
  byteLength: (text) => 2 * text.length,
};

const UTF_16BE: TextEncoding = {
  ...UTF_16LE,
  name: "UTF-16BE",
  decode: (bytes) => (bytes.length % 2 === 0 ? wellFormed(bytes, Buffer.from(bytes).swap16()) : undefined),
  encode: (text) => Buffer.from(text, "utf16le").swap16(),
};

/** Every byte is a character, so that any file can be shown and changed; Latin-1 differs in only 27 of them. */
export const WINDOWS_1252: TextEncoding = {
  name: "Windows-1252",
  markBytes: 0,
  decode: (bytes) =>
    bufferOf(bytes)
      .toString("latin1")
      .replace(/[\x80-\x9f]/g, (char) => UPPER_CONTROLS[char.charCodeAt(0) - 0x80] ?? char),
  encode: encode1252,
  byteLength: (text) => text.length,
};

// The characters at 0x80 to 0x9f; five positions are unassigned and are the same as in Latin-1.
const UPPER_CONTROLS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function encode1252(text: string): Buffer | undefined {
  if (find1252Gap(text) !== undefined) return undefined;
  const latin1 = text.replace(/[^\x00-\x7f\xa0-\xff]/g, (char) =>
    String.fromCharCode(0x80 + UPPER_CONTROLS.indexOf(char)),
  );
  return Buffer.from(latin1, "latin1");
}

/** The first character of `text` that Windows-1252 lacks. */
function find1252Gap(text: string): string | undefined {
  return /[^\x00-\x7f\xa0-\xff€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ]/u.exec(text)?.[0];
}

function wellFormed(bytes: Uint8Array, littleEndian: Buffer): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const text = littleEndian.toString("utf16le");
  return text.isWellFormed() ? text : undefined;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type EncodingVerdict =
  | { readonly kind: "text"; readonly encoding: TextEncoding }
  /** Why the bytes are not text, in words that follow the file's name. */
  | { readonly kind: "other"; readonly reason: string };

/**
 * The encoding of a file that starts with `bytes`, or consists of them if `isWhole`. Anything that is not UTF-8 and has neither
 * a mark nor a NUL counts as Windows-1252, and what it more likely is becomes a hint.
 */
export function encodingOf(bytes: Uint8Array, isWhole = true): EncodingVerdict {
  const [first, second, third, fourth] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  if (isLittle && third === 0 && fourth === 0) return other("it is UTF-32 text");
  if (first === 0 && second === 0 && isBig32(third, fourth)) return other("it is UTF-32 text");
  if (isLittle) return text(UTF_16LE);
  if (isBig) return text(UTF_16BE);
  const nul = bytes.indexOf(0);
  const isValid = isUtf8(isWhole ? bytes : bytes.subarray(0, lastBoundary(bufferOf(bytes))));
  const utf16 = nul < 0 ? undefined : likelyUtf16(bytes, isValid);
  if (utf16 !== undefined)
    return other(
      `it is not text as it is: it looks like ${utf16} without a byte order mark. Convert it first: iconv -f ${utf16} -t UTF-8`,
    );
  if (isValid) return text(UTF_8);
  if (nul >= 0) return other(`it is not text: it has a NUL at byte ${nul}, and is not valid UTF-8`);
  return text({ ...WINDOWS_1252, likely: likelyEncoding(bytes) });
}

/** Whether a part of a file is UTF-8, apart from characters that are cut at its ends. */
export function isUtf8Inside(bytes: Uint8Array): boolean {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const whole = bytes.subarray(Math.min(Math.max(start, 0), 3));
  return isUtf8(whole.subarray(0, lastBoundary(bufferOf(whole))));
}

/** The text of a whole file. */
export function decodeFile(
  bytes: Uint8Array,
):
  | { readonly kind: "text"; readonly encoding: TextEncoding; readonly text: string }
  | { readonly kind: "other"; readonly reason: string } {
  const verdict = encodingOf(bytes);
  if (verdict.kind === "other") return verdict;
  const { encoding } = verdict;
  const content = encoding.decode(bytes.subarray(encoding.markBytes));
  if (content !== undefined) return { kind: "text", encoding, text: content };
  return other(`it has a ${encoding.name} byte order mark but is not valid ${encoding.name}`);
}

/** A whole file with this text; `undefined` as for {@link TextEncoding.encode}. */
export function encodeFile(content: string, encoding: TextEncoding): Buffer | undefined {
  const bytes = encoding.encode(content);
  if (encoding.markBytes === 0 || bytes === undefined) return bytes;
  return Buffer.concat([encoding.encode("\ufeff") ?? Buffer.alloc(0), bytes]);
}

/** Appended to the report of a change to a file that is not UTF-8. */
export function stays({ name }: TextEncoding): string {
  return name === "UTF-8" ? "" : ` The encoding is still ${name}.`;
}

/** Why `content` cannot be written to a Windows-1252 file, and what to do. */
export function describe1252Gap(content: string, { likely }: TextEncoding): string {
  const gap = JSON.stringify(find1252Gap(content) ?? "");
  const guess = likely === undefined ? "" : `, and is probably ${likely}`;
  return (
    `it is not UTF-8 and is read as Windows-1252 (Latin-1), which has no ${gap}${guess}. ` +
    `Use only characters of that encoding, or convert the file first: iconv -f ${likely ?? "WINDOWS-1252"} -t UTF-8.`
  );
}

function isBig32(third: number | undefined, fourth: number | undefined): boolean {
  return third === 0xfe && fourth === 0xff;
}

function text(encoding: TextEncoding): EncodingVerdict {
  return { kind: "text", encoding };
}

function other(reason: string): { readonly kind: "other"; readonly reason: string } {
  return { kind: "other", reason };
}

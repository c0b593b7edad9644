// Binary data in the output of a command: text before, after and between is passed on, and each binary stretch is replaced by a line that
// names it.

import { isContinuation } from "../../core/clamp.ts";
import { describeBinary, SAMPLE_BYTES } from "./describe-binary.ts";

/** How much is looked at from the first byte on that no text has. */
const WINDOW = 1_024;
/** So much text in a row ends a stretch: a binary has texts of its own. */
const RESUMES_AFTER = 4_096;

const NOTHING: Buffer = Buffer.alloc(0);
const NUL = 0;
const TAB = 9;
const LF = 10;

/** Bytes that no text has: controls that neither a terminal nor a file of text uses, and 0xff. Bytes of old encodings are not among them. */
const ODD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127 || byte === 255 ? 1 : 0,
);

/** Separates a stream that arrives in chunks. */
export class BinaryStretches {
  readonly #emit: (text: Buffer, isPlain: boolean) => void;
  /** Text whose kind is not decided yet. */
  #held: Buffer = NOTHING;
  #isAtLineStart = true;
  #stretch: Stretch | undefined;

  /** `emit` gets the text; `isPlain`: it is ASCII without controls but tabs and line breaks. */
  constructor(emit: (text: Buffer, isPlain: boolean) => void) {
    this.#emit = emit;
  }

  write(chunk: Buffer): void {
    if (!this.#stretch && this.#held.length === 0 && isPlain(chunk)) {
      this.#pass(chunk, true);
      return;
    }
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = NOTHING;
    this.#take(data, false);
  }

  end(): void {
    const held = this.#held;
    this.#held = NOTHING;
    this.#take(held, true);
    if (!this.#stretch) return;
    const text = this.#stretch.textAtEnd();
    this.#endStretch(text);
  }

  #take(data: Buffer, isLast: boolean): void {
    for (let at = 0; at < data.length; ) {
      if (this.#stretch) {
        at = this.#stretch.take(data, at);
        if (this.#stretch.hasEnded) this.#endStretch(this.#stretch.text);
        continue;
      }
      const odd = firstOdd(data, at, at === 0 && this.#isAtLineStart);
      if (odd === data.length) {
        this.#pass(data.subarray(at));
        return;
      }
      const lineStart = Math.max(at, data.lastIndexOf(LF, odd) + 1);
      this.#pass(data.subarray(at, lineStart));
      const window = data.subarray(lineStart, odd + WINDOW);
      if (odd + WINDOW > data.length && !isLast) {
        this.#held = data.subarray(lineStart);
        return;
      }
      if (isBinary(window)) this.#stretch = new Stretch();
      else this.#pass(asText(window));
      at = this.#stretch ? lineStart : lineStart + window.length;
    }
  }

  #pass(text: Buffer, isPlainText = false): void {
    if (text.length === 0) return;
    this.#isAtLineStart = text.at(-1) === LF;
    this.#emit(text, isPlainText);
  }

  #endStretch(text: Buffer): void {
    const { bytes, sample } = this.#stretch ?? new Stretch();
    this.#stretch = undefined;
    const line = describeBinary(sample, bytes - text.length);
    this.#pass(Buffer.from(`${this.#isAtLineStart ? "" : "\n"}${line}\n`));
    this.#pass(text);
  }
}

/** Binary data so far. */
class Stretch {
  bytes = 0;
  readonly #sample: Buffer[] = [];
  #sampled = 0;
  /** What came since the last odd byte. */
  #text: Buffer = NOTHING;

  get hasEnded(): boolean {
    return this.#text.length >= RESUMES_AFTER;
  }

  get sample(): Buffer {
    return Buffer.concat(this.#sample);
  }

  /** The text that followed, from its first whole line on. */
  get text(): Buffer {
    return this.#text.subarray(this.#text.indexOf(LF) + 1);
  }

  /** At the end of the stream: what a program would print last. */
  textAtEnd(): Buffer {
    const text = this.#text.toString("utf8");
    return Buffer.from(text.endsWith("\n") ? text.slice(text.lastIndexOf("\ufffd") + 1) : "");
  }

  /** Where text goes on, or the end of `data`. */
  take(data: Buffer, from: number): number {
    let start = from;
    let at = from;
    let run = this.#text.length;
    for (; at < data.length && run < RESUMES_AFTER; at++) {
      if (ODD[data[at] ?? 0] === 1) {
        run = 0;
        start = at + 1;
        this.#text = NOTHING;
      } else run++;
    }
    this.#text = Buffer.concat([this.#text, data.subarray(start, at)]);
    this.bytes += at - from;
    if (this.#sampled < SAMPLE_BYTES) {
      const piece = Buffer.from(data.subarray(from, Math.min(at, from + SAMPLE_BYTES - this.#sampled)));
      this.#sample.push(piece);
      this.#sampled += piece.length;
    }
    return at;
  }
}

/** Nearly all output of many megabytes. Four bytes at a time: one by one, 50 MB cost a tenth of a second. */
function isPlain(chunk: Buffer): boolean {
  const before = Math.min(-chunk.byteOffset & 3, chunk.length);
  const words = new Int32Array(chunk.buffer, chunk.byteOffset + before, (chunk.length - before) >> 2);
  const after = before + 4 * words.length;
  if (!isPlainFrom(chunk, 0, before) || !isPlainFrom(chunk, after, chunk.length)) return false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    // The high bit of each byte that is below a space, and of each from DEL on; a byte that borrows may flag the next one as well.
    if ((((word - 0x20202020) | (word + 0x01010101)) & 0x80808080) === 0) continue;
    const start = before + 4 * at;
    if (!isPlainFrom(chunk, start, start + 4)) return false;
  }
  return true;
}

function isPlainFrom(chunk: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = chunk[at] ?? 0;
    if (byte > 126 || (byte < 32 && byte !== LF && byte !== TAB)) return false;
  }
  return true;
}

/** Also a byte that begins a line as no character begins: a PNG picture has one before its first line break. */
function firstOdd(data: Buffer, from: number, isLineStart: boolean): number {
  let last = isLineStart ? LF : data[from - 1];
  for (let at = from; at < data.length; at++) {
    const byte = data[at] ?? 0;
    if (ODD[byte] === 1 || (last === LF && isContinuation(byte))) return at;
    last = byte;
  }
  return data.length;
}

/** One odd byte in twenty; in a few bytes, three in ten. */
function isBinary(window: Buffer): boolean {
  if (isList(window)) return false;
  let odd = 0;
  for (const byte of window) odd += ODD[byte] ?? 0;
  return odd > window.length * (window.length < 128 ? 0.3 : 0.05);
}

/** Texts with a NUL between them, as `find -print0` prints. */
function isList(window: Buffer): boolean {
  let gap = 0;
  for (const byte of window) {
    if (byte === NUL && gap < 2) return false;
    if (byte !== NUL && ODD[byte] === 1) return false;
    gap = byte === NUL ? 0 : gap + 1;
  }
  return true;
}

function asText(window: Buffer): Buffer {
  return Buffer.from(window.map((byte) => (byte === NUL ? LF : byte)));
}

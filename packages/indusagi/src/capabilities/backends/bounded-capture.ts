// One output stream within a byte limit: half of the limit is kept from the head, half from the tail. The bytes between are
// counted and dropped without decoding, so a gigabyte costs only copies into a ring buffer.

import { isContinuation } from "../../core/clamp.ts";

const FIRST_ALLOCATION = 4_096; // most commands print little

/** Collects chunks; memory stays below `maxBytes` however much arrives. */
export class BoundedCapture {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Buffer = Buffer.alloc(0);
  #headBytes = 0;
  #ring: Buffer | undefined;
  #totalBytes = 0;

  constructor(maxBytes: number) {
    this.#headLimit = Math.floor(maxBytes / 2);
    this.#tailLimit = Math.max(0, Math.floor(maxBytes) - this.#headLimit);
  }

  /** Bytes received, whether kept or not. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  write(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    const forHead = Math.min(chunk.length, this.#headLimit - this.#headBytes);
    if (forHead > 0) this.#appendHead(chunk, forHead);
    if (forHead < chunk.length) this.#writeRing(forHead === 0 ? chunk : chunk.subarray(forHead));
  }

  /** The kept bytes as text, with `notice(dropped bytes)` where bytes are missing. Invalid UTF-8 becomes U+FFFD. */
  text(notice: (omittedBytes: number) => string): string {
    const { head, tail, dropped } = this.ends();
    return dropped === 0 ? head : head + notice(dropped) + tail;
  }

  /** The kept parts, and how many bytes are missing between them; all in the first if none are. */
  ends(): { readonly head: string; readonly tail: string; readonly dropped: number } {
    const pastHead = this.#totalBytes - this.#headBytes;
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tailBytes(pastHead);
    if (pastHead <= this.#tailLimit)
      return { head: Buffer.concat([head, tail]).toString("utf8"), tail: "", dropped: 0 };

    const headEnd = lastBoundary(head);
    const tailStart = firstBoundary(tail);
    const dropped = pastHead - tail.length + (head.length - headEnd) + tailStart;
    return { head: head.toString("utf8", 0, headEnd), tail: tail.toString("utf8", tailStart), dropped };
  }

  #appendHead(chunk: Buffer, count: number): void {
    const needed = this.#headBytes + count;
    if (needed > this.#head.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(this.#headLimit, Math.max(needed, this.#head.length * 2, FIRST_ALLOCATION)),
      );
      this.#head.copy(grown, 0, 0, this.#headBytes);
      this.#head = grown;
    }
    chunk.copy(this.#head, this.#headBytes, 0, count);
    this.#headBytes = needed;
  }

  // Byte number n after the head is stored at n % tailLimit, so only the last tailLimit bytes need copying.
  #writeRing(chunk: Buffer): void {
    if (this.#tailLimit === 0) return;
    this.#ring ??= Buffer.allocUnsafe(this.#tailLimit);
    const kept = chunk.length > this.#tailLimit ? chunk.subarray(chunk.length - this.#tailLimit) : chunk;
    const at = (this.#totalBytes - this.#headBytes - kept.length) % this.#tailLimit;
    const beforeWrap = Math.min(kept.length, this.#tailLimit - at);
    kept.copy(this.#ring, at, 0, beforeWrap);
    kept.copy(this.#ring, 0, beforeWrap);
  }

  #tailBytes(pastHead: number): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    if (pastHead <= this.#tailLimit) return this.#ring.subarray(0, pastHead);
    const at = pastHead % this.#tailLimit;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}

const MAX_CHARACTER_BYTES = 4;

/** The end of the last complete character: at most three bytes before the end. */
export function lastBoundary(bytes: Buffer): number {
  for (let start = bytes.length - 1; start >= Math.max(0, bytes.length - MAX_CHARACTER_BYTES); start--) {
    const byte = bytes[start] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return start + length <= bytes.length ? bytes.length : start;
  }
  return bytes.length;
}

/** The start of the first complete character: at most three bytes after the start. */
export function firstBoundary(bytes: Buffer): number {
  let start = 0;
  while (start < MAX_CHARACTER_BYTES - 1 && isContinuation(bytes[start])) start++;
  return start;
}

// One stream of a background job: its last bytes in a file that never grows past its limit, and a read cursor. The file stays open from
// its creation on, so that nothing put at its path later is read or written.

import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { clamp } from "../../core/clamp.ts";
import { monotonicMs } from "../../core/clock.ts";
import { describeError } from "../../core/faults.ts";
import { firstBoundary, lastBoundary } from "../backends/bounded-capture.ts";

/** The most text that one poll of a stream returns. */
export const POLL_WINDOW_BYTES = 32_768;

// A job can write freely for a moment, then only at this rate: reading an endless flood at full speed would take a whole core from the
// conversation.
const MAX_BYTES_PER_MS = 32_768;
const BURST_MS = 1_000;

/** What a stream wrote since the last read. */
export interface OutputWindow {
  readonly text: string;
  /** Bytes before `text` that this read skips. */
  readonly skippedBytes: number;
  /** How many of those are no longer kept on disk either. */
  readonly droppedBytes: number;
  /** Why the stream is no longer kept, when the disk failed. */
  readonly problem: string | undefined;
}

/** Byte n of the stream lives at n % maxBytes of the file, so the file is a ring of the last `maxBytes`. */
export class JobOutput {
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  #arrivedBytes = 0;
  #keptStart = 0;
  #keptEnd = 0;
  #cursor = 0;
  // The cursor is inside a character whose beginning was skipped: the rest of it is skipped too.
  #isInsideCharacter = false;
  #problem: string | undefined;
  #paidUntilMs = 0;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Creates a file at `path`, accessible to its owner only; rejects with a system error, also when anything exists there. */
  static async create(path: string, maxBytes: number): Promise<JobOutput> {
    return new JobOutput(await open(path, "wx+", 0o600), Math.max(1, Math.floor(maxBytes)));
  }

  /**
   * Keeps `chunk`; settles when the next one can be accepted. Never rejects: a disk failure is reported by {@link next}, and the job runs
   * on.
   */
  async append(chunk: Uint8Array): Promise<void> {
    await this.#inTurn(() => this.#keep(chunk));
    const now = monotonicMs();
    this.#paidUntilMs = Math.max(this.#paidUntilMs, now) + chunk.byteLength / MAX_BYTES_PER_MS;
    const early = this.#paidUntilMs - now - BURST_MS;
    if (early > 0) await sleep(early, undefined, { ref: false });
  }

  /** The text since the last read, at most its last {@link POLL_WINDOW_BYTES}. `isLast` gives up on an unfinished character. */
  next(isLast: boolean): Promise<OutputWindow> {
    return this.#inTurn(async () => {
      const from = this.#cursor;
      const start = Math.max(from, this.#keptStart, this.#keptEnd - POLL_WINDOW_BYTES);
      const bytes = await this.#read(start, this.#keptEnd);
      const isCut = start > from || this.#isInsideCharacter;
      const textStart = isCut ? firstBoundary(bytes) : 0;
      this.#isInsideCharacter = isCut && textStart === bytes.length;
      const isWhole = isLast || this.#problem !== undefined;
      const textEnd = isWhole ? bytes.length : Math.max(textStart, lastBoundary(bytes));
      this.#cursor = this.#arrivedBytes - (bytes.length - textEnd);

      const text = bytes.toString("utf8", textStart, textEnd);
      const shown = clamp(text, { kind: "tail", maxBytes: POLL_WINDOW_BYTES, notice: () => "" });
      const cutBytes = Buffer.byteLength(text) - Buffer.byteLength(shown);
      const refusedBytes = this.#arrivedBytes - Math.max(from, this.#keptEnd);
      return {
        text: shown,
        skippedBytes: start - from + textStart + cutBytes + refusedBytes,
        droppedBytes: Math.max(0, this.#keptStart - from) + refusedBytes,
        problem: this.#problem,
      };
    });
  }

  /** The end of what is kept, at most this many bytes; does not affect the next read. */
  tail(maxBytes: number): Promise<string> {
    return this.#inTurn(async () => {
      const start = Math.max(this.#keptStart, this.#keptEnd - maxBytes);
      const bytes = await this.#read(start, this.#keptEnd);
      return bytes.toString("utf8", start > 0 ? firstBoundary(bytes) : 0);
    });
  }

  /** Frees the file; later output is discarded. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#problem ??= "the job was removed";
      await this.#file.close();
    });
  }

  async #keep(chunk: Uint8Array): Promise<void> {
    this.#arrivedBytes += chunk.byteLength;
    if (this.#problem !== undefined) return;
    const kept = chunk.byteLength > this.#maxBytes ? chunk.subarray(-this.#maxBytes) : chunk;
    const at = (this.#arrivedBytes - kept.byteLength) % this.#maxBytes;
    const beforeWrap = Math.min(kept.byteLength, this.#maxBytes - at);
    this.#keptStart = Math.max(0, this.#arrivedBytes - this.#maxBytes);
    try {
      await this.#write(kept.subarray(0, beforeWrap), at);
      await this.#write(kept.subarray(beforeWrap), 0);
      this.#keptEnd = this.#arrivedBytes;
    } catch (error) {
      this.#problem = describeError(error);
      this.#keptStart = Math.min(this.#keptStart, this.#keptEnd);
    }
  }

  // Writes and reads run one at a time, in call order: a read never meets a half-written chunk.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #write(bytes: Uint8Array, at: number): Promise<void> {
    for (let written = 0; written < bytes.byteLength; ) {
      const { bytesWritten } = await this.#file.write(
        bytes,
        written,
        bytes.byteLength - written,
        at + written,
      );
      written += bytesWritten;
    }
  }

  async #read(start: number, end: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
    for (let read = 0; read < bytes.byteLength; ) {
      const at = (start + read) % this.#maxBytes;
      const length = Math.min(bytes.byteLength - read, this.#maxBytes - at);
      const { bytesRead } = await this.#file.read(bytes, read, length, at);
      if (bytesRead === 0) return bytes.subarray(0, read); // the file was truncated by someone else
      read += bytesRead;
    }
    return bytes;
  }
}

// Reads a stream no faster than it is worth: what is not read waits with who writes it, and costs the host nothing.

import type { Readable } from "node:stream";
import { monotonicMs } from "indusagi/core";

interface PacedReaderOptions {
  /** More than this in one second, and the rest of the second is a pause. */
  readonly bytesPerSecond: number;
  readonly onChunk: (chunk: Buffer) => void;
}

const SECOND_MS = 1_000;

/** Begins at once, and ends with the stream. Its timer keeps no process alive. */
export function readPaced(stream: Readable, { bytesPerSecond, onChunk }: PacedReaderOptions): void {
  let sinceMs = monotonicMs();
  let read = 0;
  let timer: NodeJS.Timeout | undefined;
  stream.on("data", (chunk: Buffer) => {
    const nowMs = monotonicMs();
    if (nowMs - sinceMs >= SECOND_MS) {
      sinceMs = nowMs;
      read = 0;
    }
    read += chunk.length;
    onChunk(chunk);
    if (read < bytesPerSecond) return;
    stream.pause();
    timer = setTimeout(() => stream.resume(), Math.max(1, sinceMs + SECOND_MS - nowMs));
    timer.unref();
  });
  stream.once("close", () => clearTimeout(timer));
}

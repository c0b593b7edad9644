// Reads a stream at a limited rate: unread data waits with its writer, and costs the host nothing.

import type { Readable } from "node:stream";
import { monotonicMs } from "indusagi/core";

interface PacedReaderOptions {
  /** Once this much was read in a second, reading pauses for the rest of it. */
  readonly bytesPerSecond: number;
  readonly onChunk: (chunk: Buffer) => void;
}

const SECOND_MS = 1_000;

/** Starts at once, and ends with the stream. Its timer keeps no process alive. */
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

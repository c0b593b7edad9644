// Reads and writes lines over the two pipes of a runner.

import { writeSync } from "node:fs";
import { excessOf } from "../process/protocol/frames.ts";
import { DEFAULT_LIMITS } from "../process/protocol/limits.ts";

const STDOUT = 1;
const NEWLINE = 0x0a;
/** A line of the host has at most 8 MiB; a sender far above that is not a host. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** The longest line that the host accepts (`maxFrameBytes` of the protocol's limits): a longer one would end the addon. */
export const MAX_FRAME_BYTES: number = DEFAULT_LIMITS.maxFrameBytes;
const FULL_PIPE_WAIT_MS = 1;
/** If nobody has read for this long, nobody will. */
const FULL_PIPE_LIMIT_MS = 30_000;

/** Cuts chunks into lines, without their ends; empty lines are skipped. Throws for an endless line. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  return (chunk) => {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, to);
      from = to + 1;
      const line = heldBytes === 0 ? part : Buffer.concat([...held, part]);
      held = [];
      heldBytes = 0;
      if (line.length > 0) onLine(line.toString("utf8"));
    }
    if (from === chunk.length) return;
    const rest = chunk.subarray(from);
    heldBytes += rest.length;
    if (heldBytes > MAX_LINE_BYTES) throw new Error(`a line has more than ${MAX_LINE_BYTES} bytes`);
    held.push(rest);
  };
}

/**
 * Writes the whole text before it returns, so that lines keep their order and none is lost when the process exits. If the
 * host is gone, ends the process.
 */
export function writeOut(text: string): void {
  let bytes: Uint8Array = Buffer.from(text, "utf8");
  let waitedMs = 0;
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(STDOUT, bytes));
      waitedMs = 0;
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code !== "EAGAIN" || waitedMs >= FULL_PIPE_LIMIT_MS) process.exit(1);
      waitFor(FULL_PIPE_WAIT_MS);
      waitedMs += FULL_PIPE_WAIT_MS;
    }
  }
}

/** Why the host would end the addon for a line; undefined if it takes it. */
export function excessIn(line: string): string | undefined {
  const bytes = Buffer.from(line, "utf8");
  if (bytes.length > MAX_FRAME_BYTES)
    return `it has more than the ${MAX_FRAME_BYTES} bytes that the host accepts in one message`;
  const excess = excessOf(bytes, DEFAULT_LIMITS);
  return excess && `a message may ${excess}`;
}

/** Blocks this thread: nothing may overtake the rest of a line. */
export function waitFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

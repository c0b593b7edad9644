// A task from standard input: `cat report.txt | indus -p`, alone or after a task on the command line.

import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { errorCode } from "indusagi/core";
import { Problem } from "../cli/problem.ts";

const MAX_STDIN_BYTES = 10 * 1024 * 1024;
const SILENT_MS = 3_000;

/** Whether something was piped or redirected into this process; a terminal or /dev/null does not count. */
export function hasPipedInput(): boolean {
  try {
    const info = fstatSync(0);
    return info.isFIFO() || info.isFile() || info.isSocket();
  } catch {
    return false; // standard input is closed
  }
}

/**
 * Everything from `input`, trimmed. If it stays open without data for three seconds, `onSilence` is called, and says whether to go on
 * waiting: programs often leave a pipe open that they never write to.
 */
export async function readPipedInput(input: Readable, onSilence: () => "wait" | "leave"): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => {
    if (onSilence() === "leave") input.destroy();
  }, SILENT_MS);
  try {
    for await (const chunk of input) {
      clearTimeout(timer);
      const piece = Buffer.from(chunk as Uint8Array);
      bytes += piece.length;
      if (bytes > MAX_STDIN_BYTES)
        throw new Problem(`standard input exceeds ${MAX_STDIN_BYTES} bytes; attach a file instead`);
      chunks.push(piece);
    }
  } catch (error) {
    if (errorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE" || bytes > 0) throw error; // it was left
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}

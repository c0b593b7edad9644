// The last output of a running command, for an observer: a few updates a second, however much it writes.

import { StringDecoder } from "node:string_decoder";
import { endingOf } from "../../core/cut-text.ts";
import { screenText } from "../../core/screen-text.ts";

export interface WatchedOutput {
  readonly write: (chunk: Uint8Array) => void;
  readonly end: () => void;
}

const EVERY_MS = 100;
const MAX_TAIL = 4096;
/** More is held: what it leaves on a terminal is shorter. */
const MAX_HELD = 4 * MAX_TAIL;

/** Undefined when nobody is watching, so that it costs nothing. */
export function watchOutput(show: ((tail: string) => void) | undefined): WatchedOutput | undefined {
  if (!show) return undefined;
  const decoder = new StringDecoder("utf8");
  let tail = "";
  let timer: NodeJS.Timeout | undefined;
  return {
    write: (chunk) => {
      // Only the end of a large chunk can be visible; a character cut in half is replaced.
      const end = chunk.length > 4 * MAX_HELD ? chunk.subarray(chunk.length - 4 * MAX_HELD) : chunk;
      tail = (tail + decoder.write(Buffer.from(end.buffer, end.byteOffset, end.length))).slice(-MAX_HELD);
      timer ??= setTimeout(() => {
        timer = undefined;
        show(endingOf(screenText(tail), MAX_TAIL));
      }, EVERY_MS);
    },
    end: () => clearTimeout(timer),
  };
}

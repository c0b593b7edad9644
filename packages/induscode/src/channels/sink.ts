// An output stream whose reader may leave. Without an error listener, that would end the process with a stack trace.

import type { Writable } from "node:stream";
import { errorCode } from "indusagi/core";

export interface Sink {
  /** Writes `text`; false when the reader is behind, see `onDrain`. Does nothing after a failure. */
  readonly write: (text: string) => boolean;
  /** Resolves when everything written has been handed over, or cannot be. */
  readonly flushed: () => Promise<void>;
  /** `left`: the reader closed its end (EPIPE). Otherwise what went wrong, or undefined. */
  readonly failure: () => "left" | Error | undefined;
}

/** How a sink reports on its stream; each is called at most once per occasion. */
interface SinkListeners {
  readonly onDrain?: () => void;
  readonly onFailure?: () => void;
}

/** Wraps `stream`. The error listener is never removed, because an error can come late. */
export function createSink(stream: Writable, { onDrain, onFailure }: SinkListeners = {}): Sink {
  let failure: "left" | Error | undefined;
  stream.on("error", (error) => {
    if (failure) return;
    failure = READER_LEFT.has(errorCode(error) ?? "") ? "left" : error;
    onFailure?.();
  });
  if (onDrain) stream.on("drain", onDrain);
  return {
    write: (text) => failure !== undefined || stream.write(text),
    flushed: () =>
      new Promise((resolve) => {
        if (failure) resolve();
        else stream.write("", () => setImmediate(resolve)); // an error is reported after the callback
      }),
    failure: () => failure,
  };
}

const READER_LEFT: ReadonlySet<string> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

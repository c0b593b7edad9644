// One output stream as a person would have read it: what a terminal shows at the end, binary data by name, within a limit that counts
// what it costs in a request.

import { StringDecoder } from "node:string_decoder";
import { clampEncoded, encodedPrefix, encodedSuffix } from "../../core/clamp.ts";
import { createScreenText } from "../../core/screen-text.ts";
import { BinaryStretches } from "./binary-stretches.ts";
import { BoundedCapture } from "./bounded-capture.ts";

/** What a stream of a command is collected in. */
export interface Capture {
  /** Bytes received, whether kept or not. */
  readonly totalBytes: number;
  readonly write: (chunk: Buffer) => void;
  /** What is kept, with `notice(dropped bytes)` where something is missing. Nothing is written after it. */
  readonly text: (notice: (omittedBytes: number) => string) => string;
}

/** The bytes as they came, or, `isShown`, as a terminal shows them. */
export function createCapture(maxBytes: number, isShown: boolean, onShown?: (text: string) => void): Capture {
  return isShown ? new ShownCapture(maxBytes, onShown) : new BoundedCapture(maxBytes);
}

class ShownCapture implements Capture {
  totalBytes = 0;
  readonly #maxBytes: number;
  readonly #kept: BoundedCapture;
  readonly #decoder = new StringDecoder("utf8");
  readonly #onShown: ((text: string) => void) | undefined;
  readonly #screen = createScreenText((text) => {
    this.#kept.write(Buffer.from(text));
    this.#onShown?.(text);
  });
  readonly #stretches = new BinaryStretches((text, isPlain) =>
    this.#screen.write(this.#decoder.write(text), isPlain),
  );

  constructor(maxBytes: number, onShown?: (text: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onShown = onShown;
    this.#kept = new BoundedCapture(maxBytes);
  }

  write(chunk: Buffer): void {
    this.totalBytes += chunk.length;
    this.#stretches.write(chunk);
  }

  text(notice: (omittedBytes: number) => string): string {
    this.#stretches.end();
    this.#screen.write(this.#decoder.end());
    this.#screen.end();
    const { head, tail, dropped } = this.#kept.ends();
    if (dropped === 0) return clampEncoded(head + tail, { kind: "middle", maxBytes: this.#maxBytes, notice });
    const half = Math.floor(this.#maxBytes / 2);
    const [first, last] = [encodedPrefix(head, half), encodedSuffix(tail, half)];
    const cut =
      Buffer.byteLength(head) + Buffer.byteLength(tail) - Buffer.byteLength(first) - Buffer.byteLength(last);
    return first + notice(dropped + cut) + last;
  }
}

/** A whole text as it would have been captured. */
export function shownText(text: string): string {
  const capture = new ShownCapture(Number.MAX_SAFE_INTEGER);
  capture.write(Buffer.from(text));
  return capture.text(() => "");
}

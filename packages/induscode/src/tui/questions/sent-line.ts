// An answer that is written in the editor: the next line sent is it.

import { Aborted } from "indusagi/core";
import { printableLine } from "../../console/printable-line.ts";
import type { Editor } from "../contract.ts";
import { type Line, span } from "../screen/spans.ts";

interface SentLineOptions {
  readonly say: (rows: readonly Line[]) => void;
  readonly editor: Pick<Editor, "text" | "put">;
  readonly draw: () => void;
}

export class SentLine {
  readonly #options: SentLineOptions;
  #reading: { readonly prompt: string; readonly take: (text: string) => void } | undefined;

  constructor(options: SentLineOptions) {
    this.#options = options;
  }

  /** Begins with `start`; the editor's previous text is restored after it. Empty if left unanswered; rejects with the signal. */
  read(prompt: string, signal: AbortSignal, start = ""): Promise<string> {
    const { say, editor, draw } = this.#options;
    if (signal.aborted) return Promise.reject(new Aborted());
    const written = editor.text();
    editor.put(start);
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#reading = undefined;
        signal.removeEventListener("abort", onAbort);
        editor.put(written);
        draw();
      };
      const onAbort = (): void => {
        done();
        reject(new Aborted());
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const take = (text: string): void => {
        done();
        if (text !== "") say([[span("    ", "dim"), span(printableLine(text))]]);
        resolve(text.trim());
      };
      this.#reading = { prompt, take };
      draw();
    });
  }

  /** What is asked; undefined while nothing is read. */
  prompt(): string | undefined {
    return this.#reading?.prompt;
  }

  /** False if nobody reads a line. */
  take(text: string): boolean {
    const take = this.#reading?.take;
    take?.(text);
    return take !== undefined;
  }
}

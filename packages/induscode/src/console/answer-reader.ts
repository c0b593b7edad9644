// Reads what a person answers to the question on the screen. What was typed before the question could be read is never an answer: it
// joins the person's own line.

import { Aborted, delay } from "indusagi/core";
import type { Over, OwnLines } from "./own-lines.ts";
import type { PromptLine } from "./prompt-line.ts";

interface AnswerReaderOptions {
  readonly line: PromptLine;
  readonly own: OwnLines;
  /** Without a terminal nobody answers. */
  readonly isTerminal: boolean;
  readonly over: Readonly<Over>;
  /** A monotonic clock. */
  readonly now: () => number;
}

/** Somebody who is typing is not reading yet, and nobody has read what has just appeared. */
const QUIET_MS = 500;

const TOO_EARLY = "  (typed before this could be read: kept at your prompt)\n";
const SECRET_TOO_EARLY = "  (typed before this could be read: discarded)\n";

export class AnswerReader {
  readonly #line: PromptLine;
  readonly #own: OwnLines;
  readonly #isTerminal: boolean;
  readonly #over: Readonly<Over>;
  readonly #now: () => number;
  #isShown = false;
  /** The question has just appeared: a line begun right after that is no answer. */
  #isNew = false;
  #prompt = "";
  #answering: ((line: string | undefined) => void) | undefined;
  /** Ctrl+C cancels the question even while a task runs. */
  #canLeave = false;

  constructor({ line, own, isTerminal, over, now }: AnswerReaderOptions) {
    this.#line = line;
    this.#own = own;
    this.#isTerminal = isTerminal;
    this.#over = over;
    this.#now = now;
  }

  /** Whether a question is shown. */
  get isShown(): boolean {
    return this.#isShown;
  }

  get isTerminal(): boolean {
    return this.#isTerminal;
  }

  get hasInputEnded(): boolean {
    return this.#over.ended;
  }

  /** Whether nobody answers any more. */
  get isOver(): boolean {
    return this.#over.ended || this.#over.left;
  }

  /** Keeps the question on the screen while `read` reads its answer. */
  async whileShown<Answer>(lines: readonly string[], read: () => Promise<Answer>): Promise<Answer> {
    const interrupted = this.#line.hide(); // a half-typed line must not become an answer
    this.#line.line(lines.join("\n"));
    this.#isShown = true;
    this.#isNew = true;
    const release = this.#line.holdOutput();
    try {
      return await read();
    } finally {
      this.#isShown = false;
      release();
      if (!this.#over.left) this.#own.showAgain(interrupted);
    }
  }

  /** The next typed line; undefined when there will be none. Rejects with {@link Aborted} when the signal fires. */
  read(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#answering = undefined;
        this.#line.hide();
        reject(new Aborted());
      };
      const answering = (typed: string | undefined): void => {
        this.#answering = undefined;
        signal.removeEventListener("abort", onAbort);
        resolve(typed);
      };
      this.#answering = answering;
      signal.addEventListener("abort", onAbort, { once: true });
      this.#prompt = prompt;
      if (this.isOver) answering(undefined);
      else this.#ask();
    });
  }

  /** As {@link read}, of a question that Ctrl+C leaves without stopping the task. */
  async readLeavable(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    this.#canLeave = true;
    try {
      return await this.read(prompt, signal);
    } finally {
      this.#canLeave = false;
    }
  }

  /** As {@link readLeavable}; the line is not shown. */
  readSecret(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      let stop = (): void => undefined;
      const onAbort = (): void => {
        this.#answering = undefined;
        stop();
        reject(new Aborted());
      };
      const done = (typed: string | undefined): void => {
        this.#answering = undefined;
        signal.removeEventListener("abort", onAbort);
        stop();
        resolve(typed);
      };
      this.#answering = done; // also called when the input ends or the person leaves
      signal.addEventListener("abort", onAbort, { once: true });
      const read = (): void => {
        stop = this.#line.readSecret(prompt, (typed, afterMs) => {
          if (typed === undefined || afterMs >= QUIET_MS) return done(typed);
          this.#line.direct(SECRET_TOO_EARLY);
          read();
        });
      };
      read();
    });
  }

  /** Says that what was typed is no answer. */
  reject(why: string): void {
    this.#line.direct(`  ${why}\n`);
  }

  /** A line was typed at the prompt, begun so long after it was shown. */
  take(typed: string, afterMs: number): void {
    this.#line.forget();
    if (!this.#isNew || afterMs >= QUIET_MS) {
      this.#isNew = false; // what follows is about the person's own line
      this.#answering?.(typed);
      return;
    }
    if (typed.trim() !== "") {
      this.#line.direct(TOO_EARLY);
      this.#own.keep(typed);
    }
    queueMicrotask(() => {
      if (this.#answering) this.#ask();
    });
  }

  /** Ctrl+C: false if it is not for the question. */
  interrupt(): boolean {
    if (!this.#canLeave && (this.#own.isTask || !this.#answering)) return false;
    this.#line.hide();
    this.#answering?.(undefined);
    return true;
  }

  /** Nobody answers any more. */
  stop(): void {
    this.#answering?.(undefined);
  }

  /** What was typed so far is read, and the keyboard has been quiet. */
  async untilQuiet(signal: AbortSignal): Promise<void> {
    await readAhead();
    for (;;) {
      const leftMs = this.#line.lastKeyMs() + QUIET_MS - this.#now();
      if (leftMs <= 0 || signal.aborted || this.#over.left) return;
      await delay(leftMs, signal);
    }
  }

  #ask(): void {
    this.#line.show("answer", this.#prompt);
  }
}

// Keys typed while the program started stay in the terminal until the event loop reads them, which may not have
// happened yet: they were typed before the question and must be read before it.
export async function readAhead(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

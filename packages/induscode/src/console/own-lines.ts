// The lines that a person writes on their own, as opposed to answers: each goes to the running task, to whoever waits for the next
// one, or into a queue.

import { createContinuation } from "./parse-line.ts";
import { markLineBreaks } from "./paste.ts";
import type { OpenPrompt, PromptKind, PromptLine } from "./prompt-line.ts";

/** Receives lines and Ctrl+C while a task runs. */
export interface TaskListeners {
  /** Called with a line typed during the task; returns a remark to print right after it. Without this, such lines wait for the next task. */
  readonly onLine?: (line: string) => string | undefined;
  readonly onInterrupt: () => void;
}

/** Why no more lines come: the input ended, or the person left. */
export interface Over {
  ended: boolean;
  left: boolean;
}

const PROMPT = "› ";
const CONTINUED_PROMPT = "… ";

// A pipe with more lines than this is paused until some are processed.
const MAX_QUEUED_LINES = 1000;

interface OwnLinesOptions {
  readonly line: PromptLine;
  readonly isTerminal: boolean;
  readonly over: Readonly<Over>;
  /** Ctrl+C before anybody waits for a line. */
  readonly onInterrupt: () => void;
}

export class OwnLines {
  readonly #line: PromptLine;
  readonly #isTerminal: boolean;
  readonly #over: Readonly<Over>;
  readonly #continuation = createContinuation();
  readonly #queue: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #onIdleInterrupt: () => void;
  #task: TaskListeners | undefined;
  /** What was typed too early for an answer, as it is edited; it joins the person's line. */
  #early = "";

  constructor({ line, isTerminal, over, onInterrupt }: OwnLinesOptions) {
    this.#line = line;
    this.#isTerminal = isTerminal;
    this.#over = over;
    this.#onIdleInterrupt = onInterrupt;
  }

  get isTask(): boolean {
    return this.#task !== undefined;
  }

  prompt(): string {
    return this.#continuation.pending() ? CONTINUED_PROMPT : PROMPT;
  }

  /** A line, typed at a prompt of this kind. */
  take(typed: string, kind: PromptKind | undefined): void {
    const whole = this.#continuation.push(typed);
    if (whole !== undefined) this.#deliver(whole);
    else if (kind) this.#line.show(kind, CONTINUED_PROMPT);
  }

  /** Adds this to the person's line when it is shown next. */
  keep(typed: string): void {
    this.#early = markLineBreaks(this.#early === "" ? typed : `${this.#early}\n${typed}`);
  }

  /** Undefined when there will be no line. While `isAsking`, the end of the question shows the prompt. */
  next(onInterrupt: () => void, isAsking: boolean): Promise<string | undefined> {
    const { ended, left } = this.#over;
    const queued = left ? undefined : this.#queue.shift();
    if (queued !== undefined || ended || left) return Promise.resolve(queued);
    this.#onIdleInterrupt = onInterrupt;
    this.#line.flow(true);
    if (!isAsking) {
      const typed = `${this.#line.hide()?.typed ?? ""}${this.#early}`;
      this.#early = "";
      this.#line.show("idle", this.prompt(), typed);
    }
    return new Promise((resolve) => {
      this.#waiting = (next) => {
        this.#waiting = undefined;
        resolve(next);
      };
    });
  }

  /** Nobody waits for a line any more; what is typed already stays for the next one. */
  withdraw(): void {
    const typed = this.#line.hide()?.typed ?? "";
    if (typed !== "") this.keep(typed);
    this.#waiting = undefined;
  }

  async during<Result>(work: Promise<Result>, task: TaskListeners): Promise<Result> {
    this.#task = task;
    try {
      return await work;
    } finally {
      this.#task = undefined;
    }
  }

  /** The person's own line after a question: what it contained before, and what was typed too early for an answer. */
  showAgain(before: OpenPrompt | undefined): void {
    const typed = `${before?.typed ?? ""}${this.#early}`;
    if (this.#waiting) this.#line.show("idle", this.prompt(), typed);
    else if (before) this.#line.show(before.kind, before.text, typed);
    else if (this.#task && typed !== "") this.#line.show("compose", this.prompt(), typed);
    else return; // nobody takes lines now: `next` shows it
    this.#early = "";
  }

  /** Ctrl+C: stops the task, or drops the line that was begun. */
  interrupt(): void {
    if (this.#task) {
      if (this.#line.current()?.kind === "compose") this.#line.hide();
      this.#continuation.end();
      this.#task.onInterrupt();
    } else if (this.#line.current()?.typed || this.#continuation.pending()) {
      this.#line.hide();
      this.#continuation.end();
      this.#line.show("idle", PROMPT);
    } else this.#onIdleInterrupt();
  }

  /** What was begun is the last line. */
  finish(): void {
    const rest = this.#continuation.end();
    if (rest !== undefined) this.#deliver(rest);
  }

  /** No line comes any more. */
  stop(): void {
    this.#waiting?.(undefined);
  }

  #deliver(whole: string): void {
    if (this.#isTerminal && this.#task?.onLine) {
      const remark = this.#task.onLine(whole);
      if (remark !== undefined) this.#line.direct(`${remark}\n`);
    } else if (this.#waiting) this.#waiting(whole);
    else {
      this.#queue.push(whole);
      if (this.#queue.length >= MAX_QUEUED_LINES) this.#line.flow(false);
    }
  }
}

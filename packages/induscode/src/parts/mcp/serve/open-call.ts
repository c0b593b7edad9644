// One call that a client waits for. Its questions interrupt it: each is an answer of its own to the client, which asks again with what the
// person said (the protocol's rounds), and the call goes on.

import { abortable, type Deferred, deferred } from "indusagi/core";

/** A question in the form that clients show. */
export interface QuestionForm {
  readonly message: string;
  /** A JSON schema of one object with simple fields. */
  readonly schema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
}

/** What was filled in; undefined if the person left the form. */
export type Filled = Readonly<Record<string, unknown>> | undefined;

/** How a round ends: with the call's result, or with a question whose number the next round brings back. */
export type Round<Result> =
  | { readonly kind: "ended"; readonly result: Result }
  | {
      readonly kind: "asks";
      readonly number: number;
      readonly form: QuestionForm;
      /** Fires once nobody needs its answer any more. */
      readonly over: AbortSignal;
    };

interface Asked {
  readonly number: number;
  readonly form: QuestionForm;
  readonly answer: Deferred<Filled>;
  readonly over: AbortController;
}

export class OpenCall<Result> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Result>;
  #questions: readonly Asked[] = [];
  #asked = 0;
  /** A question came. */
  #news = deferred<void>();
  #onProgress: (text: string) => void = () => undefined;

  constructor(run: (call: OpenCall<Result>) => Promise<Result>) {
    this.#result = Promise.resolve().then(() => run(this));
    this.#result.catch(() => undefined); // whoever waits for a round hears of it
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly abort = (): void => this.#controller.abort();

  /** Resolves once nothing of it runs any more. */
  async ended(): Promise<void> {
    await this.#result.catch(() => undefined);
  }

  /** What it says of its progress is for whoever waits now. */
  tell(text: string): void {
    this.#onProgress(text);
  }

  async ask(form: QuestionForm, signal: AbortSignal): Promise<Filled> {
    const question = {
      ...{ number: ++this.#asked, form, answer: deferred<Filled>(), over: new AbortController() },
    };
    this.#questions = [...this.#questions, question];
    this.#news.resolve();
    try {
      return await abortable(question.answer.promise, signal);
    } finally {
      question.over.abort();
      this.#questions = this.#questions.filter((each) => each !== question);
    }
  }

  /** An answer to a question that nobody asks any more is dropped. */
  answer(number: number, filled: Filled): void {
    this.#questions.find((each) => each.number === number)?.answer.resolve(filled);
    this.#questions = this.#questions.filter((each) => each.number !== number);
  }

  /** Waits for what comes next. Rejects as the call does. `signal` ends the call, also after a question. */
  async round(signal: AbortSignal, onProgress: (text: string) => void): Promise<Round<Result>> {
    signal.addEventListener("abort", this.abort, { once: true });
    if (signal.aborted) this.abort();
    this.#onProgress = onProgress;
    try {
      for (;;) {
        const [first] = this.#questions;
        if (first) return { kind: "asks", number: first.number, form: first.form, over: first.over.signal };
        this.#news = deferred();
        const asks = this.#news.promise.then(() => undefined);
        const ended = this.#result.then((result) => ({ kind: "ended", result }) as const);
        const next = await Promise.race([ended, asks]);
        if (next) return next;
      }
    } finally {
      this.#onProgress = () => undefined;
    }
  }
}

// The place of an open question, where the editor is otherwise. A question that does not fit there is printed above, where it can be
// scrolled to.

import { Aborted } from "indusagi/core";
import { plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { Editor, Key } from "../contract.ts";
import { cut, type Line, paint, span, wrap } from "../screen/spans.ts";
import type { Painter } from "../screen/theme.ts";
import type { GuardOptions } from "./guard.ts";
import type { OpenQuestion } from "./question.ts";
import type { TypedLineOptions } from "./typed-line.ts";

export interface QuestionPlaceOptions {
  readonly painter: Painter;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Prints rows where they can be scrolled to. */
  readonly say: (rows: readonly Line[]) => void;
  readonly editor: Pick<Editor, "text">;
  readonly now: () => number;
  readonly draw: () => void;
  /** A question has opened; `onClose`: it has closed. */
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

interface PlacedQuestion<Answer> {
  readonly rows: readonly Line[];
  /** How many rows its choices take. */
  readonly count: (columns: number) => number;
  readonly signal?: AbortSignal | undefined;
  /** Opens it; `settle` answers it, and prints what was `said`. */
  readonly open: (
    settle: (answer: Answer | undefined, said: string) => void,
    shared: Pick<TypedLineOptions, "rows" | "onLeave" | keyof GuardOptions>,
  ) => OpenQuestion;
}

/** What is printed as the answer of a question that nobody answered. */
export const NOT_ANSWERED = "not answered";

export class QuestionPlace {
  readonly #options: QuestionPlaceOptions;
  #open:
    | { readonly question: OpenQuestion; readonly fit: () => void; readonly leave: () => void }
    | undefined;
  /** A key came too early for the question, and went to the line. */
  #hasMissed = false;
  #quieting: NodeJS.Timeout | undefined;

  constructor(options: QuestionPlaceOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Undefined if it is left unanswered; rejects with the signal. */
  ask<Answer>({ rows, count, signal, open }: PlacedQuestion<Answer>): Promise<Answer | undefined> {
    const { say, draw, now, onOpen, onClose } = this.#options;
    if (signal?.aborted) return Promise.reject(new Aborted());
    return new Promise((resolve, reject) => {
      let isAbove = !this.#hasRoom(rows, count);
      if (isAbove) say(rows);
      const fit = (): void => {
        if (isAbove || this.#hasRoom(rows, count)) return;
        isAbove = true;
        say(rows);
        question.readAgain();
      };
      const done = (): void => {
        this.#open = undefined;
        signal?.removeEventListener("abort", onAbort);
        onClose();
        draw();
      };
      const settle = (answer: Answer | undefined, said: string): void => {
        if (!isAbove) say(rows);
        say([[span("  → ", "accent"), span(said)]]);
        done();
        resolve(answer);
      };
      const onAbort = (): void => {
        done();
        reject(new Aborted());
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const leave = (): void => settle(undefined, NOT_ANSWERED);
      const question = open(settle, {
        rows: (columns) =>
          isAbove ? [this.#standsAbove(rows.length, columns)] : ["", ...this.#wrapped(rows, columns)],
        onLeave: leave,
        now,
      });
      this.#open = { question, fit, leave };
      this.#hasMissed = false;
      onOpen();
      draw();
    });
  }

  /** True if the question took the key. */
  press(key: Key): boolean {
    const isTaken = this.#open?.question.press(key) ?? false;
    this.#hasMissed = this.isOpen && !isTaken;
    return isTaken;
  }

  /** Another program had the screen; now it shows the question. */
  appear(): void {
    this.#open?.question.appear();
  }

  /** The window may have become too low for the question. */
  fit(): void {
    this.#open?.fit();
  }

  /** Empty when no question is open. */
  rows(columns: number): readonly string[] {
    if (!this.#open) return [];
    const { painter, editor, draw } = this.#options;
    const { question } = this.#open;
    const rows = [
      ...question.rows(columns),
      ...question.choiceLines(columns).map((line) => paint(cut(line, columns), painter)),
    ];
    clearTimeout(this.#quieting);
    const quietInMs = question.quietInMs();
    if (quietInMs <= 0 || (!this.#hasMissed && editor.text() === "")) return rows;
    const typed = editor.text() === "" ? "" : ` (${printableLine(editor.text(), 60)})`;
    const waiting = [span(`what you type still goes to your line${typed}: pause to answer`, "warn")];
    this.#quieting = setTimeout(draw, quietInMs + 1);
    const below = wrap(waiting, columns, { first: [span("  ")] });
    return [...rows, ...below.map((row) => paint(row, painter))];
  }

  /** No answer will come. */
  leave(): void {
    this.#open?.leave();
  }

  close(): void {
    clearTimeout(this.#quieting);
  }

  #hasRoom(rows: readonly Line[], count: (columns: number) => number): boolean {
    const { columns, rows: room } = this.#options.size();
    return this.#wrapped(rows, columns).length + count(columns) + 4 <= room;
  }

  #standsAbove(count: number, columns: number): string {
    const text = `  the question is above (${plural(count, "row")})`;
    return paint(cut([span(text, "warn")], columns), this.#options.painter);
  }

  #wrapped(rows: readonly Line[], columns: number): readonly string[] {
    return rows
      .flatMap((row) => wrap(row, columns, { rest: [span("        │ ", "dim")] }))
      .map((row) => paint(row, this.#options.painter));
  }
}

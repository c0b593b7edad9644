// The questions waiting for the person: one at a time, in order of arrival.

import { Aborted } from "indusagi/core";
import { plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { ConsoleList } from "../../feature/command.ts";
import type { Editor, Key } from "../contract.ts";
import { cut, type Line, paint, span, wrap } from "../screen/spans.ts";
import type { Painter } from "../screen/theme.ts";
import type { GuardOptions } from "./guard.ts";
import { createPicker } from "./picker.ts";
import { type Choice, createQuestion, type OpenQuestion, type QuestionOptions } from "./question.ts";
import { createTypedLine, type TypedLineOptions } from "./typed-line.ts";

interface AskingOptions {
  readonly painter: Painter;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Prints rows where they can be scrolled to. */
  readonly say: (rows: readonly Line[]) => void;
  readonly editor: Pick<Editor, "text" | "put">;
  readonly now: () => number;
  /** The number of keys pressed so far. */
  readonly keys: () => number;
  /** Resolves once what was typed so far is read, though the program was busy; a question opened then knows of it. */
  readonly allRead?: () => Promise<void>;
  readonly draw: () => void;
  /** A question has opened; `onClose`: it has closed. */
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

export interface ChooseOptions extends Pick<QuestionOptions<unknown>, "start" | "hint"> {
  /** What is printed as the answer of a question that is left with Esc; default: "not answered". */
  readonly left?: string;
}

export interface Asking {
  /** Asks once all earlier questions are answered. Undefined if the person leaves it unanswered; rejects with the signal. */
  readonly inTurn: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
  readonly choose: <Answer>(
    rows: readonly Line[],
    choices: readonly Choice<Answer>[],
    signal: AbortSignal | undefined,
    options?: ChooseOptions,
  ) => Promise<Answer | undefined>;
  /** A line typed in place of the question; it never reaches the editor. */
  readonly typeIn: (
    rows: readonly Line[],
    options: { readonly isSecret: boolean; readonly signal: AbortSignal },
  ) => Promise<string | undefined>;
  /** The last key pressed sent something that can open a list. */
  readonly sent: () => void;
  /** Nobody asked for the next list. */
  readonly opensByItself: () => void;
  /** Picks one item of a list. If another key was pressed since it was asked for, keys count as for a question. */
  readonly pick: ConsoleList["pick"];
  /** The next line sent is the answer, begun with `start`; the editor's previous text is restored after it. Empty if left unanswered. */
  readonly readLine: (prompt: string, signal: AbortSignal, start?: string) => Promise<string>;
  readonly isOpen: () => boolean;
  /** Another program had the screen; now it shows the question. */
  readonly appear: () => void;
  /** The window may have become too low for the open question. */
  readonly fit: () => void;
  readonly isReading: () => boolean;
  /** True if the question took the key. */
  readonly press: (key: Key) => boolean;
  /** Gives a sent line to whoever is reading one; false if nobody is. */
  readonly takeLine: (text: string) => boolean;
  /** The rows shown in place of the editor; empty when no question is open. */
  readonly rows: (columns: number) => readonly string[];
  /** Shown above the editor while a line is read. */
  readonly prompt: () => string | undefined;
  /** No more answers will come. */
  readonly leave: () => void;
  readonly close: () => void;
}

const NOT_ANSWERED = "not answered";

export function createAsking(options: AskingOptions): Asking {
  const { painter, size, say, editor, now, draw } = options;
  let asked: Promise<unknown> = Promise.resolve();
  let question: OpenQuestion | undefined;
  let reading: { readonly prompt: string; readonly take: (text: string) => void } | undefined;
  let answerNobody: (() => void) | undefined;
  let fit: (() => void) | undefined;
  let quieting: NodeJS.Timeout | undefined;
  /** A key came too early for the question, and went to the line. */
  let hasMissed = false;
  /** The key (by count) with which a person asked for a list. */
  let askedWith = -1;

  function choose<Answer>(
    rows: readonly Line[],
    choices: readonly Choice<Answer>[],
    signal: AbortSignal | undefined,
    { left = NOT_ANSWERED, ...more }: ChooseOptions = {},
  ): Promise<Answer | undefined> {
    type Said = { readonly answer: Answer; readonly label: string };
    const said = ({ key, label, answer }: Choice<Answer>): Choice<Said> => ({
      ...{ key, label, answer: { answer, label } },
    });
    return put<Answer>(
      rows,
      () => choices.length,
      signal,
      (settle, shared) =>
        createQuestion<Said>({
          ...shared,
          ...more,
          choices: choices.map((choice) => ({
            ...said(choice),
            forms: choice.forms?.map(said),
            edit: choice.edit === undefined ? undefined : { answer: choice.edit, label: choice.label },
          })),
          onLeave: () => settle(undefined, left),
          room: () => Math.max(1, size().rows - 3), // the question's place, the status line and a free row
          onAnswer: ({ answer, label }) => settle(answer, label),
        }),
    );
  }

  function put<Answer>(
    rows: readonly Line[],
    count: () => number,
    signal: AbortSignal | undefined,
    open: (
      settle: (answer: Answer | undefined, said: string) => void,
      shared: Pick<TypedLineOptions, "rows" | "onLeave" | keyof GuardOptions>,
    ) => OpenQuestion,
  ): Promise<Answer | undefined> {
    if (signal?.aborted) return Promise.reject(new Aborted());
    return new Promise((resolve, reject) => {
      let isAbove = false;
      // A question that does not fit below is printed where it can be scrolled to, and is then to be read again.
      fit = () => {
        const height = wrapped(rows, size().columns).length + count() + 4;
        if (isAbove || height <= size().rows) return;
        isAbove = true;
        say(rows);
        question?.readAgain();
      };
      fit();
      const done = (): void => {
        question = undefined;
        fit = undefined;
        answerNobody = undefined;
        signal?.removeEventListener("abort", onAbort);
        options.onClose();
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
      answerNobody = () => settle(undefined, NOT_ANSWERED);
      question = open(settle, {
        rows: (columns) => (isAbove ? [standsAbove(rows.length, columns)] : ["", ...wrapped(rows, columns)]),
        onLeave: () => settle(undefined, NOT_ANSWERED),
        now,
      });
      hasMissed = false;
      options.onOpen();
      draw();
    });
  }

  /** Rows for a list, leaving room for what surrounds it. */
  function listRoom(): number {
    return Math.max(3, Math.min(12, size().rows - 12));
  }

  function standsAbove(count: number, columns: number): string {
    return paint(cut([span(`  the question is above (${plural(count, "row")})`, "warn")], columns), painter);
  }

  function wrapped(rows: readonly Line[], columns: number): readonly string[] {
    return rows
      .flatMap((row) => wrap(row, columns, { rest: [span("        │ ", "dim")] }))
      .map((row) => paint(row, painter));
  }

  function readLine(prompt: string, signal: AbortSignal, start = ""): Promise<string> {
    if (signal.aborted) return Promise.reject(new Aborted());
    const written = editor.text();
    editor.put(start);
    return new Promise((resolve, reject) => {
      const done = (): void => {
        reading = undefined;
        answerNobody = undefined;
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
        say([[span("    ", "dim"), span(printableLine(text))]]);
        resolve(text.trim());
      };
      reading = { prompt, take };
      answerNobody = () => take("");
      draw();
    });
  }

  function rowsOf(open: OpenQuestion, columns: number): readonly string[] {
    const rows = [
      ...open.rows(columns),
      ...open.choiceLines(columns).map((line) => paint(cut(line, columns), painter)),
    ];
    clearTimeout(quieting);
    const quietInMs = open.quietInMs();
    if (quietInMs <= 0 || (!hasMissed && editor.text() === "")) return rows;
    const typed = printableLine(editor.text(), 60);
    const waiting = `  what you type still goes to your line (${typed}): pause to answer`;
    quieting = setTimeout(draw, quietInMs + 1);
    return [...rows, paint(cut([span(waiting, "warn")], columns), painter)];
  }

  return {
    inTurn: (ask) => {
      const answer = asked.then(options.allRead).then(ask);
      asked = answer.catch(() => undefined);
      return answer;
    },
    choose,
    typeIn: (rows, { isSecret, signal }) =>
      put<string>(
        rows,
        () => 2,
        signal,
        (settle, shared) =>
          createTypedLine({
            ...shared,
            isSecret,
            onAnswer: (line) => settle(line, isSecret ? "answered (not shown)" : printableLine(line)),
          }),
      ),
    pick: (title, find, start = 0) =>
      put(
        [[span(title, "bold")]],
        () => listRoom() + 6,
        undefined,
        (settle, shared) =>
          createPicker({
            ...{ ...shared, find, start, draw },
            isAskedFor: askedWith === options.keys(),
            room: listRoom,
            onAnswer: (item) => {
              askedWith = options.keys(); // for the next list
              settle(item, printableLine(item.label, 100));
            },
          }),
      ),
    sent: () => {
      askedWith = options.keys();
    },
    opensByItself: () => {
      askedWith = -1;
    },
    readLine,
    isOpen: () => question !== undefined,
    appear: () => question?.appear(),
    fit: () => fit?.(),
    isReading: () => reading !== undefined,
    press: (key) => {
      const isTaken = question?.press(key) ?? false;
      hasMissed = question !== undefined && !isTaken;
      return isTaken;
    },
    takeLine: (text) => {
      const take = reading?.take;
      take?.(text);
      return take !== undefined;
    },
    rows: (columns) => (question ? rowsOf(question, columns) : []),
    prompt: () => reading?.prompt,
    leave: () => answerNobody?.(),
    close: () => clearTimeout(quieting),
  };
}

// The questions waiting for the person: one at a time, in order of arrival.

import { printableLine } from "../../console/printable-line.ts";
import type { ConsoleList } from "../../feature/command.ts";
import type { Editor, Key } from "../contract.ts";
import { type Line, span } from "../screen/spans.ts";
import { createPicker } from "./picker.ts";
import { type Choice, createQuestion, type QuestionOptions, rowsOfChoices } from "./question.ts";
import { NOT_ANSWERED, QuestionPlace, type QuestionPlaceOptions } from "./question-place.ts";
import { SentLine } from "./sent-line.ts";
import { createTypedLine } from "./typed-line.ts";

interface AskingOptions extends QuestionPlaceOptions {
  readonly editor: Pick<Editor, "text" | "put">;
  /** The number of keys pressed so far. */
  readonly keys: () => number;
  /** Resolves once what was typed so far is read, though the program was busy; a question opened then knows of it. */
  readonly allRead?: () => Promise<void>;
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
  readonly hasLeft: () => boolean;
  readonly close: () => void;
}

export function createAsking(options: AskingOptions): Asking {
  const { size, draw, keys } = options;
  const place = new QuestionPlace(options);
  const line = new SentLine(options);
  let asked: Promise<unknown> = Promise.resolve();
  /** The key (by count) with which a person asked for a list. */
  let askedWith = -1;
  let hasLeft = false;

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
    return place.ask<Answer>({
      rows,
      count: (columns) => rowsOfChoices(choices, more.hint ?? "", columns),
      signal,
      open: (settle, shared) =>
        createQuestion<Said>({
          ...shared,
          ...more,
          choices: choices.map((choice) => ({
            ...said(choice),
            forms: choice.forms?.map(said),
            edit: choice.edit && { label: choice.edit.label, answer: choice.edit },
          })),
          onLeave: () => settle(undefined, left),
          room: () => Math.max(1, size().rows - 3), // the question's place, the status line and a free row
          onAnswer: ({ answer, label }) => settle(answer, label),
        }),
    });
  }

  /** Rows for a list, leaving room for what surrounds it. */
  function listRoom(): number {
    return Math.max(3, Math.min(12, size().rows - 12));
  }

  return {
    inTurn: (ask) => {
      const answer = asked.then(options.allRead).then(ask);
      asked = answer.catch(() => undefined);
      return answer;
    },
    choose,
    typeIn: (rows, { isSecret, signal }) =>
      place.ask<string>({
        rows,
        count: () => 2,
        signal,
        open: (settle, shared) =>
          createTypedLine({
            ...shared,
            isSecret,
            onAnswer: (typed) => settle(typed, isSecret ? "answered (not shown)" : printableLine(typed)),
          }),
      }),
    pick: (title, find, start = 0) =>
      place.ask({
        rows: [[span(title, "bold")]],
        count: () => listRoom() + 6,
        open: (settle, shared) =>
          createPicker({
            ...{ ...shared, find, start, draw },
            isAskedFor: askedWith === keys(),
            room: listRoom,
            onAnswer: (item) => {
              askedWith = keys(); // for the next list
              settle(item, printableLine(item.label, 100));
            },
          }),
      }),
    sent: () => {
      askedWith = keys();
    },
    opensByItself: () => {
      askedWith = -1;
    },
    readLine: (prompt, signal, start) => line.read(prompt, signal, start),
    isOpen: () => place.isOpen,
    appear: () => place.appear(),
    fit: () => place.fit(),
    isReading: () => line.prompt() !== undefined,
    press: (key) => place.press(key),
    takeLine: (text) => line.take(text),
    rows: (columns) => place.rows(columns),
    prompt: () => line.prompt(),
    leave: () => {
      hasLeft = true;
      place.leave();
      line.take("");
    },
    hasLeft: () => hasLeft,
    close: () => place.close(),
  };
}

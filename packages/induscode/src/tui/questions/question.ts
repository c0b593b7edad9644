// A question that stays open until one of its own keys answers it: arrows and Enter, a row's number, or its letter.

import { columnsOf } from "../../console/columns.ts";
import type { Key } from "../contract.ts";
import { type Line, span } from "../screen/spans.ts";
import { createGuard, type GuardOptions } from "./guard.ts";

export interface Choice<Answer> {
  /** One letter or digit. */
  readonly key: string;
  readonly label: string;
  readonly answer: Answer;
  /** The other forms of this choice: the left and right arrows change the row to the next one, and its own key answers it at once. */
  readonly forms?: readonly Omit<Choice<Answer>, "forms" | "edit">[] | undefined;
  /** What Tab answers, with this row chosen or not. */
  readonly edit?: Answer | undefined;
}

export interface QuestionOptions<Answer> extends GuardOptions {
  /** The whole subject of the question: rows without control characters except our own colours. */
  readonly rows: (columns: number) => readonly string[];
  readonly choices: readonly Choice<Answer>[];
  /** The index of the choice that Enter alone takes; default: 0. */
  readonly start?: number;
  /** Stands at the end of the last row, or below it where that has no room. */
  readonly hint?: string;
  /** How many rows the choices can have. */
  readonly room: () => number;
  readonly onAnswer: (answer: Answer) => void;
  /** Esc, Ctrl+C. */
  readonly onLeave: () => void;
}

export interface OpenQuestion {
  readonly rows: (columns: number) => readonly string[];
  readonly choiceLines: (columns: number) => readonly Line[];
  /** True if the question took the key; it never takes a key that came too early. */
  readonly press: (key: Key) => boolean;
  /** How much longer keys still go to the line if none is pressed; 0 once they are answers. */
  readonly quietInMs: () => number;
  /** Another program had the screen; now it shows the question. */
  readonly appear: () => void;
  /** It has moved: nobody has read it there. */
  readonly readAgain: () => void;
}

export function createQuestion<Answer>(options: QuestionOptions<Answer>): OpenQuestion {
  const { choices, onAnswer, onLeave, hint = "" } = options;
  const guard = createGuard(options);
  let chosen = options.start ?? 0;
  /** Which form each choice has now. */
  const formOf = choices.map(() => 0);

  /** A choice in the form that is shown. */
  function shown(at: number): Omit<Choice<Answer>, "forms"> | undefined {
    const choice = choices[at];
    return choice && (formOf[at] === 0 ? choice : choice.forms?.[(formOf[at] ?? 0) - 1]);
  }

  function changeForm(by: 1 | -1): void {
    const count = 1 + (choices[chosen]?.forms?.length ?? 0);
    formOf[chosen] = ((formOf[chosen] ?? 0) + by + count) % count;
  }

  /** What a letter or digit answers: a row's key comes before its number. */
  function answerOf(typed: string): { readonly answer: Answer } | undefined {
    const all = choices.flatMap((choice) => [choice, ...(choice.forms ?? [])]);
    const byKey = all.find(({ key }) => key === typed);
    return byKey ?? (/^[1-9]$/.test(typed) ? shown(Number(typed) - 1) : undefined);
  }

  function press(key: Key): boolean {
    const mayAnswer = guard.press();
    if (key.name === "escape" || (key.ctrl && key.name === "c")) {
      onLeave();
      return true;
    }
    // While asked, the person can still look at what was done, continue their line, or suspend the program.
    if (key.ctrl || !mayAnswer) return false;
    guard.open();
    const edited = choices.find(({ edit }) => edit !== undefined)?.edit;
    if (key.name === "up" || (key.name === "tab" && key.shift))
      chosen = (chosen + choices.length - 1) % choices.length;
    else if (key.name === "tab" && edited !== undefined) onAnswer(edited);
    else if (key.name === "down" || key.name === "tab") chosen = (chosen + 1) % choices.length;
    else if (key.name === "left") changeForm(-1);
    else if (key.name === "right") changeForm(1);
    else {
      // A paste is not an answer, and neither are several letters at once.
      const typed = key.name === "paste" || key.alt ? "" : (key.text ?? key.name).toLowerCase();
      const choice = key.name === "enter" ? shown(chosen) : answerOf(typed);
      if (choice) onAnswer(choice.answer);
    }
    return true;
  }

  /** In a low window not all of them, with arrows to the others. */
  function choiceLines(columns: number): readonly Line[] {
    const room = options.room();
    const first = firstShown(chosen, choices.length, room);
    const rows = choices.slice(first, first + room).map((_, row): Line => {
      const at = first + row;
      const { key = "", label = "" } = shown(at) ?? {};
      const isChosen = at === chosen;
      const above = row === 0 && first > 0 ? "↑ " : "  ";
      const more = row === room - 1 && first + room < choices.length ? "↓ " : above;
      const number = at < 9 && key !== String(at + 1) ? `${at + 1}. ` : "";
      return [
        span(isChosen ? "❯ " : more, "accent"),
        span(`${number}[${key}]`, ...(isChosen ? (["accent", "bold"] as const) : (["dim"] as const))),
        span(` ${label}`, ...(isChosen ? (["bold"] as const) : [])),
        ...(choices[at]?.forms ? [span("  ←→", "dim")] : []),
      ];
    });
    return hint === "" ? rows : withHint(rows, columns);
  }

  function withHint(rows: readonly Line[], columns: number): readonly Line[] {
    const last = rows.at(-1) ?? [];
    const width = last.reduce((sum, { text }) => sum + columnsOf(text), 0);
    if (width + columnsOf(hint) + 4 > columns)
      return rows.length < options.room() ? [...rows, [span(`  ${hint}`, "dim")]] : rows;
    return [...rows.slice(0, -1), [...last, span(`    ${hint}`, "dim")]];
  }

  return {
    rows: options.rows,
    choiceLines,
    press,
    quietInMs: guard.quietInMs,
    appear: guard.appear,
    readAgain: guard.readAgain,
  };
}

/** The first of `count` items that is shown where only `room` of them can be, so that the one at `at` is seen. */
export function firstShown(at: number, count: number, room: number): number {
  return Math.max(0, Math.min(at - Math.floor(room / 2), count - room));
}

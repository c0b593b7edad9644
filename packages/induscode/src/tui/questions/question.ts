// A question that stays open until one of its own keys answers it: arrows and Enter, a row's number, or its letter.

import { columnsOf } from "../../console/columns.ts";
import type { Key } from "../contract.ts";
import { type Line, span, wrap } from "../screen/spans.ts";
import { createGuard, type GuardOptions } from "./guard.ts";

export interface Choice<Answer> {
  /** One letter or digit. */
  readonly key: string;
  readonly label: string;
  readonly answer: Answer;
  /** The other forms of this choice: the left and right arrows change the row to the next one, and its own key answers it at once. */
  readonly forms?: readonly Omit<Choice<Answer>, "forms" | "edit">[] | undefined;
  /** What Tab answers, with this row chosen or not. */
  readonly edit?: Pick<Choice<Answer>, "label" | "answer"> | undefined;
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
    const typed = (key.text ?? key.name).toLowerCase();
    if (key.name === "paste" || (key.text !== undefined && typed.length > 1)) {
      // Several letters at once are a sentence, not an answer: it goes to the line, and so does an Enter right after it.
      guard.readAgain();
      return false;
    }
    guard.open();
    const edited = choices.find(({ edit }) => edit !== undefined)?.edit;
    if (key.name === "up" || (key.name === "tab" && key.shift))
      chosen = (chosen + choices.length - 1) % choices.length;
    else if (key.name === "tab" && edited !== undefined) onAnswer(edited.answer);
    else if (key.name === "down" || key.name === "tab") chosen = (chosen + 1) % choices.length;
    else if (key.name === "left") changeForm(-1);
    else if (key.name === "right") changeForm(1);
    else {
      const choice = key.name === "enter" ? shown(chosen) : answerOf(key.alt ? "" : typed);
      if (choice) onAnswer(choice.answer);
    }
    return true;
  }

  function lineOf(at: number): Line {
    const { key = "", label = "" } = shown(at) ?? {};
    const isChosen = at === chosen;
    const number = at < 9 && key !== String(at + 1) ? `${at + 1}. ` : "";
    return [
      span(isChosen ? "❯ " : "  ", "accent"),
      span(`${number}[${key}]`, ...(isChosen ? (["accent", "bold"] as const) : (["dim"] as const))),
      span(` ${label}`, ...(isChosen ? (["bold"] as const) : [])),
      ...(choices[at]?.forms ? [span("  ←→", "dim")] : []),
    ];
  }

  /** Each choice whole, on as many rows as it needs; in a low window not all of them, with arrows to the others. */
  function choiceLines(columns: number): readonly Line[] {
    const room = options.room();
    const blocks = choices.map((_, at) => wrap(lineOf(at), columns, INDENTED));
    const [first, end] = blocksShown(
      blocks.map(({ length }) => length),
      chosen,
      room,
    );
    const rows = blocks.slice(first, end).flat().slice(0, room);
    const withArrow = ([lead, ...row]: Line, arrow: string): Line => [
      span(arrow.padEnd(lead?.text.length ?? 0), "accent"),
      ...row,
    ];
    if (end < blocks.length && end - 1 > chosen) rows[rows.length - 1] = withArrow(rows.at(-1) ?? [], "↓");
    if (first > 0 && first < chosen) rows[0] = withArrow(rows[0] ?? [], "↑");
    return hint === "" || end < blocks.length ? rows : withHint(rows, columns, room);
  }

  function withHint(rows: readonly Line[], columns: number, room: number): readonly Line[] {
    const last = rows.at(-1) ?? [];
    const width = last.reduce((sum, { text }) => sum + columnsOf(text), 0);
    if (width + columnsOf(hint) + 4 <= columns)
      return [...rows.slice(0, -1), [...last, span(`    ${hint}`, "dim")]];
    const below = wrap([span(hint, "dim")], columns, { first: [span("  ")] });
    return rows.length + below.length <= room ? [...rows, ...below] : rows;
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

/** What precedes the further rows of a choice. */
const INDENTED = { rest: [span("     ")] };

/** The rows that choices take at most, and what a hint needs beyond one row. */
export function rowsOfChoices(
  choices: readonly Pick<Choice<unknown>, "label" | "forms">[],
  hint: string,
  columns: number,
): number {
  const before = "❯ 1. [y] ".length;
  const heights = choices.map(({ label, forms = [] }) => {
    const labels = [label, ...forms.map((form) => form.label)];
    const after = forms.length > 0 ? "  ←→" : "";
    return Math.max(
      ...labels.map(
        (each) => wrap([span("x".repeat(before - 1)), span(` ${each}${after}`)], columns, INDENTED).length,
      ),
    );
  });
  const hintRows = wrap([span(hint)], columns, { first: [span("  ")] }).length;
  return heights.reduce((sum, height) => sum + height, hintRows - 1);
}

/** Which blocks of these heights are shown where only `room` rows can be, the one at `at` among them: from and to. */
function blocksShown(heights: readonly number[], at: number, room: number): readonly [number, number] {
  let [first, end, left] = [at, at + 1, room - (heights[at] ?? 0)];
  const fits = (height: number | undefined): height is number => height !== undefined && height <= left;
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    const below = heights[end];
    if (fits(below)) {
      left -= below;
      end++;
      hasGrown = true;
    }
    const above = heights[first - 1];
    if (fits(above)) {
      left -= above;
      first--;
      hasGrown = true;
    }
  }
  return [first, end];
}

/** The first of `count` items that is shown where only `room` of them can be, so that the one at `at` is seen. */
export function firstShown(at: number, count: number, room: number): number {
  return Math.max(0, Math.min(at - Math.floor(room / 2), count - room));
}

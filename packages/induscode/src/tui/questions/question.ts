// A question that stays open until one of its own keys answers it.

import type { Key } from "../contract.ts";
import { type Line, span } from "../screen/spans.ts";
import { createGuard, type GuardOptions } from "./guard.ts";

export interface Choice<Answer> {
  /** One letter. */
  readonly key: string;
  readonly label: string;
  readonly answer: Answer;
}

export interface QuestionOptions<Answer> extends GuardOptions {
  /** The whole subject of the question: rows without control characters except our own colours. */
  readonly rows: (columns: number) => readonly string[];
  readonly choices: readonly Choice<Answer>[];
  /** How many rows the choices can have. */
  readonly room: () => number;
  readonly onAnswer: (answer: Answer) => void;
  /** Esc, Ctrl+C. */
  readonly onLeave: () => void;
}

export interface OpenQuestion {
  readonly rows: (columns: number) => readonly string[];
  readonly choiceLines: () => readonly Line[];
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
  const { choices, onAnswer, onLeave } = options;
  const guard = createGuard(options);
  let chosen = -1;

  function press(key: Key): boolean {
    const mayAnswer = guard.press();
    if (key.name === "escape" || (key.ctrl && key.name === "c")) {
      onLeave();
      return true;
    }
    // While asked, the person can still look at what was done, continue their line, or suspend the program.
    if (key.ctrl || !mayAnswer) return false;
    guard.open();
    if (key.name === "up" || key.name === "left") chosen = chosen <= 0 ? choices.length - 1 : chosen - 1;
    else if (key.name === "down" || key.name === "right" || key.name === "tab")
      chosen = (chosen + 1) % choices.length;
    else if (key.name === "enter") {
      const choice = choices[chosen];
      if (choice) onAnswer(choice.answer);
    } else {
      // A paste is not an answer, and neither are several letters at once.
      const typed = key.name === "paste" ? "" : (key.text ?? "").toLowerCase();
      const choice = choices.find(
        (each) => each.key === typed || (key.name === each.key && !key.ctrl && !key.alt),
      );
      if (choice) onAnswer(choice.answer);
    }
    return true;
  }

  /** In a low window not all of them, with arrows to the others. */
  function choiceLines(): readonly Line[] {
    const room = options.room();
    const first = firstShown(chosen, choices.length, room);
    const shown = choices.slice(first, first + room);
    return shown.map(({ key, label }, at) => {
      const isChosen = first + at === chosen;
      const above = at === 0 && first > 0 ? "↑ " : "  ";
      const more = at === room - 1 && first + room < choices.length ? "↓ " : above;
      return [
        span(isChosen ? "❯ " : more, "accent"),
        span(`[${key}]`, ...(isChosen ? (["accent", "bold"] as const) : (["dim"] as const))),
        span(` ${label}`, ...(isChosen ? (["bold"] as const) : [])),
      ];
    });
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

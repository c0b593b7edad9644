// A question that stays until it is answered by a key made for it.

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
  /** The thing asked, whole: rows without control characters but our own colours. */
  readonly rows: (columns: number) => readonly string[];
  readonly choices: readonly Choice<Answer>[];
  readonly onAnswer: (answer: Answer) => void;
  /** Esc, Ctrl+C. */
  readonly onLeave: () => void;
}

export interface OpenQuestion {
  readonly rows: (columns: number) => readonly string[];
  readonly choiceLines: () => readonly Line[];
  /** True when the key was the question's; a key that came too early is nobody's. */
  readonly press: (key: Key) => boolean;
  /** For how long keys still go to the line, if none comes: 0 where they are answers. */
  readonly quietInMs: () => number;
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
    // Whoever is asked may look at what was done, go on with the line, or stop the program for a while.
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

  return {
    rows: options.rows,
    choiceLines: () =>
      choices.map(({ key, label }, i) => [
        span(i === chosen ? "❯ " : "  ", "accent"),
        span(`[${key}]`, ...(i === chosen ? (["accent", "bold"] as const) : (["dim"] as const))),
        span(` ${label}`, ...(i === chosen ? (["bold"] as const) : [])),
      ]),
    press,
    quietInMs: guard.quietInMs,
  };
}

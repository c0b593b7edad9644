// A question that stays until it is answered by a key made for it. What was typed before it was seen is never an answer:
// keys count from the moment on in which the keyboard has been quiet for a while.

import type { Key } from "../contract.ts";
import { type Line, span } from "../screen/spans.ts";

export interface Choice<Answer> {
  /** One letter. */
  readonly key: string;
  readonly label: string;
  readonly answer: Answer;
}

export interface QuestionOptions<Answer> {
  /** The thing asked, whole: rows without control characters but our own colours. */
  readonly rows: (columns: number) => readonly string[];
  readonly choices: readonly Choice<Answer>[];
  readonly onAnswer: (answer: Answer) => void;
  /** Esc, Ctrl+C. */
  readonly onLeave: () => void;
  readonly now: () => number;
  /** When a key was last pressed before the question was shown. */
  readonly lastKeyMs: number;
}

export interface OpenQuestion {
  readonly rows: (columns: number) => readonly string[];
  readonly choiceLines: () => readonly Line[];
  /** True when the key was the question's; a key that came too early is nobody's. */
  readonly press: (key: Key) => boolean;
  /** For how long keys still go to the line, if none comes: 0 where they are answers. */
  readonly quietInMs: () => number;
}

/** A person who types is not reading yet. */
export const QUIET_MS = 500;

export function createQuestion<Answer>(options: QuestionOptions<Answer>): OpenQuestion {
  const { choices, onAnswer, onLeave, now } = options;
  let chosen = -1;
  let quietSince = options.lastKeyMs;
  let isArmed = false;

  function quietInMs(): number {
    return isArmed ? 0 : Math.max(0, QUIET_MS - (now() - quietSince));
  }

  function press(key: Key): boolean {
    const wasQuiet = quietInMs() === 0;
    quietSince = now();
    if (key.name === "escape" || (key.ctrl && key.name === "c")) {
      onLeave();
      return true;
    }
    // Whoever is asked may look at what was done, go on with the line, or stop the program for a while.
    if (key.ctrl || (!isArmed && !wasQuiet)) return false;
    isArmed = true;
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
    quietInMs,
  };
}

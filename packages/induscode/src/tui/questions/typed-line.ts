// A question answered by a line of its own, which never enters the editor or its history.

import { clustersOf } from "../../console/columns.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { Key } from "../contract.ts";
import { span } from "../screen/spans.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import type { OpenQuestion } from "./question.ts";

export interface TypedLineOptions extends GuardOptions {
  readonly rows: (columns: number) => readonly string[];
  /** Shows a dot for each character. */
  readonly isSecret: boolean;
  readonly onAnswer: (line: string) => void;
  readonly onLeave: () => void;
}

const MAX_CHARACTERS = 8_192;
/** Of a long line only the end is shown. */
const SHOWN = 60;

export function createTypedLine(options: TypedLineOptions): OpenQuestion {
  const { isSecret } = options;
  const guard = createGuard(options);
  let line = "";

  return {
    rows: options.rows,
    quietInMs: guard.quietInMs,
    appear: guard.appear,
    readAgain() {
      if (line === "") guard.readAgain(); // the rest of a secret must not reach the editor
    },
    choiceLines() {
      const clusters = clustersOf(line);
      const shown = isSecret ? "•".repeat(clusters.length) : printableLine(clusters.slice(-SHOWN).join(""));
      const keys = "Enter sends it, Esc cancels the question";
      return [
        [span("❯ ", "accent"), span(isSecret ? shown.slice(-SHOWN) : shown), span("▏", "accent")],
        [span(`  ${keys}${isSecret ? "; what you type is not shown" : ""}`, "dim")],
      ];
    },
    press(key: Key) {
      const mayAnswer = guard.press();
      if (key.name === "escape" || (key.ctrl && key.name === "c")) {
        options.onLeave();
        return true;
      }
      // What was begun too early goes to the editor, but may be a secret already: nothing sends it.
      if (!mayAnswer) return isSecret && key.name === "enter";
      guard.open();
      if (key.name === "enter") options.onAnswer(line);
      else if (key.name === "backspace") line = clustersOf(line).slice(0, -1).join("");
      else if (key.ctrl && key.name === "u") line = "";
      else if (key.text !== undefined && !key.ctrl && !key.alt)
        line = (line + key.text.replace(/[\r\n]/g, "")).slice(0, MAX_CHARACTERS);
      return true;
    },
  };
}

// What features show and ask, in the plain console: lines in order of arrival, and the status before the next prompt.

import type { SessionUi, UiAnswer, UiDialog } from "../feature/ui.ts";
import type { Dialogue } from "./dialogue.ts";
import { parseYesOrNo } from "./question-lines.ts";
import { choiceRows, dialogLines, parseChoice, shapeLines, statusLines, statusText } from "./ui-lines.ts";

export interface PlainUi extends SessionUi {
  /** The status if it changed since the last call; otherwise undefined. */
  readonly changedStatus: () => string | undefined;
}

/** A progress bar prints one line per tenth. */
const STEPS = 10;
const MAX_BARS = 50;

export function createPlainUi(dialogue: Pick<Dialogue, "line" | "look" | "askLine">): PlainUi {
  const items = new Map<string, Map<string, string>>();
  const bars = new Map<string, number>();
  let shown = "";

  const status = (): string => {
    const all = [...items.values()].flatMap((own) => [...own.values()]);
    return statusLines(all, dialogue.look().columns).join("\n");
  };

  return {
    status(feature, id, text) {
      const own = items.get(feature) ?? new Map<string, string>();
      if (text.trim() === "") own.delete(id);
      else own.set(id, statusText(feature, text));
      items.set(feature, own);
    },
    clear: (feature) => void items.delete(feature),
    changedStatus() {
      const now = status();
      if (now === shown) return undefined;
      shown = now;
      return now === "" ? undefined : now;
    },
    render(feature, shape) {
      if (shape.kind === "progress") {
        const key = `${feature}\n${shape.label}`;
        const step = shape.total > 0 ? Math.floor(Math.min(1, shape.done / shape.total) * STEPS) : 0;
        if (bars.get(key) === step) return;
        if (bars.size >= MAX_BARS) bars.clear();
        if (step === STEPS) bars.delete(key);
        else bars.set(key, step);
      }
      dialogue.line(shapeLines(feature, shape, dialogue.look()).join("\n"));
    },
    ask: (feature, dialog, signal) =>
      dialogue.askLine<Exclude<UiAnswer, undefined>>({ ...questionOf(feature, dialog, dialogue), signal }),
  };
}

function questionOf(
  feature: string,
  dialog: UiDialog,
  { look }: Pick<Dialogue, "look">,
): {
  readonly lines: readonly string[];
  readonly prompt: string;
  readonly again: string;
  readonly isSecret?: boolean;
  readonly parse: (typed: string) => Exclude<UiAnswer, undefined> | undefined;
} {
  const lines = dialogLines(feature, dialog, look());
  switch (dialog.kind) {
    case "confirm":
      return {
        lines: [...lines, "  [y] yes  [n] no"],
        prompt: "  y/n › ",
        again: "answer y or n",
        parse: (typed) => {
          const answer = typed.trim() === "" ? undefined : parseYesOrNo(typed);
          return answer === undefined ? undefined : answer === "yes";
        },
      };
    case "select": {
      const { length } = dialog.choices;
      return {
        lines: [...lines, ...choiceRows(dialog, look())],
        prompt: `  1-${length} › `,
        again: `enter a number from 1 to ${length}; Ctrl+C cancels the question`,
        parse: (typed) => parseChoice(typed, length),
      };
    }
    case "input":
      return {
        lines,
        prompt: dialog.isSecret === true ? "  (not shown) › " : "  › ",
        again: "",
        isSecret: dialog.isSecret === true,
        parse: (typed) => typed,
      };
  }
}

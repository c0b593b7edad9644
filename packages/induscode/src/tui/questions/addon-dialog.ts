// A question by an addon, under its name: its text follows a mark, just like what the host asks about.

import { printableLine } from "../../console/printable-line.ts";
import type { LineLook } from "../../console/transcript-lines.ts";
import { dialogLines } from "../../console/ui-lines.ts";
import type { UiAnswer, UiDialog } from "../../feature/ui.ts";
import type { Asking } from "./asking.ts";
import { questionRow } from "./permission.ts";
import type { Choice } from "./question.ts";

/** Keys of the choices, in order; one more than a dialog can have. */
const KEYS = "123456789abcdefghijkl";

const HINT = { hint: "↑↓ Enter · Esc: no answer" };

/** Undefined if the person leaves it unanswered; rejects with the signal. */
export function askForAddon(
  asking: Asking,
  feature: string,
  dialog: UiDialog,
  { look, signal }: { readonly look: () => LineLook; readonly signal: AbortSignal },
): Promise<UiAnswer> {
  const rows = dialogLines(feature, dialog, look()).map(questionRow);
  switch (dialog.kind) {
    case "input":
      return asking.typeIn(rows, { isSecret: dialog.isSecret === true, signal });
    case "confirm":
      return asking.choose<boolean>(
        rows,
        [
          { key: "y", label: "yes", answer: true },
          { key: "n", label: "no", answer: false },
        ],
        signal,
        HINT,
      );
    case "select":
      return asking.choose<number>(rows, dialog.choices.map(choiceOf), signal, HINT);
  }
}

function choiceOf(label: string, at: number): Choice<number> {
  return { key: KEYS[at] ?? "", label: printableLine(label, 100), answer: at };
}

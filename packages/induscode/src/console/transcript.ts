// A session on the plain console, in the order in which it happens: the answer as it arrives, then a line for each
// finished tool.

import { createPrintable } from "indusagi/core";
import type { ConductorEvent } from "../conductor/contract.ts";
import type { SettledView, ViewState } from "../view/contract.ts";
import { EMPTY_VIEW, viewAfter, viewBetween } from "../view/view.ts";
import type { Dialogue } from "./dialogue.ts";
import { bodyLines, itemLine } from "./transcript-lines.ts";

export interface Transcript {
  readonly show: (event: ConductorEvent) => void;
  /** Ends what a submit left open; returns its turns and tokens, and the last fault shown during it. */
  readonly endSubmit: () => Pick<ViewState, "totals" | "fault">;
}

/** Shows events through `dialogue`. */
export function createTranscript(
  dialogue: Pick<Dialogue, "write" | "line" | "freshLine" | "look">,
): Transcript {
  let view = EMPTY_VIEW;
  const answer = createPrintable();

  // The model call is over, or starts again: what follows is a new text.
  function endCall(): void {
    dialogue.write(answer.end());
    dialogue.freshLine();
  }

  function settle(item: SettledView): void {
    if (item.kind === "answer" || item.kind === "retry") endCall();
    const line = itemLine(item, dialogue.look());
    if (line !== undefined) dialogue.line([line, ...bodyLines(item, dialogue.look())].join("\n"));
  }

  return {
    show: (event) => {
      const { text = "", thinking = "" } = view.answer ?? {};
      view = viewAfter(view, event);
      if (view.grown !== "") {
        if (text === "") dialogue.freshLine();
        dialogue.write(answer.write(view.grown));
      }
      if (thinking === "" && view.answer?.thinking) dialogue.line(dialogue.look().style.dim("thinking…"));
      view.settled.forEach(settle);
    },
    endSubmit: () => {
      const { totals, fault } = view;
      endCall();
      view = viewBetween(view);
      return { totals, fault };
    },
  };
}

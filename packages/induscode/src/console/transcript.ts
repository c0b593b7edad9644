// A session's events on the plain console, in the order they come: the answer as it arrives, then a line for each
// finished tool.

import { createPrintable } from "indusagi/core";
import type { ConductorEvent, ConductorFault, Entry } from "../conductor/contract.ts";
import type { Dialogue } from "./dialogue.ts";
import { eventLine, retryLine, type SubmitCost } from "./transcript-lines.ts";

type ModelDelta = Extract<ConductorEvent, { kind: "delta" }>["delta"];

export interface Transcript {
  readonly show: (event: ConductorEvent) => void;
  /** Ends what a submit left open; tells its turns and tokens, and the last fault that was shown during it. */
  readonly endSubmit: () => SubmitTotals;
}

export interface SubmitTotals extends Omit<SubmitCost, "durationMs"> {
  readonly shownFault?: ConductorFault;
}

const NO_TOTALS: SubmitTotals = { turns: 0, tokens: 0 };

/** Shows events through `dialogue`. */
export function createTranscript(
  dialogue: Pick<Dialogue, "write" | "line" | "freshLine" | "look">,
): Transcript {
  let answer = createPrintable();
  let textShown = false;
  let thinkingShown = false;
  let totals = NO_TOTALS;

  function showText(text: string): void {
    if (!textShown) dialogue.freshLine();
    textShown = true;
    dialogue.write(answer.write(text));
  }

  // The model call is over, or begins anew: what follows is another text.
  function endCall(): void {
    dialogue.freshLine();
    answer = createPrintable();
    textShown = false;
    thinkingShown = false;
  }

  function showDelta(delta: ModelDelta): void {
    if (delta.kind === "text") showText(delta.text);
    if (delta.kind === "thinking" && !thinkingShown) {
      thinkingShown = true;
      dialogue.line(dialogue.look().style.dim("thinking…"));
    }
    if (delta.kind === "retry") {
      const voided = textShown;
      endCall();
      dialogue.line(retryLine(delta, dialogue.look(), voided));
    }
  }

  function count({ usage }: Extract<Entry, { type: "assistant" }>): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    const tokens = totals.tokens + inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    totals = { ...totals, turns: totals.turns + 1, tokens };
  }

  function showReply(entry: Extract<Entry, { type: "assistant" }>): void {
    const { message } = entry;
    count(entry);
    // A provider that does not stream has shown nothing yet.
    if (!textShown) for (const block of message.content) if (block.kind === "text") showText(block.text);
    dialogue.write(answer.end());
    endCall();
  }

  return {
    show: (event) => {
      if (event.kind === "delta") showDelta(event.delta);
      else if (event.kind === "entry") {
        if (event.entry.type === "assistant") showReply(event.entry);
        if (event.entry.type === "summary")
          dialogue.line(dialogue.look().style.dim("[what was said so far is summarised]"));
      } else {
        if (event.kind === "delegate" && event.event.kind === "entry") count(event.event.entry);
        const line = eventLine(event, dialogue.look());
        if (line !== undefined) dialogue.line(line);
        if (event.kind === "fault") totals = { ...totals, shownFault: event.fault };
      }
    },
    endSubmit: () => {
      const ended = totals;
      endCall();
      totals = NO_TOTALS;
      return ended;
    },
  };
}

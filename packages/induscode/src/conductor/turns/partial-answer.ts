// An answer while it arrives: what the person sees of it, and what the log keeps of one that never ends.

import type { ModelDelta } from "indusagi/llmgateway";
import type { HookDispatch } from "../../feature/handler.ts";
import type { SessionRecord } from "../record.ts";
import { NO_USAGE } from "../usage.ts";

export interface PartialAnswer {
  /** Another answer is asked for. */
  readonly begin: () => void;
  readonly add: (delta: ModelDelta) => void;
  /** The answer is logged whole. */
  readonly end: () => void;
  /** Logs the shown part of an answer that never ended: the person may refer to it, so the model must have it. */
  readonly logInterrupted: () => void;
}

export function createPartialAnswer(record: SessionRecord, hooks: HookDispatch): PartialAnswer {
  let text = "";
  /** Whether features may still change it: asked once per answer, because it arrives in many pieces. */
  let mayChange: boolean | undefined;
  return {
    begin() {
      text = "";
      mayChange = undefined;
    },
    // Text that a feature may still transform is not streamed; the final message arrives as its log entry.
    add(delta) {
      mayChange ??= hooks.has("chat:message", "transform");
      if (delta.kind === "retry") text = "";
      else if (delta.kind === "text" && !mayChange) text += delta.text;
      const isShown = record.hearsPieces() && (delta.kind === "connected" || !mayChange);
      if (delta.kind === "retry" || isShown) record.emit({ kind: "delta", delta });
    },
    end() {
      text = "";
    },
    logInterrupted() {
      const shown = text;
      text = "";
      if (shown.trim() === "") return;
      const message = { role: "assistant", content: [{ kind: "text", text: shown }] } as const;
      record.append({ type: "assistant", message, stop: "interrupted", usage: NO_USAGE });
    },
  };
}

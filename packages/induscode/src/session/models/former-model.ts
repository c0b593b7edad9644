// A continued session has the model that the flags and settings of this start name, which may not be the one that it had.

import type { Entry } from "../../conductor/contract.ts";

/** In words for the person; empty if its last request went to this model, or it had none. */
export function formerModel(entries: readonly Entry[], model: string): readonly string[] {
  const last = entries.findLast((entry) => entry.type === "prompt");
  if (last === undefined || last.model === model) return [];
  return [
    `The last request of this session went to ${last.model}; it continues with ${model}. To have the former again: --model ${last.model}, or /model in a conversation.`,
  ];
}

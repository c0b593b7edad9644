// The parts of a log that can be replayed: the person's lines, and the model's answers to each.

import type { ModelReply } from "indusagi/llmgateway";
import { branchOf } from "../../conductor/branch.ts";
import type { Entry } from "../../conductor/contract.ts";

type Of<Type extends Entry["type"]> = Extract<Entry, { readonly type: Type }>;

/** A line that the person sent, with everything that followed from it. */
export interface TapedLine {
  readonly said: Of<"user">;
  /** From this line up to the next one. */
  readonly entries: readonly Entry[];
}

/** The lines of the branch in force. Entries before the first line belong to none. */
export function tapedLines(entries: readonly Entry[]): readonly TapedLine[] {
  const branch = branchOf(entries);
  const starts = branch.flatMap((entry, at) => (entry.type === "user" && entry.via === "submit" ? at : []));
  return starts.map((from, index) => ({
    said: branch[from] as Of<"user">, // `from` was found by this type
    entries: branch.slice(from, starts[index + 1]),
  }));
}

/** What a model wrote, as the provider sent it; undefined for any other entry, and for an answer that never ended. */
export function replyIn(entry: Entry): ModelReply | undefined {
  if (entry.type === "assistant" && entry.stop !== "interrupted") {
    const { message, original = message, stop, usage } = entry;
    return { message: original, stop, usage };
  }
  if (entry.type === "summary" && entry.origin === "host")
    return textReply(entry.original ?? entry.text, entry.usage);
  if (entry.type === "jump" && entry.usage !== undefined) return textReply(entry.summary ?? "", entry.usage);
  return undefined;
}

function textReply(text: string, usage: ModelReply["usage"]): ModelReply {
  return { message: { role: "assistant", content: [{ kind: "text", text }] }, stop: "complete", usage };
}

// Compaction: the model writes a summary, and from then on the summary stands for everything before it. The log keeps
// every line; only the model's view is replaced.

import { describeError } from "indusagi/core";
import type { Message, ModelProvider, ModelRequest, Usage } from "indusagi/llmgateway";

/** The share of the window that may fill before a session compacts itself. */
export const COMPACT_AT_SHARE = 0.8;

const INSTRUCTION = [
  "Write a summary of this session that lets you go on with the work after everything above is gone.",
  "Use these headings: Goal, Decisions, Files read and changed, State of the work, Open problems, Next step.",
  "Keep exact paths, names, commands, error messages and numbers. Do not call a tool.",
].join("\n");

export type CompactionResult =
  | { readonly ok: true; readonly text: string; readonly usage: Usage }
  | { readonly ok: false; readonly message: string };

export interface CompactionFacts {
  readonly provider: ModelProvider;
  /** The request that would be sent next. */
  readonly request: ModelRequest;
  /** What the person wants kept; may be empty. */
  readonly focus: string;
  readonly signal: AbortSignal;
}

/** Asks the model for the summary. Never rejects. */
export async function summarise({
  provider,
  request,
  focus,
  signal,
}: CompactionFacts): Promise<CompactionResult> {
  const text = focus === "" ? INSTRUCTION : `${INSTRUCTION}\nKeep above all: ${focus}`;
  const ask: Message = { role: "user", content: [{ kind: "text", text }] };
  try {
    const result = await provider.stream(
      { ...request, messages: [...request.messages, ask] },
      { signal, onDelta: ignore },
    );
    if (!result.ok) return { ok: false, message: result.fault.message };
    const summary = result.reply.message.content
      .map((block) => (block.kind === "text" ? block.text : ""))
      .join("")
      .trim();
    if (summary === "") return { ok: false, message: "the model wrote no summary" };
    return { ok: true, text: summary, usage: result.reply.usage };
  } catch (error) {
    return { ok: false, message: describeError(error) };
  }
}

function ignore(): void {
  // a summary is shown when it is whole
}

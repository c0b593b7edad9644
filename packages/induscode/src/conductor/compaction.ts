// Compaction: the model writes a summary, and from then on the summary stands for everything before it. The log keeps
// every line; only the model's view is replaced.

import type { Message, ModelResult, Usage } from "indusagi/llmgateway";
import type { HookDispatch } from "../feature/contract.ts";
import type { ConductorFault } from "./contract.ts";
import { type CostBudget, pricedReply } from "./cost.ts";
import type { ResolvedModel } from "./model-in-use.ts";
import type { SessionRecord } from "./record.ts";
import { buildSummary, mayCompact } from "./session-hooks.ts";
import { shortenedView } from "./shortened-view.ts";

/** The share of the window that may fill before a session compacts itself. */
export const COMPACT_AT_SHARE = 0.8;

const INSTRUCTION = [
  "Write a summary of this session that lets you go on with the work after everything above is gone.",
  "Use these headings: Goal, Decisions, Files read and changed, State of the work, Open problems, Next step.",
  "Keep exact paths, names, commands, error messages and numbers. Do not call a tool.",
].join("\n");

export interface CompactionFacts {
  readonly record: SessionRecord;
  readonly hooks: HookDispatch;
  readonly model: ResolvedModel;
  readonly budget: CostBudget | undefined;
  readonly reason: "asked" | "full";
  /** What the person wants kept; may be empty. */
  readonly focus: string;
  readonly signal: AbortSignal;
  /** The provider said that the session no longer fits: the whole of it is not sent once more. */
  readonly isOverfull?: boolean;
}

/** Condenses a session whose prompt is logged and whose calls are closed. Says what kept it from that. */
export async function compactSession(facts: CompactionFacts): Promise<ConductorFault | undefined> {
  const { record, hooks, model, budget, reason, signal } = facts;
  if (record.fold().messages.length === 0)
    return { kind: "config", message: "There is nothing to compact yet." };
  const veto = await mayCompact(hooks, reason, signal);
  if (veto) {
    record.append({ type: "veto", event: "compact:before", ...veto });
    return { kind: "vetoed", message: `The session was not compacted: ${veto.reason} (${veto.by.feature})` };
  }
  const written = await askForSummary(facts);
  if (!written.ok)
    return { kind: "model", message: `The session could not be compacted: ${written.message}` };
  const summary = await buildSummary(hooks, { reason, summary: written.text }, signal);
  const { usage } = written;
  const priced = pricedReply(model, usage, budget);
  record.append({ type: "summary", origin: "host", usage, ...priced, ...summary });
  record.emit({ kind: "alert", text: "The session was compacted: the model now works from a summary." });
  return undefined;
}

type Written =
  | { readonly ok: true; readonly text: string; readonly usage: Usage }
  | { readonly ok: false; readonly message: string };

async function askForSummary(facts: CompactionFacts): Promise<Written> {
  const { record, model, focus } = facts;
  const question = focus === "" ? INSTRUCTION : `${INSTRUCTION}\nKeep above all: ${focus}`;
  const { messages } = record.fold();
  let result = facts.isOverfull
    ? undefined
    : await ask(facts, { from: messages.length, remove: 0, text: question });
  // Where the whole does not fit, a shortened text of it is summarised: what the window really is only the server knows.
  const known = Math.min(JSON.stringify(messages).length, model.card.contextWindow * CHARS_PER_TOKEN);
  for (let budget = known / 2, left = MAX_SHORTENED; left > 0; budget /= 3, left--) {
    if (result && (result.ok || result.fault.kind !== "overflow")) break;
    const text = `The session so far, shortened:\n${shortenedView(messages, budget)}\n\n${question}`;
    result = await ask(facts, { from: 0, remove: messages.length, text });
  }
  if (!result?.ok) return { ok: false, message: result?.fault.message ?? "nothing was asked" };
  const summary = result.reply.message.content
    .map((block) => (block.kind === "text" ? block.text : ""))
    .join("")
    .trim();
  return summary === ""
    ? { ok: false, message: "the model wrote no summary" }
    : { ok: true, text: summary, usage: result.reply.usage };
}

const MAX_SHORTENED = 4;
const CHARS_PER_TOKEN = 3;

/** This request is explained by the log like any other: the question is a context entry that holds for it alone. */
function ask(
  { record, model, signal }: CompactionFacts,
  { from, remove, text }: { readonly from: number; readonly remove: number; readonly text: string },
): Promise<ModelResult> {
  const question: Message = { role: "user", content: [{ kind: "text", text }] };
  record.append({ type: "context", from, remove, insert: [question] });
  record.append({ type: "request", digest: record.fold().digest() });
  return model.provider.stream(record.fold().request(model.model), { signal, onDelta: ignore });
}

function ignore(): void {
  // a summary is shown when it is whole
}

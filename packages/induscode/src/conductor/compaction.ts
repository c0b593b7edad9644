// Compaction: the model writes a summary, and from then on the summary stands for everything before it. The log keeps
// every line; only the model's view is replaced.

import type { Message, ModelResult, StopReason, Usage } from "indusagi/llmgateway";
import type { HookDispatch } from "../feature/contract.ts";
import type { ConductorFault } from "./contract.ts";
import { type CostBudget, pricedReply } from "./cost.ts";
import type { ResolvedModel } from "./model-in-use.ts";
import type { SessionRecord } from "./record.ts";
import { buildSummary, mayCompact } from "./session-hooks.ts";
import { shortenedView } from "./shortened-view.ts";
import { NO_USAGE } from "./usage.ts";

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
  /**
   * The provider said that the session no longer fits, and how often it did `before` for the same reply: the `whole` of it is not
   * sent once more, and a digest of it takes over where no summary is to be had.
   */
  readonly overfull?: { readonly before: number; readonly whole: readonly Message[] };
}

/** Condenses a session whose prompt is logged and whose calls are closed. Says what kept it from that. */
export async function compactSession(facts: CompactionFacts): Promise<ConductorFault | undefined> {
  const { record, hooks, model, budget, reason, focus, signal } = facts;
  if (record.fold().messages.length === 0)
    return { kind: "config", message: "There is nothing to compact yet." };
  const veto = await mayCompact(hooks, reason, signal);
  if (veto) {
    record.append({ type: "veto", event: "compact:before", ...veto });
    return { kind: "vetoed", message: `The session was not compacted: ${veto.reason} (${veto.by.feature})` };
  }
  // After the second refusal for one reply a summary was already made: what is left is cut.
  const { overfull } = facts;
  const written: Written =
    (overfull?.before ?? 0) > 0
      ? { ok: false, message: "a summary did not make room enough" }
      : await askForSummary(facts, focus === "" ? INSTRUCTION : `${INSTRUCTION}\nKeep above all: ${focus}`);
  if (!written.ok) {
    const message = `The session could not be compacted: ${written.message}`;
    return overfull && !signal.aborted ? digestSession(facts, overfull, message) : { kind: "model", message };
  }
  const summary = await buildSummary(hooks, { reason, summary: written.text }, signal);
  const { usage } = written;
  const priced = pricedReply(model, usage, budget);
  record.append({ type: "summary", origin: "host", usage, ...priced, ...summary });
  record.emit({ kind: "alert", text: "The session was compacted: the model now works from a summary." });
  return undefined;
}

// Characters of a digest for each token of the window, the first time; a third of that each time it does not fit.
const DIGEST_CHARS_PER_TOKEN = 1;

/**
 * Where no model writes a summary, the view becomes its own text with the longest parts cut: poorer than a summary, made of
 * nothing but the log, and always to be had.
 */
async function digestSession(
  { record, hooks, model, reason, signal }: CompactionFacts,
  { before, whole }: NonNullable<CompactionFacts["overfull"]>,
  why: string,
): Promise<ConductorFault | undefined> {
  const size = JSON.stringify(record.fold().messages).length;
  const known = Math.min(JSON.stringify(whole).length / 2, model.card.contextWindow * DIGEST_CHARS_PER_TOKEN);
  const shortened = `The session so far, shortened:\n${shortenedView(whole, known / 3 ** before)}`;
  if (shortened.length >= size) return { kind: "model", message: why }; // nothing is left to cut
  const summary = await buildSummary(hooks, { reason, summary: shortened }, signal);
  record.append({ type: "summary", origin: "digest", usage: NO_USAGE, ...summary });
  record.emit({
    kind: "alert",
    text: `${why} The model now works from a shortened copy of it; the log keeps everything.`,
  });
  return undefined;
}

/** What a question to the model takes. */
export type Asked = Pick<CompactionFacts, "record" | "model" | "signal" | "overfull">;

type Written =
  | { readonly ok: true; readonly text: string; readonly usage: Usage }
  | { readonly ok: false; readonly message: string };

export async function askForSummary(facts: Asked, question: string): Promise<Written> {
  const { record, model } = facts;
  const { messages } = record.fold();
  let result = facts.overfull
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
  const unfinished = UNFINISHED[result.reply.stop];
  if (unfinished !== undefined) return { ok: false, message: unfinished };
  const summary = result.reply.message.content
    .map((block) => (block.kind === "text" ? block.text : ""))
    .join("")
    .trim();
  return summary === ""
    ? { ok: false, message: "the model wrote no summary" }
    : { ok: true, text: summary, usage: result.reply.usage };
}

/** Only a whole text that the model meant as the summary may stand for everything before it. */
const UNFINISHED: Readonly<Record<StopReason, string | undefined>> = {
  complete: undefined,
  max_output: "the summary was cut at the model's output limit",
  refusal: "the model refused to write a summary",
  tool_calls: "the model called a tool instead of writing a summary",
};

const MAX_SHORTENED = 4;
const CHARS_PER_TOKEN = 3;

/** This request is explained by the log like any other: the question is a context entry that holds for it alone. */
function ask(
  { record, model, signal }: Asked,
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

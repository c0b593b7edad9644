// Compaction: stale outcomes are blanked first, each replaced by a line that says how to see it again. If that is not enough, the
// model writes a summary that replaces everything but the latest messages. The log keeps every line; only the model's view changes.

import { formatCount, formatDollars } from "indusagi/core";
import type { Message, ModelResult, StopReason, Usage } from "indusagi/llmgateway";
import type { HookDispatch } from "../../feature/handler.ts";
import type { ConductorFault, EntryBody } from "../contract.ts";
import { type CostBudget, pricedReply } from "../cost.ts";
import type { ContextFold } from "../fold.ts";
import { counted } from "../log-reader.ts";
import type { ResolvedModel } from "../model-in-use.ts";
import type { SessionRecord } from "../record.ts";
import { buildSummary, mayCompact } from "../session-hooks.ts";
import { NO_USAGE } from "../usage.ts";
import { recentFrom, staleOutcomes, unanswered } from "./recent.ts";
import { shortenedView } from "./shortened-view.ts";

const INSTRUCTION = [
  "Write a summary of this session that lets you continue the work once everything above is gone, except perhaps its last messages.",
  "Use these headings: Goal, Decisions, Files read and changed, State of the work, Open problems, Next step.",
  "Keep exact paths, names, commands, error messages and numbers. Do not call a tool.",
].join("\n");

/** A summary with more characters per token of the window does not free enough room to be worth its price. */
const SUMMARY_CHARS_PER_TOKEN = 1.5;

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
   * Set when the provider said that the session no longer fits; `before` counts how often it did so already for the same reply. The
   * `whole` view is not sent again, and a digest of it is used when no summary can be had.
   */
  readonly overfull?: { readonly before: number; readonly whole: readonly Message[] } | undefined;
}

/**
 * Condenses a session whose prompt is logged and whose calls are closed. Returns a fault if it could not, or `not needed` if no summary
 * was: outcomes were blanked, or there is only the line to answer, of which the provider says whether it fits.
 */
export async function compactSession(
  facts: CompactionFacts,
): Promise<ConductorFault | "not needed" | undefined> {
  const { record, hooks, model, budget, reason, focus, signal } = facts;
  if (record.fold().messages.length === 0)
    return { kind: "config", message: "There is nothing to compact yet." };
  const veto = await mayCompact(hooks, reason, signal);
  if (veto) {
    record.append({ type: "veto", event: "compact:before", ...veto });
    return { kind: "vetoed", message: `The session was not compacted: ${veto.reason} (${veto.by.feature})` };
  }
  if (reason === "full" && blankStale(facts)) return "not needed";
  const { overfull } = facts;
  if (overfull && isShort(record.fold())) return { kind: "model", message: promptAlone(facts) };
  const kept = keptOf(facts);
  if (reason === "full" && kept.gone === 0 && !overfull) return "not needed";
  const line = lineChars(record.fold());
  if (overfull && (kept.gone === 0 || (overfull.before > 0 && line > record.fold().chars / 2)))
    return { kind: "model", message: textAlone(facts, line) };
  // After the second refusal for one reply a summary has already been tried: what is left is cut.
  const answer: Written =
    (overfull?.before ?? 0) > 0
      ? { ok: false, message: "a summary did not free enough room" }
      : await askForSummary(facts, focus === "" ? INSTRUCTION : `${INSTRUCTION}\nKeep above all: ${focus}`);
  const isTooLong = answer.ok && answer.text.length > model.card.contextWindow * SUMMARY_CHARS_PER_TOKEN;
  const written: Written = isTooLong
    ? { ok: false, message: "the summary would fill the window again" }
    : answer;
  if (!written.ok) {
    const message = `The session could not be compacted: ${written.message.replace(/\.?$/, ".")}`;
    return overfull && !signal.aborted
      ? digestSession(facts, overfull, kept, message)
      : { kind: "model", message };
  }
  const summary = await buildSummary(hooks, { reason, summary: written.text }, signal);
  const { usage } = written;
  const priced = pricedReply(model, usage, budget);
  commit(facts, kept, { origin: "host", usage, ...priced, ...summary });
  const cost = priced.cost === undefined ? "" : ` (${formatDollars(priced.cost)})`;
  record.emit({
    kind: "alert",
    text: `${compacted(kept, summary.text)}${cost}${also(kept)}. /compact undo restores them.`,
  });
  return undefined;
}

/** The part of the view that stays unchanged. */
interface Kept {
  /** Its first entry; absent if nothing stays. */
  readonly keeps?: number;
  readonly messages: number;
  readonly chars: number;
  /** Number of messages removed, and their characters. */
  readonly gone: number;
  readonly goneChars: number;
}

/** Messages that were kept once and did not fit are not kept a second time. */
function keptOf({ record, model, overfull }: CompactionFacts): Kept {
  const { places, messages, chars: all } = record.fold();
  const from =
    (overfull?.before ?? 0) > 0 ? places.length : recentFrom(record.fold(), model.card.contextWindow);
  const chars = places.slice(from).reduce((sum, place) => sum + place.chars, 0);
  const keeps = places[from]?.n;
  const counts = { messages: messages.length - from, chars, gone: from, goneChars: all - chars };
  return keeps === undefined ? counts : { ...counts, keeps };
}

function commit(
  { record }: CompactionFacts,
  { keeps }: Kept,
  summary: Omit<Extract<EntryBody, { type: "summary" }>, "type">,
): void {
  if (keeps !== undefined) record.needFormat(3);
  record.append({ type: "summary", ...summary, keeps });
}

const also = ({ messages }: Kept): string =>
  messages === 0 ? "" : `; the last ${counted(messages, "message")} stayed`;

const compacted = ({ gone, goneChars }: Kept, text: string): string =>
  `Compacted ${counted(gone, "message")}: ${tokens(goneChars)} → ${tokens(text.length)} tokens`;

const tokens = (chars: number): string => formatCount(Math.ceil(chars / CHARS_PER_TOKEN));

/** Blanking must free enough room that the next compaction is far off: each one invalidates the prompt cache. */
const BLANKED_TO_SHARE = 0.5;

/** Takes stale outcomes out of view if that alone is enough. */
function blankStale({ record, model, overfull }: CompactionFacts): boolean {
  const { contextWindow } = model.card;
  const fold = record.fold();
  const { outcomes, chars } = staleOutcomes(fold, contextWindow);
  // The server's refusal shows that our token count is wrong, so half of the view has to go.
  const left = overfull
    ? (fold.chars - chars) / fold.chars
    : fold.contextTokens / contextWindow - chars / CHARS_PER_TOKEN / contextWindow;
  if (outcomes.length === 0 || left > BLANKED_TO_SHARE) return false;
  record.needFormat(3);
  record.append({ type: "blank", outcomes });
  record.emit({
    kind: "alert",
    text:
      `Context was full: dropped ${counted(outcomes.length, "old tool result")} (~${tokens(chars)} tokens). ` +
      "The model can read each again; /compact undo restores them.",
  });
  return true;
}

// Characters of a digest for each token of the window at first; a quarter of that each time it does not fit.
const DIGEST_CHARS_PER_TOKEN = 1;
const DIGEST_SHRINKS = 4;

/**
 * If no model writes a summary, the view is replaced by its own text with the longest
 * parts cut: poorer than a summary, but made from the log alone and always available.
 */
async function digestSession(
  facts: CompactionFacts,
  { before, whole }: NonNullable<CompactionFacts["overfull"]>,
  kept: Kept,
  why: string,
): Promise<ConductorFault | undefined> {
  const { record, hooks, model, reason, signal } = facts;
  const known = Math.min(JSON.stringify(whole).length / 2, model.card.contextWindow * DIGEST_CHARS_PER_TOKEN);
  const old = before === 0 ? whole.slice(0, kept.gone) : whole;
  const cut = (times: number): string => shortenedView(old, known / DIGEST_SHRINKS ** times);
  const shortened = `The session so far, shortened:\n${cut(before)}`;
  const wasSent = before > 0 && cut(before) === cut(before - 1);
  if (wasSent || shortened.length >= kept.goneChars)
    return { kind: "model", message: `${why} ${promptAlone(facts)}` };
  const summary = await buildSummary(hooks, { reason, summary: shortened }, signal);
  commit(facts, kept, { origin: "digest", usage: NO_USAGE, ...summary });
  record.emit({
    kind: "alert",
    text: `${why} The model now works from a shortened copy of it. ${compacted(kept, summary.text)}${also(kept)}; the log keeps everything.`,
  });
  return undefined;
}

/** Fewer characters are not worth a copy. */
const LEAST_FREED_CHARS = 200;

/** Whether even the shortest copy of the view would free no room. */
function isShort({ messages, chars }: ContextFold): boolean {
  return chars - shortenedView(messages, 0).length < LEAST_FREED_CHARS;
}

/** Why a request with next to no messages does not fit. */
function promptAlone({ record, model }: CompactionFacts): string {
  const { promptTokens } = record.fold();
  const { contextWindow } = model.card;
  // The server has disproved a much larger one.
  const window = promptTokens > contextWindow / 2 ? ` of a window of ${contextWindow}` : "";
  return (
    `The prompt and the tools alone take about ${counted(promptTokens, "token")}${window}, and nothing is left to shorten: ` +
    "choose a model with a larger window, or fewer tools."
  );
}

/** The characters of the lines to answer. Notices after them are the host's: they are no reason to ask the person for less. */
function lineChars(fold: ContextFold): number {
  const open = fold.places.slice(unanswered(fold)).filter(({ isLine }) => isLine);
  return open.reduce((sum, { chars }) => sum + chars, 0);
}

/** Why a request does not fit in which the line to answer is nearly everything. A summary in its place would answer something else. */
function textAlone({ record, model }: CompactionFacts, chars: number): string {
  const { promptTokens } = record.fold();
  return (
    `Your text takes about ${tokens(chars)} tokens, and the prompt with the tools ${counted(promptTokens, "token")}: ${model.model} refused ` +
    `that; its window is assumed to be ${counted(model.card.contextWindow, "token")}. Send less, name a file that the model can read in ` +
    "parts, or choose a model with a larger window."
  );
}

/** What asking the model a question requires. */
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
  // If the whole view does not fit, a shortened text of it is summarised: only the server knows the real window.
  const known = Math.min(JSON.stringify(messages).length, model.card.contextWindow * CHARS_PER_TOKEN);
  let text = "";
  for (let budget = known / 2, left = MAX_SHORTENED; left > 0; budget /= 3, left--) {
    if (result && (result.ok || result.fault.kind !== "overflow")) break;
    const last = text;
    text = `The session so far, shortened:\n${shortenedView(messages, budget)}\n\n${question}`;
    if (text === last) break;
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

/** Only a complete text that the model meant as the summary may replace everything before it. */
const UNFINISHED: Readonly<Record<StopReason, string | undefined>> = {
  complete: undefined,
  max_output: "the summary was truncated at the model's output limit",
  refusal: "the model refused to write a summary",
  tool_calls: "the model called a tool instead of writing a summary",
};

const MAX_SHORTENED = 4;
const CHARS_PER_TOKEN = 3;

/** The log explains this request like any other: the question is a context entry that applies to this request only. */
function ask(
  { record, model, signal }: Asked,
  { from, remove, text }: { readonly from: number; readonly remove: number; readonly text: string },
): Promise<ModelResult> {
  const question: Message = { role: "user", content: [{ kind: "text", text }] };
  record.append({ type: "context", from, remove, insert: [question] });
  record.append({ type: "request", digest: record.fold().digest(), asksFor: "summary" });
  return model.provider.stream(record.fold().request(model.model), { signal, onDelta: ignore });
}

function ignore(): void {
  // a summary is shown once it is complete
}

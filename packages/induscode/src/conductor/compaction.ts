// Compaction: first the outcomes that the model has left behind give way, each to a line that says how to see it again; where that
// is not enough, the model writes a summary, which from then on stands for everything but what was said last. The log keeps every
// line; only the model's view is replaced.

import { formatDollars } from "indusagi/core";
import type { Message, ModelResult, StopReason, Usage } from "indusagi/llmgateway";
import type { HookDispatch } from "../feature/contract.ts";
import type { ConductorFault, EntryBody } from "./contract.ts";
import { type CostBudget, pricedReply } from "./cost.ts";
import { counted } from "./log-reader.ts";
import type { ResolvedModel } from "./model-in-use.ts";
import { recentFrom, staleOutcomes } from "./recent.ts";
import type { SessionRecord } from "./record.ts";
import { buildSummary, mayCompact } from "./session-hooks.ts";
import { shortenedView } from "./shortened-view.ts";
import { NO_USAGE } from "./usage.ts";

const INSTRUCTION = [
  "Write a summary of this session that lets you go on with the work after everything above is gone, but for its last messages at most.",
  "Use these headings: Goal, Decisions, Files read and changed, State of the work, Open problems, Next step.",
  "Keep exact paths, names, commands, error messages and numbers. Do not call a tool.",
].join("\n");

/** A summary that takes more of the window, in characters for each of its tokens, makes no room worth its price. */
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
   * The provider said that the session no longer fits, and how often it did `before` for the same reply: the `whole` of it is not
   * sent once more, and a digest of it takes over where no summary is to be had.
   */
  readonly overfull?: { readonly before: number; readonly whole: readonly Message[] };
}

/**
 * Condenses a session whose prompt is logged and whose calls are closed. Says what kept it from that, or that outcomes gave way
 * and no summary was needed yet.
 */
export async function compactSession(
  facts: CompactionFacts,
): Promise<ConductorFault | "blanked" | undefined> {
  const { record, hooks, model, budget, reason, focus, signal } = facts;
  if (record.fold().messages.length === 0)
    return { kind: "config", message: "There is nothing to compact yet." };
  const veto = await mayCompact(hooks, reason, signal);
  if (veto) {
    record.append({ type: "veto", event: "compact:before", ...veto });
    return { kind: "vetoed", message: `The session was not compacted: ${veto.reason} (${veto.by.feature})` };
  }
  if (reason === "full" && blankStale(facts)) return "blanked";
  // After the second refusal for one reply a summary was already made: what is left is cut.
  const { overfull } = facts;
  const kept = keptOf(facts);
  const answer: Written =
    (overfull?.before ?? 0) > 0
      ? { ok: false, message: "a summary did not make room enough" }
      : await askForSummary(facts, focus === "" ? INSTRUCTION : `${INSTRUCTION}\nKeep above all: ${focus}`);
  const isTooLong = answer.ok && answer.text.length > model.card.contextWindow * SUMMARY_CHARS_PER_TOKEN;
  const written: Written = isTooLong
    ? { ok: false, message: "the summary would fill the window again" }
    : answer;
  if (!written.ok) {
    const message = `The session could not be compacted: ${written.message}`;
    return overfull && !signal.aborted
      ? digestSession(facts, overfull, kept, message)
      : { kind: "model", message };
  }
  const summary = await buildSummary(hooks, { reason, summary: written.text }, signal);
  const { usage } = written;
  const priced = pricedReply(model, usage, budget);
  commit(facts, kept, { origin: "host", usage, ...priced, ...summary });
  const cost = priced.cost === undefined ? "" : `, for ${formatDollars(priced.cost)}`;
  record.emit({
    kind: "alert",
    text: `The session was compacted: the model now works from a summary${also(kept)}. ${gaveWay(kept, summary.text)}${cost}. /compact undo takes it back.`,
  });
  return undefined;
}

/** What of the view stays as it is. */
interface Kept {
  /** Its first entry; absent where nothing stays. */
  readonly keeps?: number;
  readonly messages: number;
  readonly chars: number;
  /** How many messages give way, and how many characters. */
  readonly gone: number;
  readonly goneChars: number;
}

/** What was kept once and did not fit is not kept a second time. */
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
  record.append({ type: "summary", ...summary, ...(keeps === undefined ? {} : { keeps }) });
}

const also = ({ messages }: Kept): string =>
  messages === 0 ? "" : ` and from the last ${counted(messages, "message")}`;

const gaveWay = ({ gone, goneChars }: Kept, text: string): string =>
  `${counted(gone, "message")} of about ${tokens(goneChars)} gave way to ${tokens(text.length)}`;

const tokens = (chars: number): string => counted(Math.ceil(chars / CHARS_PER_TOKEN), "token");

/** Outcomes must make so much room that the next compaction is far: the prompt's cache begins anew each time. */
const BLANKED_TO_SHARE = 0.5;

/** Takes stale outcomes out of view where that alone is enough. */
function blankStale({ record, model, overfull }: CompactionFacts): boolean {
  const { contextWindow } = model.card;
  const fold = record.fold();
  const { outcomes, chars } = staleOutcomes(fold, contextWindow);
  // The server's refusal says that the count is wrong: then the half of what is there has to go.
  const left = overfull
    ? (fold.chars - chars) / fold.chars
    : fold.contextTokens / contextWindow - chars / CHARS_PER_TOKEN / contextWindow;
  if (outcomes.length === 0 || left > BLANKED_TO_SHARE) return false;
  record.needFormat(3);
  record.append({ type: "blank", outcomes });
  record.emit({
    kind: "alert",
    text:
      `Room was made: ${counted(outcomes.length, "earlier outcome")} of about ${tokens(chars)} gave way. The log keeps ` +
      "them, and the model can read each again. /compact undo takes it back.",
  });
  return true;
}

// Characters of a digest for each token of the window, the first time; a fourth of that each time it does not fit.
const DIGEST_CHARS_PER_TOKEN = 1;
const DIGEST_SHRINKS = 4;

/**
 * Where no model writes a summary, the view becomes its own text with the longest parts cut: poorer than a summary, made of
 * nothing but the log, and always to be had.
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
  const shortened = `The session so far, shortened:\n${shortenedView(old, known / DIGEST_SHRINKS ** before)}`;
  if (shortened.length >= kept.goneChars) return { kind: "model", message: why }; // nothing is left to cut
  const summary = await buildSummary(hooks, { reason, summary: shortened }, signal);
  commit(facts, kept, { origin: "digest", usage: NO_USAGE, ...summary });
  record.emit({
    kind: "alert",
    text: `${why} The model now works from a shortened copy of it${also(kept)}; ${gaveWay(kept, summary.text)}, and the log keeps everything.`,
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

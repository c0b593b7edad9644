// One submit's side of the loop: what each model call sends, and what is logged for every answer, outcome and steering line.

import type { Message, ModelFault, ModelReply, ToolDescriptor } from "indusagi/llmgateway";
import type { LoopPort, PreparedCall, ToolCall, ToolOutcome } from "indusagi/runtime";
import type { BoundaryOutcome, Deck } from "../deck/contract.ts";
import type { HookDispatch } from "../feature/handler.ts";
import { toolDetails, toolTitle } from "./call-facts.ts";
import type { CompactionFacts } from "./compaction.ts";
import type { ConductorFault, UserContent } from "./contract.ts";
import { budgetProblem, type CostBudget, pricedReply } from "./cost.ts";
import { maskedContent, maskedMessage, type NO_MASK } from "./masked.ts";
import type { ModelInUse, ResolvedModel } from "./model-in-use.ts";
import type { NoticeQueue } from "./notices.ts";
import type { SessionRecord } from "./record.ts";
import { buildContext, buildParams, receiveMessage, submitInput } from "./session-hooks.ts";
import { toolChangesOf } from "./tool-changes.ts";
import { NO_USAGE } from "./usage.ts";

export interface TurnDeps {
  readonly record: SessionRecord;
  readonly mask: typeof NO_MASK;
  readonly hooks: HookDispatch;
  readonly deck: Deck;
  readonly models: ModelInUse;
  readonly notices: NoticeQueue;
  readonly budget?: CostBudget | undefined;
  /** Queued lines that have yet to join. */
  readonly steering: QueuedLine[];
  /** The system prompt; the same for the whole session, so that the prefix stays the same. */
  readonly system: () => SystemPrompt;
  /** What the model reads about the tools. */
  readonly tools: () => readonly ToolDescriptor[];
}

/** A system prompt and the time it was written for. */
export interface SystemPrompt {
  readonly text: string;
  readonly clock: number;
}

/** The deck's descriptors, masked once for each set of tools. */
export function createMaskedTools(deck: Deck, mask: typeof NO_MASK): TurnDeps["tools"] {
  let last: { readonly from: Deck["descriptors"]; readonly tools: readonly ToolDescriptor[] } | undefined;
  return () => {
    if (last?.from !== deck.descriptors)
      last = { from: deck.descriptors, tools: mask.value(deck.descriptors) };
    return last.tools;
  };
}

/** Provider faults that another provider may not have; a faulty request would fail there too. */
const STANDS_IN: ReadonlySet<ModelFault["kind"]> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "transport",
  "timeout",
  "unreachable",
]);

/** The loop's port, plus logging for an interrupted answer. */
export interface TurnPort extends LoopPort {
  /** Logs the shown part of an answer that never ended: the person may refer to it, so the model must have it. */
  readonly commitInterrupted: () => void;
}

/** The share of the window at which a session compacts itself. */
const COMPACT_AT_SHARE = 0.8;

/** The share of the window that must be estimated before the provider is asked for its count. */
const DOUBTFUL_SHARE = 0.02;

/** Loaded on demand: most sessions never compact. */
export async function compactSession(
  facts: CompactionFacts,
): Promise<ConductorFault | "not needed" | undefined> {
  return (await import("./compaction.ts")).compactSession(facts);
}

/**
 * How often in a row a session may fill up again within a few answers of its last summary. A model that starts over after each
 * summary would otherwise run, and be paid for, until its calls are used up.
 */
const MAX_REFILLS = 6;
const REFILL_ANSWERS = 3;

const BROUGHT_BACK_BYTES_PER_TOKEN = 0.4;
const MAX_LEFT_OUT_CHARS = 600;

const THRASHING =
  `The session was summarised ${MAX_REFILLS} times in a row and was full again within ${REFILL_ANSWERS} answers each time: what the ` +
  "model requests does not fit its window. Ask for a smaller part of the work, or choose a model with a larger window (/model).";

function leftOut(names: readonly string[]): string {
  const text = names.join(", ");
  const shown = text.length > MAX_LEFT_OUT_CHARS ? `${text.slice(0, MAX_LEFT_OUT_CHARS)} …` : text;
  return `These are no longer shown, to save room; read the ones that you need: ${shown}`;
}

/** The share of the window that must fill before a failed summary is tried again. */
const POSTPONED_SHARE = 0.05;

/** The port of one submit, bound to its signal. */
export function createTurnPort(deps: TurnDeps, signal: AbortSignal): TurnPort {
  const { record, mask, hooks, deck, models, budget } = deps;
  /** The model being asked: the person may choose another meanwhile. */
  let asked: ResolvedModel | undefined;
  /** How often room was made for the current reply, and what was in view before the first time. */
  let roomMade = 0;
  let whole: readonly Message[] = [];
  /** Summaries in a row that did not last, and the answers since the last of them. */
  let refills = 0;
  let answers = Number.POSITIVE_INFINITY;
  /** Below this many tokens no summary is asked for, because the last one failed. */
  let postponedTo = 0;
  /** The text of the current answer so far. */
  let coming = "";
  /** Whether features may still change it: asked once per answer, because it arrives in many pieces. */
  let isChanged: boolean | undefined;
  const commitSteering = (): Promise<boolean> => joinSteering(deps, signal);
  const onRemark = (text: string): void => record.emit({ kind: "alert", text });
  const port = { prepareCall, recover, commitReply, commitOutcome, commitSteering, onToolStart, onDelta };
  return { ...port, onRemark, commitInterrupted };

  async function prepareCall(): Promise<PreparedCall> {
    const found = await models.resolved();
    if (!found.ok) return { ok: false, fault: { kind: "not_found", message: found.fault.message } };
    const { model } = found;
    asked = model;
    const problem = budgetProblem(model, budget);
    if (problem !== undefined) return { ok: false, fault: { kind: "spent", message: problem } };
    const { contextWindow } = model.card;
    logNotices(contextWindow);
    if (await isFull(model)) {
      if (isThrashing()) return { ok: false, fault: { kind: "request", message: THRASHING } };
      await ensurePrompt(deps, signal);
      const fault = await compactSession({ record, hooks, model, budget, reason: "full", focus: "", signal });
      if (typeof fault === "object") postpone(fault, contextWindow);
      else if (fault === undefined) countRefill();
      logNotices(contextWindow); // restores what the summary took out of view
    }
    await ensurePrompt(deps, signal);
    const context = await buildContext(hooks, record.fold().messages, signal);
    if (context) record.append({ type: "context", ...context });
    record.append({ type: "request", digest: record.fold().digest() });
    coming = "";
    isChanged = undefined;
    setImmediate(() => void deck.warmUp()); // by then the request is on its way
    return { ok: true, provider: model.provider, request: record.fold().request(model.model) };
  }

  /** The provider is asked to count only where it matters: near the limit, with much that is only estimated. */
  async function isFull({ provider, model, card: { contextWindow } }: ResolvedModel): Promise<boolean> {
    const fold = record.fold();
    const { contextTokens, estimatedTokens } = fold;
    const limit = Math.max(contextWindow * COMPACT_AT_SHARE, postponedTo);
    const known = contextTokens - estimatedTokens;
    const isDoubtful =
      estimatedTokens > contextWindow * DOUBTFUL_SHARE &&
      known + estimatedTokens / 2 <= limit &&
      known + estimatedTokens * 3 > limit;
    const counted =
      isDoubtful && fold.prompt ? await provider.countTokens?.(fold.request(model), signal) : undefined;
    return (counted ?? contextTokens) > limit;
  }

  async function recover(fault: ModelFault): Promise<ModelFault | undefined> {
    if (fault.kind === "overflow") {
      if (roomMade === 0 && isThrashing()) return { ...fault, message: `${fault.message} ${THRASHING}` };
      if (roomMade === 0) whole = record.fold().messages;
      return makeRoom(fault);
    }
    if (!STANDS_IN.has(fault.kind)) return fault;
    const before = models.name();
    const next = await models.fallBack();
    if (next === undefined) return fault;
    record.emit({
      kind: "alert",
      text: `${before}: ${fault.message} ${next} takes over until this task is done.`,
    });
    return undefined;
  }

  // The provider decides what fits: our estimate may be wrong, and so may the model's card.
  async function makeRoom(fault: ModelFault): Promise<ModelFault | undefined> {
    const found = await models.resolved();
    if (!found.ok) return fault;
    const { model } = found;
    const facts = { record, hooks, model, budget, reason: "full", focus: "", signal } as const;
    const problem = await compactSession({ ...facts, overfull: { before: roomMade, whole } });
    if (problem === "not needed") return undefined; // does not count as a try: a summary is still possible
    if (problem === undefined) countRefill();
    roomMade++;
    return problem && { ...fault, message: `${fault.message} ${problem.message}` };
  }

  function isThrashing(): boolean {
    return refills >= MAX_REFILLS && answers > 0 && answers <= REFILL_ANSWERS;
  }

  function countRefill(): void {
    if (answers === 0) return; // another try for a reply that still does not fit
    refills = answers <= REFILL_ANSWERS ? refills + 1 : 1;
    answers = 0;
  }

  // There is still room: the provider will say when there is none.
  function postpone(fault: ConductorFault, contextWindow: number): void {
    postponedTo = record.fold().contextTokens + contextWindow * POSTPONED_SHARE;
    if (fault.kind === "vetoed" || signal.aborted) return;
    record.append({ type: "context", from: 0, remove: 0, insert: [] }); // the summary's question was for that request only
    record.emit({ kind: "alert", text: `${fault.message} It continues with the room that is left.` });
  }

  function commitInterrupted(): void {
    const text = coming;
    coming = "";
    if (text.trim() === "") return;
    const message = { role: "assistant", content: [{ kind: "text", text }] } as const;
    record.append({ type: "assistant", message, stop: "interrupted", usage: NO_USAGE });
  }

  /** What a compaction restores must leave room for the work; after a second one for the same reply it is only named. */
  function logNotices(contextWindow: number): void {
    let room = roomMade > 1 ? 0 : contextWindow * BROUGHT_BACK_BYTES_PER_TOKEN;
    const left: string[] = [];
    for (const { isAgain, ...notice } of deps.notices.take()) {
      const bytes = isAgain ? Buffer.byteLength(notice.text) : 0;
      if (bytes <= room) record.append({ type: "notice", ...notice });
      else left.push(...(notice.documents?.map(({ path }) => path) ?? [notice.origin]));
      if (bytes <= room) room -= bytes;
    }
    if (left.length > 0) record.append({ type: "notice", origin: "host", text: leftOut(left) });
  }

  async function commitReply({ message, stop, usage, limits }: ModelReply): Promise<ModelReply["message"]> {
    const received = await receiveMessage(hooks, maskedMessage(mask, message), signal);
    const priced = pricedReply(asked, usage, budget);
    roomMade = 0;
    answers++;
    whole = [];
    coming = "";
    const stated = limits === undefined ? {} : { limits };
    return record.append({ type: "assistant", stop, usage, ...stated, ...priced, ...received }).message;
  }

  function onToolStart({ id, name, input }: ToolCall): void {
    record.emit({ kind: "tool_start", callId: id, name, title: toolTitle(input), input });
  }

  // Text that a feature may still transform is not streamed; the final message arrives as its log entry.
  function onDelta(delta: Parameters<LoopPort["onDelta"]>[0]): void {
    isChanged ??= hooks.has("chat:message", "transform");
    if (delta.kind === "retry") coming = "";
    else if (delta.kind === "text" && !isChanged) coming += delta.text;
    const isShown = record.hearsPieces() && (delta.kind === "connected" || !isChanged);
    if (delta.kind === "retry" || isShown) record.emit({ kind: "delta", delta });
  }

  function commitOutcome(call: ToolCall, outcome: ToolOutcome, durationMs: number): void {
    const { output, status, cost, images, diff } = outcome;
    const { finalInput, changes, files } = outcome as Partial<BoundaryOutcome>; // the loop's own outcomes have none
    const state = outcome.state ?? (outcome.isError ? "failed" : "ok");
    const text = outcome.text ?? (typeof output === "string" ? output : JSON.stringify(output));
    const ended = { callId: call.id, name: call.name, state, durationMs: Math.round(durationMs * 10) / 10 };
    const feature = deck.ownerOf(call.name);
    const entry = record.append({
      type: "tool",
      ...ended,
      feature,
      text,
      output: typeof output === "string" ? undefined : output,
      input: finalInput,
      changes,
      files,
      images,
      status,
      diff,
      cost,
    });
    const details = toolDetails(entry.output);
    record.emit({
      kind: "tool_end",
      ...ended,
      title: toolTitle(entry.input ?? call.input),
      input: entry.input,
      status: entry.status,
      details,
      diff: entry.diff,
    });
  }
}

/** A queued line and the number of its log entry; no number before a session's first line. */
export interface QueuedLine {
  readonly content: UserContent;
  readonly n?: number | undefined;
}

/** Logs the queued lines in the order they were typed; true if at least one joined. */
export async function joinSteering(
  { record, mask, hooks, steering }: TurnDeps,
  signal: AbortSignal,
): Promise<boolean> {
  let joined = false;
  for (let line = steering.shift(); line; line = steering.shift()) {
    const { content, n } = line;
    const input = await submitInput(hooks, maskedContent(mask, content), signal);
    const queued = n === undefined ? {} : { queued: n };
    if ("veto" in input) {
      record.append({ type: "veto", event: "input:submit", ...input.veto, ...queued });
      const { reason, by } = input.veto;
      record.emit({ kind: "alert", text: `The line was stopped: ${reason} (${by.feature})` });
    } else {
      record.append({ type: "user", via: "steer", ...input, ...queued });
      joined = true;
    }
  }
  return joined;
}

/** Logs the prompt if it differs from the one in force, before anything is sent under it. */
export async function ensurePrompt(
  { record, hooks, deck, models, system, tools }: TurnDeps,
  signal: AbortSignal,
): Promise<void> {
  const { text, clock } = system();
  const wanted = { model: models.name(), system: text, tools: tools() };
  const { params, ...changes } = await buildParams(
    hooks,
    { name: wanted.model, params: models.params() },
    signal,
  );
  const { prompt } = record.fold();
  const isSame =
    prompt?.model === wanted.model &&
    prompt.system === wanted.system &&
    isSameJson(prompt.tools, wanted.tools) &&
    isSameJson(prompt.params, params);
  if (isSame) return;
  const toolChanges = prompt ? toolChangesOf(prompt.tools, wanted.tools, deck.ownerOf) : [];
  const changed = toolChanges.length === 0 ? {} : { toolChanges };
  record.append({ type: "prompt", ...wanted, params, clock, ...changed, ...changes });
}

// A value read back from a log is never the original object; each pair is compared once, not at every call.
const knownSame = new WeakMap<object, object>();

function isSameJson(logged: object, wanted: object): boolean {
  if (logged === wanted || knownSame.get(logged) === wanted) return true;
  const same = JSON.stringify(logged) === JSON.stringify(wanted);
  if (same) knownSame.set(logged, wanted);
  return same;
}

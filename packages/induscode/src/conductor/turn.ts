// One submit's side of the loop: what each model call sends, and what every answer, outcome and steering line becomes in
// the log.

import type { ModelFault, ModelReply, ToolDescriptor } from "indusagi/llmgateway";
import type { LoopPort, PreparedCall, ToolCall, ToolOutcome } from "indusagi/runtime";
import type { BoundaryOutcome, Deck } from "../deck/contract.ts";
import type { HookDispatch } from "../feature/contract.ts";
import { toolDetails, toolTitle } from "./call-facts.ts";
import { COMPACT_AT_SHARE, compactSession } from "./compaction.ts";
import type { UserContent } from "./contract.ts";
import { budgetProblem, type CostBudget, pricedReply } from "./cost.ts";
import { maskedContent, maskedMessage, type NO_MASK } from "./masked.ts";
import type { ModelInUse, ResolvedModel } from "./model-in-use.ts";
import type { NoticeQueue } from "./notices.ts";
import type { SessionRecord } from "./record.ts";
import { buildContext, buildParams, receiveMessage, submitInput } from "./session-hooks.ts";
import { toolChangesOf } from "./tool-changes.ts";

export interface TurnDeps {
  readonly record: SessionRecord;
  readonly mask: typeof NO_MASK;
  readonly hooks: HookDispatch;
  readonly deck: Deck;
  readonly models: ModelInUse;
  readonly notices: NoticeQueue;
  readonly budget?: CostBudget;
  /** Lines that wait to join. */
  readonly steering: UserContent[];
  /** The system prompt; the same for the whole session, so that the prefix stays the same. */
  readonly system: () => SystemPrompt;
  /** What the model is told of the tools. */
  readonly tools: () => readonly ToolDescriptor[];
}

/** A system prompt, and the moment that it was written for. */
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

/** Faults of a provider that another may not have; what was wrong with the request would be wrong there too. */
const STANDS_IN: ReadonlySet<ModelFault["kind"]> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "transport",
  "timeout",
  "unreachable",
]);

/** The port of one submit, under its signal. */
export function createTurnPort(deps: TurnDeps, signal: AbortSignal): LoopPort {
  const { record, mask, hooks, deck, models, budget } = deps;
  /** Who is asked: the person may choose another meanwhile. */
  let asked: ResolvedModel | undefined;
  /** Once for each reply: what does not fit then never will. */
  let isRoomMade = false;
  const commitSteering = (): Promise<boolean> => joinSteering(deps, signal);
  const onRemark = (text: string): void => record.emit({ kind: "alert", text });
  return { prepareCall, recover, commitReply, commitOutcome, commitSteering, onToolStart, onDelta, onRemark };

  async function prepareCall(): Promise<PreparedCall> {
    const found = await models.resolved();
    if (!found.ok) return { ok: false, fault: { kind: "not_found", message: found.fault.message } };
    const { model } = found;
    asked = model;
    const problem = budgetProblem(model, budget);
    if (problem !== undefined) return { ok: false, fault: { kind: "request", message: problem } };
    logNotices();
    if (record.fold().contextTokens > model.card.contextWindow * COMPACT_AT_SHARE) {
      await ensurePrompt(deps, signal);
      const fault = await compactSession({ record, hooks, model, budget, reason: "full", focus: "", signal });
      if (fault && fault.kind !== "vetoed")
        return { ok: false, fault: { kind: "request", message: fault.message } };
      logNotices(); // what the summary took out of view and belongs there
    }
    await ensurePrompt(deps, signal);
    const context = await buildContext(hooks, record.fold().messages, signal);
    if (context) record.append({ type: "context", ...context });
    record.append({ type: "request", digest: record.fold().digest() });
    setImmediate(() => void deck.warmUp()); // the request is on its way by then
    return { ok: true, provider: model.provider, request: record.fold().request(model.model) };
  }

  async function recover(fault: ModelFault): Promise<ModelFault | undefined> {
    if (fault.kind === "overflow") {
      if (isRoomMade) return fault;
      isRoomMade = true;
      return makeRoom(fault);
    }
    if (!STANDS_IN.has(fault.kind)) return fault;
    const before = models.name();
    const next = await models.fallBack();
    if (next === undefined) return fault;
    record.emit({
      kind: "alert",
      text: `${before}: ${fault.message} ${next} stands in until this task is done.`,
    });
    return undefined;
  }

  // The provider is the judge of what fits: the estimate may be wrong, and so may what is known of the model.
  async function makeRoom(fault: ModelFault): Promise<ModelFault | undefined> {
    const found = await models.resolved();
    if (!found.ok) return fault;
    const { model } = found;
    const facts = {
      record,
      hooks,
      model,
      budget,
      reason: "full",
      focus: "",
      signal,
      isOverfull: true,
    } as const;
    const problem = await compactSession(facts);
    return problem && { ...fault, message: `${fault.message} ${problem.message}` };
  }

  function logNotices(): void {
    for (const notice of deps.notices.take()) record.append({ type: "notice", ...notice });
  }

  async function commitReply({ message, stop, usage }: ModelReply): Promise<ModelReply["message"]> {
    const received = await receiveMessage(hooks, maskedMessage(mask, message), signal);
    const priced = pricedReply(asked, usage, budget);
    isRoomMade = false;
    return record.append({ type: "assistant", stop, usage, ...priced, ...received }).message;
  }

  function onToolStart({ id, name, input }: ToolCall): void {
    record.emit({ kind: "tool_start", callId: id, name, title: toolTitle(input), input });
  }

  // What a feature may still change is not shown before it has: the message then comes whole, as its entry.
  function onDelta(delta: Parameters<LoopPort["onDelta"]>[0]): void {
    const isShown =
      delta.kind === "retry" || (record.hearsPieces() && !hooks.has("chat:message", "transform"));
    if (isShown) record.emit({ kind: "delta", delta });
  }

  function commitOutcome(call: ToolCall, outcome: ToolOutcome, durationMs: number): void {
    const { output, status, cost, images } = outcome;
    const { finalInput, changes, files } = outcome as Partial<BoundaryOutcome>; // the loop's own outcomes have none
    const state = outcome.state ?? (outcome.isError ? "failed" : "ok");
    const text = outcome.text ?? (typeof output === "string" ? output : JSON.stringify(output));
    const ended = { callId: call.id, name: call.name, state, durationMs: Math.round(durationMs * 10) / 10 };
    const entry = record.append({
      type: "tool",
      ...ended,
      text,
      ...(typeof output === "string" ? {} : { output }),
      ...(finalInput === undefined ? {} : { input: finalInput }),
      ...(changes === undefined ? {} : { changes }),
      ...(files === undefined ? {} : { files }),
      ...(images === undefined ? {} : { images }),
      ...(status === undefined ? {} : { status }),
      ...(cost === undefined ? {} : { cost }),
    });
    const details = toolDetails(entry.output);
    record.emit({
      kind: "tool_end",
      ...ended,
      title: toolTitle(entry.input ?? call.input),
      ...(entry.input === undefined ? {} : { input: entry.input }),
      ...(entry.status === undefined ? {} : { status: entry.status }),
      ...(details === undefined ? {} : { details }),
    });
  }
}

/** Logs the lines that wait, in the order in which they were typed; true when at least one joined. */
export async function joinSteering(
  { record, mask, hooks, steering }: TurnDeps,
  signal: AbortSignal,
): Promise<boolean> {
  let joined = false;
  for (const line of steering.splice(0)) {
    const input = await submitInput(hooks, maskedContent(mask, line), signal);
    if ("veto" in input) record.append({ type: "veto", event: "input:submit", ...input.veto });
    else {
      record.append({ type: "user", via: "steer", ...input });
      joined = true;
    }
  }
  return joined;
}

/** Logs the prompt when it differs from the one in force, before anything is sent under it. */
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

// What a log gave back is never the object that it was made from; each pair is compared once, not at every call.
const knownSame = new WeakMap<object, object>();

function isSameJson(logged: object, wanted: object): boolean {
  if (logged === wanted || knownSame.get(logged) === wanted) return true;
  const same = JSON.stringify(logged) === JSON.stringify(wanted);
  if (same) knownSame.set(logged, wanted);
  return same;
}

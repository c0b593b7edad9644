// A turn's side of the loop: what each model call sends, and what is logged for every answer, outcome and queued line.

import type { ModelFault } from "indusagi/llmgateway";
import type { LoopPort } from "indusagi/runtime";
import { toolTitle } from "../call-facts.ts";
import type { TurnDeps } from "../conductor-deps.ts";
import { budgetProblem, pricedReply } from "../cost.ts";
import { maskedMessage } from "../masked.ts";
import type { ModelInUse, ResolvedModel } from "../model-in-use.ts";
import type { SessionRecord } from "../record.ts";
import { buildContext, receiveMessage } from "../session-hooks.ts";
import { createContextRoom } from "./context-room.ts";
import { logOutcome, stateOf } from "./outcome-entry.ts";
import { createPartialAnswer } from "./partial-answer.ts";
import { ensurePrompt } from "./prompt.ts";
import { joinQueued } from "./queued-lines.ts";

/** The loop's port, plus logging for an interrupted answer. */
export interface TurnPort extends LoopPort {
  readonly logInterrupted: () => void;
}

/** The port of one turn, bound to its signal. */
export function createTurnPort(deps: TurnDeps, signal: AbortSignal): TurnPort {
  const { record, mask, hooks, deck, models, budget } = deps;
  const room = createContextRoom(deps, signal);
  const answer = createPartialAnswer(record, hooks);
  /** The model being asked: the person may choose another meanwhile. */
  let asked: ResolvedModel | undefined;
  return {
    async prepareCall() {
      const found = await models.resolved();
      if (!found.ok) return { ok: false, fault: { kind: "not_found", message: found.fault.message } };
      const { model } = found;
      asked = model;
      deck.beginRequest();
      const problem = budgetProblem(model, budget);
      if (problem !== undefined) return { ok: false, fault: { kind: "spent", message: problem } };
      const fault = await room.prepare(model);
      if (fault) return { ok: false, fault };
      await ensurePrompt(deps, signal);
      const context = await buildContext(hooks, record.fold().messages, signal);
      if (context) record.append({ type: "context", ...context });
      record.append({ type: "request", digest: record.fold().digest() });
      answer.begin();
      setImmediate(() => void deck.warmUp()); // by then the request is on its way
      return { ok: true, provider: model.provider, request: record.fold().request(model.model) };
    },
    recover: async (fault) =>
      fault.kind === "overflow" ? room.overflowed(fault) : fallBack(record, models, fault),
    async commitReply({ message, stop, usage, limits }) {
      const received = await receiveMessage(hooks, maskedMessage(mask, message), signal);
      const priced = pricedReply(asked, usage, budget);
      room.answered();
      answer.end();
      const stated = limits === undefined ? {} : { limits };
      return record.append({ type: "assistant", stop, usage, ...stated, ...priced, ...received }).message;
    },
    onDelta: answer.add,
    onRemark: (text) => record.emit({ kind: "alert", text }),
    onToolStart(call) {
      const { id, name, input } = deck.meant(call);
      record.emit({
        kind: "tool_start",
        callId: id,
        name,
        title: toolTitle(input, record.folder()),
        input,
      });
    },
    onOutcomeHeld: ({ id }, outcome, durationMs) =>
      record.emit({ kind: "tool_done", callId: id, state: stateOf(outcome), durationMs }),
    commitOutcome(call, outcome, durationMs) {
      const meant = deck.meant(call);
      return logOutcome(record, meant, outcome, { durationMs, feature: deck.ownerOf(meant.name) });
    },
    commitSteering: () => joinQueued(deps, signal),
    logInterrupted: answer.logInterrupted,
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

/** Another model takes over, where that may help and there is one. Returns the fault to end with otherwise. */
async function fallBack(
  record: Pick<SessionRecord, "emit">,
  models: ModelInUse,
  fault: ModelFault,
): Promise<ModelFault | undefined> {
  if (!STANDS_IN.has(fault.kind)) return fault;
  const before = models.name();
  const next = await models.fallBack();
  if (next === undefined) return fault;
  const text = `${before}: ${fault.message} ${next} takes over until this task is done.`;
  record.emit({ kind: "alert", text });
  return undefined;
}

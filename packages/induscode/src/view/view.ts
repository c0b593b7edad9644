// A session's events, folded into what there is to show. Pure: no stream, no clock, no terminal.

import type { JsonValue } from "indusagi/core";
import type { ConductorEvent, DelegateEvent, Entry } from "../conductor/contract.ts";
import type {
  AnswerView,
  BackgroundView,
  CallView,
  DelegateView,
  SettledView,
  SubmitTotals,
  ViewState,
} from "./contract.ts";

type EventOf<Kind extends ConductorEvent["kind"]> = Extract<ConductorEvent, { readonly kind: Kind }>;
type Reply = Extract<Entry, { readonly type: "assistant" }>;

/** The view before the first event. */
export const EMPTY_VIEW: ViewState = {
  calls: [],
  delegates: [],
  background: [],
  grown: "",
  settled: [],
  totals: {
    turns: 0,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    dollars: 0,
    unpriced: 0,
  },
};

/** The view between submits: only background delegates are left. */
export function viewBetween({ background }: ViewState): ViewState {
  return { ...EMPTY_VIEW, background };
}

/** The view after `event`. Events of unknown calls and delegates are accepted; a delegate is shown from its start to its end. */
export function viewAfter(state: ViewState, event: ConductorEvent): ViewState {
  const next = { ...state, grown: "", settled: [] };
  switch (event.kind) {
    case "delta":
      return afterDelta(next, event.delta);
    case "entry":
      return afterEntry(next, event.entry);
    case "tool_start":
      return { ...next, calls: [...next.calls, begun(event)] };
    case "tool_end": {
      const { calls, call } = ended(next.calls, event);
      return { ...next, calls, settled: [call] };
    }
    case "tool_progress":
      return { ...next, calls: next.calls.map((call) => progressed(call, event)) };
    case "tool_done":
      return { ...next, calls: next.calls.map((call) => done(call, event)) };
    case "delegate":
      return afterDelegate(next, event);
    case "alert":
    case "diagnostic":
      return { ...next, settled: [event] };
    case "fault":
      return { ...next, settled: [event], fault: event.fault };
  }
}

function afterDelta(state: ViewState, delta: EventOf<"delta">["delta"]): ViewState {
  const { answer = NO_ANSWER, waits: _, ...rest } = state;
  switch (delta.kind) {
    case "connected":
      return { ...state, waits: { kind: "model" } };
    case "text":
      return { ...rest, answer: { ...answer, text: answer.text + delta.text }, grown: delta.text };
    case "thinking":
      return { ...rest, answer: { ...answer, thinking: answer.thinking + delta.text } };
    case "retry":
      return {
        ...rest,
        waits: { kind: "retry", retry: delta },
        settled: [{ kind: "retry", retry: delta, isVoiding: answer.text !== "" }],
      };
    case "tool_call":
      return { ...state, waits: { kind: "writing", tool: delta.name } };
  }
}

const NO_ANSWER: AnswerView = { kind: "answer", text: "", thinking: "" };

function afterEntry(state: ViewState, entry: Entry): ViewState {
  if (entry.type === "summary" || entry.type === "end") {
    const { waits: _, ...rest } = state;
    return rest;
  }
  if (entry.type === "request")
    return { ...state, waits: { kind: entry.asksFor === "summary" ? "summary" : "connecting" } };
  if (entry.type === "tool") return withOutput(state, entry);
  if (entry.type === "delegate") return afterBackground(state, entry);
  if (entry.type !== "assistant") return state;
  const { answer = NO_ANSWER, waits: _, ...rest } = state;
  const totals = entry.stop === "interrupted" ? state.totals : sum(state.totals, entry);
  // A provider that does not stream has shown nothing yet.
  const whole = answer.text === "" ? { ...answer, text: textOf(entry) } : answer;
  return { ...rest, grown: answer.text === "" ? whole.text : "", settled: [whole], totals };
}

// The entry is durable before the call's end is announced.
function withOutput(
  state: ViewState,
  { callId, text }: Extract<Entry, { readonly type: "tool" }>,
): ViewState {
  const calls = state.calls.map((call) => (call.callId === callId ? { ...call, output: text } : call));
  return { ...state, calls };
}

function textOf({ message }: Reply): string {
  return message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

function sum(before: SubmitTotals, { usage, cost }: Reply): SubmitTotals {
  const plus = (kind: "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens"): number =>
    before.usage[kind] + usage[kind];
  return {
    turns: before.turns + 1,
    usage: {
      inputTokens: plus("inputTokens"),
      outputTokens: plus("outputTokens"),
      cacheReadTokens: plus("cacheReadTokens"),
      cacheWriteTokens: plus("cacheWriteTokens"),
    },
    dollars: before.dollars + (cost ?? 0),
    unpriced: before.unpriced + (cost === undefined ? 1 : 0),
  };
}

function begun({ callId, name, title, input }: EventOf<"tool_start">): CallView {
  return { kind: "call", callId, name, title, input, state: "running" };
}

function ended(
  calls: readonly CallView[],
  { kind: _, ...facts }: EventOf<"tool_end">,
): { readonly calls: readonly CallView[]; readonly call: CallView } {
  const at = calls.findIndex(({ callId }) => callId === facts.callId);
  const diff = facts.diff ?? diffOf(facts.details);
  const { tail: _tail, hasBegun: _hasBegun, ...begun } = calls[at] ?? {};
  const call: CallView = { ...begun, ...facts, kind: "call", input: facts.input ?? calls[at]?.input, diff };
  return { calls: at < 0 ? calls : calls.toSpliced(at, 1), call };
}

function progressed(call: CallView, { callId, tail }: EventOf<"tool_progress">): CallView {
  if (call.callId !== callId) return call;
  return { ...call, hasBegun: true, tail: tail || call.tail };
}

function done(call: CallView, { callId, state, durationMs }: EventOf<"tool_done">): CallView {
  if (call.callId !== callId) return call;
  const { tail: _tail, hasBegun: _hasBegun, ...begun } = call;
  return { ...begun, state, durationMs };
}

/** The unified diff in the result of a tool that changed a file. */
export function diffOf(details: JsonValue | undefined): string | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  return typeof details.diff === "string" ? details.diff : undefined;
}

function afterDelegate(state: ViewState, { agent, sessionId, event }: EventOf<"delegate">): ViewState {
  if (event.kind === "entry") return { ...state, totals: sum(state.totals, event.entry) };
  const settle = (item: DelegateItem): readonly SettledView[] => [
    { kind: "delegate", agent, sessionId, item },
  ];
  const others = state.delegates.filter((delegate) => delegate.sessionId !== sessionId);
  if (event.kind === "delegate_start") {
    const { objective } = event;
    const delegate: DelegateView = { agent, sessionId, objective, calls: [] };
    return { ...state, delegates: [...others, delegate], settled: settle({ kind: "begun", objective }) };
  }
  if (event.kind === "delegate_end")
    return { ...state, delegates: others, settled: settle({ ...event, kind: "ended" }) };
  const known = state.delegates.find((delegate) => delegate.sessionId === sessionId);
  const { calls, item } = delegateStep(known?.calls ?? [], event);
  const delegates = state.delegates.map((each) => (each === known ? { ...each, calls } : each));
  return { ...state, delegates, settled: item ? settle(item) : [] };
}

const ENDED_AS = { done: "ok", failed: "failed", stopped: "cancelled" } as const;

function afterBackground(
  state: ViewState,
  { id, agent, session: sessionId, status, by, at }: Extract<Entry, { readonly type: "delegate" }>,
): ViewState {
  const one: BackgroundView = { id: by === undefined ? id : `${by}/${id}`, agent, sessionId, at };
  const known = state.background.find((each) => each.id === one.id);
  const settled = (item: DelegateItem): readonly SettledView[] => [
    { kind: "delegate", agent: `${one.id} (${agent})`, sessionId, item },
  ];
  if (status !== "working")
    return {
      ...state,
      background: state.background.filter((each) => each !== known),
      settled: settled({
        kind: "ended",
        state: ENDED_AS[status],
        durationMs: known ? Math.max(0, at - known.at) : undefined,
      }),
    };
  if (known) return state; // it was sent another line
  const background = [...state.background, one];
  // The host has already announced an addon's, with its objective.
  return { ...state, background, settled: by === undefined ? settled({ kind: "begun", objective: "" }) : [] };
}

type DelegateItem = Extract<SettledView, { readonly kind: "delegate" }>["item"];

function delegateStep(
  calls: readonly CallView[],
  event: Exclude<DelegateEvent, { readonly kind: "entry" | "delegate_start" | "delegate_end" }>,
): { readonly calls: readonly CallView[]; readonly item?: DelegateItem } {
  switch (event.kind) {
    case "tool_start":
      return { calls: [...calls, begun(event)] };
    case "tool_end": {
      const { calls: running, call } = ended(calls, event);
      return { calls: running, item: call };
    }
    case "tool_progress":
      return { calls: calls.map((call) => progressed(call, event)) };
    case "tool_done":
      return { calls: calls.map((call) => done(call, event)) };
    case "delta":
      return { calls, item: { kind: "retry", retry: event.delta, isVoiding: false } };
    default:
      return { calls, item: event };
  }
}

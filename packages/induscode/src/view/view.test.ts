import type { JsonValue } from "indusagi/core";
import { describe, expect, it, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { reply, retry, text, toolEnd } from "../../../../tests/support/scripted-conductor.ts";
import type { ConductorEvent, DelegateEvent, ToolState } from "../conductor/contract.ts";
import type { SettledView, ViewState } from "./contract.ts";
import { EMPTY_VIEW, viewAfter, viewBetween } from "./view.ts";

const start = (callId: string, input: JsonValue = {}): Extract<ConductorEvent, { kind: "tool_start" }> => ({
  kind: "tool_start",
  callId,
  name: "edit",
  title: callId,
  input,
});
const end = (
  callId: string,
  state: ToolState = "ok",
  more: { readonly input?: JsonValue; readonly details?: JsonValue } = {},
): Extract<ConductorEvent, { kind: "tool_end" }> => ({
  ...toolEnd("edit", callId, state, 1),
  callId,
  ...more,
});
const delegate = (sessionId: string, event: DelegateEvent): ConductorEvent => ({
  kind: "delegate",
  agent: `agent of ${sessionId}`,
  sessionId,
  event,
});

function play(events: readonly ConductorEvent[]): ViewState {
  return events.reduce(viewAfter, EMPTY_VIEW);
}

describe("a tool call", () => {
  it("runs from its start to its end, with the arguments that it got and the diff that it made", () => {
    const asked = { path: "a", newText: "x" };
    const running = play([start("c1", asked)]);
    expect(running.calls).toEqual([
      { kind: "call", callId: "c1", name: "edit", title: "c1", input: asked, state: "running" },
    ]);
    const got = { path: "a", newText: "y" };
    const details = { path: "a", diff: "-x\n+y\n" };
    const after = viewAfter(running, end("c1", "ok", { input: got, details }));
    expect(after.calls).toEqual([]);
    const settled = { kind: "call", callId: "c1", name: "edit", title: "c1", state: "ok", durationMs: 1 };
    expect(after.settled).toEqual([{ ...settled, input: got, details, diff: "-x\n+y\n" }]);
  });

  it("keeps the model's arguments where nobody rewrote them", () => {
    expect(play([start("c1", { path: "a" }), end("c1")]).settled).toMatchObject([{ input: { path: "a" } }]);
  });

  it("keeps the model's arguments where its end names none, and what its tool brought where progress brings nothing", () => {
    const input = { path: "a" };
    expect(play([start("c1", input), { ...end("c1"), input: undefined }]).settled).toMatchObject([{ input }]);
    const progress = (tail: string): ConductorEvent => ({ kind: "tool_progress", callId: "c1", tail });
    expect(play([start("c1"), progress("line\n"), progress("")]).calls).toMatchObject([{ tail: "line\n" }]);
  });

  it("waits until its tool runs, and has what that brought so far; neither is left of it at its end", () => {
    const waiting = play([start("c1"), start("c2")]);
    expect(waiting.calls.map(({ hasBegun }) => hasBegun)).toEqual([undefined, undefined]);
    const begun = viewAfter(waiting, { kind: "tool_progress", callId: "c2", tail: "" });
    expect(begun.calls.map(({ hasBegun }) => hasBegun)).toEqual([undefined, true]);
    expect(begun.calls[1]?.tail).toBeUndefined();
    const running = viewAfter(begun, { kind: "tool_progress", callId: "c2", tail: "line\n" });
    expect(running.calls[1]).toMatchObject({ hasBegun: true, tail: "line\n" });
    const [ended] = viewAfter(running, end("c2")).settled;
    expect(ended).not.toHaveProperty("hasBegun");
    expect(ended).not.toHaveProperty("tail");
  });

  test.each([null, "text", 4, [{ diff: "x" }], { diff: 4 }])(
    "shows no diff where there is none: %j",
    (details) => {
      expect(play([end("c1", "ok", { details })]).settled[0]).not.toMatchObject({ diff: expect.anything() });
    },
  );
});

describe("an answer", () => {
  it("grows by its deltas and is settled with its entry", () => {
    const events = [text("He"), text("llo"), reply("Hello")];
    expect(events.map((_, at) => play(events.slice(0, at + 1)).grown)).toEqual(["He", "llo", ""]);
    expect(play(events)).toMatchObject({
      settled: [{ kind: "answer", text: "Hello" }],
      totals: { turns: 1 },
    });
    expect(play(events)).not.toHaveProperty("answer");
  });

  it("comes whole where the provider does not stream", () => {
    expect(play([reply("Hello")])).toMatchObject({ grown: "Hello", settled: [{ text: "Hello" }] });
  });

  it("is void when the call is made again, and that is said only where something was there", () => {
    expect(play([retry()]).settled).toMatchObject([{ kind: "retry", isVoiding: false }]);
    const after = play([text("Hel"), retry()]);
    expect(after.settled).toMatchObject([{ kind: "retry", isVoiding: true }]);
    expect(after).not.toHaveProperty("answer");
  });
});

it("the provider is waited for until it has the request, and then the model until it says something", () => {
  const asked = { kind: "entry", entry: { type: "request" } } as ConductorEvent;
  const taken: ConductorEvent = { kind: "delta", delta: { kind: "connected" } };
  const events = [asked, taken, retry(), taken, text("He")];
  const waits = events.map((_, at) => play(events.slice(0, at + 1)).waits?.kind);
  expect(waits).toEqual(["connecting", "model", "retry", "model", undefined]);
  expect(play([asked, taken])).not.toHaveProperty("answer");
});

describe("a delegate in the background", () => {
  const noted = (at: number, status: "working" | "done" | "stopped", by?: string): ConductorEvent => ({
    kind: "entry",
    entry: {
      ...{ type: "delegate", n: at, at, id: "delegate-1", agent: "scout", session: "s1", status },
      by,
    },
  });
  const shown = { kind: "delegate", agent: "delegate-1 (scout)", sessionId: "s1" };

  it("is shown from its start to its end, which the end of a submit is not", () => {
    const begun = play([noted(5, "working")]);
    expect(begun.settled).toEqual([{ ...shown, item: { kind: "begun", objective: "" } }]);
    const idle = viewBetween(begun);
    expect(idle).toEqual({
      ...EMPTY_VIEW,
      background: [{ id: "delegate-1", agent: "scout", sessionId: "s1", at: 5 }],
    });
    expect(viewAfter(idle, noted(6, "working")).settled).toEqual([]); // another line was sent to it
    const over = viewAfter(idle, noted(9, "stopped"));
    expect(over).toMatchObject({
      background: [],
      settled: [{ ...shown, item: { kind: "ended", state: "cancelled", durationMs: 4 } }],
    });
  });

  it("of an addon has the addon's name, and its start is the host's to say; an unseen start has no time", () => {
    const begun = play([noted(5, "working", "project:x")]);
    expect([begun.background[0]?.id, begun.settled]).toEqual(["project:x/delegate-1", []]);
    expect(play([noted(9, "done")]).settled).toEqual([{ ...shown, item: { kind: "ended", state: "ok" } }]);
  });
});

describe("a delegate", () => {
  const begins: DelegateEvent = { kind: "delegate_start", objective: "look" };
  const ends: DelegateEvent = { kind: "delegate_end", state: "failed", durationMs: 4 };

  it("has a row from its start to its end, whether it calls a tool or not", () => {
    const begun = play([delegate("s1", begins)]);
    const facts = { agent: "agent of s1", sessionId: "s1" };
    expect(begun.delegates).toEqual([{ ...facts, objective: "look", calls: [] }]);
    expect(begun.settled).toEqual([
      { kind: "delegate", ...facts, item: { kind: "begun", objective: "look" } },
    ]);
    const busy = play([delegate("s1", begins), delegate("s2", begins), delegate("s1", start("c1"))]);
    expect(busy.delegates.map(({ calls }) => calls.length)).toEqual([1, 0]);
    const idle = viewAfter(busy, delegate("s1", end("c1")));
    expect(idle.delegates.map(({ sessionId }) => sessionId)).toEqual(["s1", "s2"]);
    const over = viewAfter(idle, delegate("s1", ends));
    expect(over.delegates.map(({ sessionId }) => sessionId)).toEqual(["s2"]);
    expect(over.settled).toEqual([
      { kind: "delegate", ...facts, item: { kind: "ended", state: "failed", durationMs: 4 } },
    ]);
  });

  it("that ended, or never began, has no row, and its events are still shown", () => {
    const late = play([delegate("s1", begins), delegate("s1", ends), delegate("s1", start("c1"))]);
    expect(late.delegates).toEqual([]);
    expect(viewAfter(late, delegate("s1", end("c1"))).settled).toMatchObject([{ item: { kind: "call" } }]);
  });
});

it("a summary is waited for as such, until it is there or the next answer is asked for", () => {
  const asks = (more: object): ConductorEvent =>
    ({ kind: "entry", entry: { type: "request", digest: "", ...more } }) as ConductorEvent;
  const waiting = play([asks({ asksFor: "summary" })]);
  expect(waiting.waits).toEqual({ kind: "summary" });
  const there = { kind: "entry", entry: { type: "summary", text: "s" } } as ConductorEvent;
  expect(viewAfter(waiting, there)).not.toHaveProperty("waits");
  expect(viewAfter(waiting, asks({})).waits).toEqual({ kind: "connecting" });
});

// A second, simpler model: what settled is the events that end something, in order; what runs is what began and did not
// end; an answer's text is the sum of what it grew by.
const anyDelegateEvent: fc.Arbitrary<DelegateEvent> = fc.oneof(
  fc.constantFrom("c1", "c2").map((id) => start(id)),
  fc.constantFrom("c1", "c2").map((id) => end(id)),
  fc.constant({ kind: "alert", text: "a" } as const),
  fc.constant({ kind: "delegate_start", objective: "o" } as const),
  fc.constant({ kind: "delegate_end", state: "ok", durationMs: 1 } as const),
);
const anyEvent: fc.Arbitrary<ConductorEvent> = fc.oneof(
  fc.string({ maxLength: 3 }).map(text),
  fc.constant(retry()),
  fc.constant(reply("whole")),
  fc.constantFrom("c1", "c2", "c3").map((id) => start(id)),
  fc.constantFrom("c1", "c2", "c3").map((id) => end(id)),
  fc.constant({ kind: "alert", text: "a" } as const),
  fc.constant({ kind: "fault", fault: { kind: "model", message: "m" } } as const),
  fc.tuple(fc.constantFrom("s1", "s2"), anyDelegateEvent).map(([id, event]) => delegate(id, event)),
);

const ENDS: ReadonlySet<string> = new Set([
  "tool_end",
  "alert",
  "fault",
  "retry",
  "assistant",
  "delegate_start",
  "delegate_end",
]);
const ending = (event: ConductorEvent | DelegateEvent): string =>
  event.kind === "delta" ? event.delta.kind : event.kind === "entry" ? event.entry.type : event.kind;
const NAMES: Readonly<Record<string, string>> = {
  call: "tool_end",
  answer: "assistant",
  begun: "delegate_start",
  ended: "delegate_end",
};
type Settled = SettledView | Extract<SettledView, { readonly kind: "delegate" }>["item"];
const named = (item: Settled): string =>
  item.kind === "delegate" ? `${item.sessionId} ${named(item.item)}` : (NAMES[item.kind] ?? item.kind);

describe("whatever happens in whatever order", () => {
  test("each event that ends something is settled once and in order, and no other is", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        const expected = events.flatMap((event) => {
          const [who, inner] = event.kind === "delegate" ? [`${event.sessionId} `, event.event] : ["", event];
          const what = ending(inner);
          return ENDS.has(what) ? [`${who}${what}`] : [];
        });
        const settled: string[] = [];
        let state = EMPTY_VIEW;
        for (const event of events) {
          state = viewAfter(state, event);
          settled.push(...state.settled.map(named));
        }
        expect(settled).toEqual(expected);
      }),
    );
  });

  test("what runs is what began and did not end; what the answer says is what it grew by", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let state = EMPTY_VIEW;
        let running: string[] = [];
        let said = "";
        for (const event of events) {
          state = viewAfter(state, event);
          if (event.kind === "tool_start") running.push(event.callId);
          if (event.kind === "tool_end") {
            const at = running.indexOf(event.callId);
            running = running.filter((_, index) => index !== at);
          }
          said += state.grown;
          const isOver = event.kind === "entry" || (event.kind === "delta" && event.delta.kind === "retry");
          if (isOver) said = "";
          expect(state.calls.map(({ callId }) => callId)).toEqual(running);
          expect(state.answer?.text ?? "").toBe(said);
        }
      }),
    );
  });

  test("no event changes a state that was given out", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), anyEvent, (events, next) => {
        const state = play(events);
        const before = structuredClone(state);
        viewAfter(state, next);
        expect(state).toEqual(before);
      }),
    );
  });
});

// How much a feature may add in a turn: each way of adding, all together, and what resets.

import { describe, expect, it } from "vitest";
import type { FeatureId } from "../descriptor.ts";
import type { HookEvent, PayloadOf } from "../events.ts";
import type { EventSubscription, HookHandler } from "../handler.ts";
import { MAX_GROWTH_BYTES } from "../handler-limits.ts";
import { createHooks, hooksOfDelegate } from "./hooks.ts";

const never = { signal: new AbortController().signal };
const HALF = "x".repeat(MAX_GROWTH_BYTES / 2 + 1);
const user = (text: string) => ({ role: "user" as const, content: [{ kind: "text" as const, text }] });

function growing(feature: FeatureId = "project:big") {
  const faults: string[] = [];
  const on = <E extends HookEvent>(event: E, run: (payload: PayloadOf<E>) => object) =>
    ({
      feature,
      event,
      handler: { kind: "transform", run } as HookHandler<E>,
    }) as unknown as EventSubscription;
  const committed = {
    subscriptions: [
      on("input:submit", ({ text }) => ({ text: text + HALF })),
      on("tool:after", ({ text }) => ({ text: text + HALF })),
      on("context:build", ({ messages }) => ({ messages: [...messages, user(HALF)] })),
    ],
    interceptors: [{ feature, match: "*", exit: () => ({ content: HALF }) }],
  };
  const onFault = ({ message }: { readonly message: string }) => void faults.push(message);
  const hooks = createHooks(committed, { deadlineMs: 5_000, onGateFailure: "allow", onFault });
  const { chain } = hooks;
  const dispatcher = hooks.dispatch;
  return {
    hooks,
    committed,
    faults,
    submit: async () => (await dispatcher.dispatch("input:submit", { text: "go" }, never)).changedBy.length,
    after: async () => {
      const ended = { name: "ls", callId: "c", args: {}, text: "", isError: false };
      return (await dispatcher.dispatch("tool:after", ended, never)).changedBy.length;
    },
    context: async () =>
      (await dispatcher.dispatch("context:build", { messages: [user("a")] }, never)).changedBy.length,
    exit: async () => {
      const result = { content: [], isError: false };
      const ran = await chain.run({ tool: "ls", callId: "c", args: {} }, async () => result);
      return ran.resultChangedBy.length;
    },
    endTurn: () => dispatcher.dispatch("turn:end", { sessionId: "s" }, never),
  };
}

describe("what one feature adds in a turn", () => {
  it("counts together, whatever the way; the fault says how much it was and may be", async () => {
    const { submit, after, exit, faults } = growing();
    expect([await submit(), await after(), await exit()]).toEqual([1, 0, 0]);
    expect(faults).toEqual([
      `project:big failed at tool:after: its result adds ${HALF.length} bytes to the ${HALF.length} of this turn; an addon may add ${MAX_GROWTH_BYTES} in a turn`,
      expect.stringContaining("project:big failed around ls: its result adds"),
    ]);
  });

  it("begins anew with the next turn, and not with the end of a delegate's", async () => {
    const { submit, after, endTurn, hooks } = growing();
    expect([await submit(), await after()]).toEqual([1, 0]);
    const { dispatcher } = hooksOfDelegate("coder", hooks);
    await dispatcher.dispatch("turn:end", { sessionId: "s" }, never);
    expect(await after()).toBe(0);
    await endTurn();
    expect(await after()).toBe(1);
  });

  it("is kept when what is committed is replaced", async () => {
    const { submit, hooks, committed, after } = growing();
    const before = hooks.dispatcher;
    expect(await submit()).toBe(1);
    committed.subscriptions = [...committed.subscriptions];
    expect(hooks.dispatcher).not.toBe(before);
    expect(await after()).toBe(0);
  });

  it("does not sum up where it holds for one request only (twin: what lasts does)", async () => {
    const { context, after } = growing();
    expect([await context(), await context(), await context()]).toEqual([1, 1, 1]);
    expect([await after(), await after(), await context()]).toEqual([1, 0, 0]);
  });

  it("is each feature's own", async () => {
    const [one, other] = [growing("project:one"), growing("project:other")];
    const both = createHooks(
      {
        subscriptions: [...one.committed.subscriptions, ...other.committed.subscriptions],
        interceptors: [],
      },
      { deadlineMs: 5_000, onGateFailure: "allow", onFault: () => undefined },
    );
    const outcome = await both.dispatch.dispatch("input:submit", { text: "go" }, never);
    expect(outcome.changedBy.map(({ feature }) => feature)).toEqual(["project:one", "project:other"]);
  });
});

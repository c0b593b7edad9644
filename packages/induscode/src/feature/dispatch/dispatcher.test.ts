import { describe, expect, it } from "vitest";
import type { HookEvent } from "../events.ts";
import { HOOK_EVENTS, RESERVED_EVENTS } from "../events.ts";
import type { EventSubscription, HookHandler } from "../handler.ts";
import type { FeatureFault } from "../install-report.ts";
import { EventDispatcher } from "./dispatcher.ts";

const never = { signal: new AbortController().signal };

function dispatcherOf(
  handlers: readonly HookHandler<"input:submit">[],
  onGateFailure: "allow" | "block" = "allow",
) {
  const faults: FeatureFault[] = [];
  const subscriptions = handlers.map(
    (handler, index) =>
      ({ feature: `project:f${index}`, event: "input:submit", handler }) as unknown as EventSubscription,
  );
  const dispatcher = new EventDispatcher(subscriptions, {
    deadlineMs: 50,
    onGateFailure,
    onFault: (fault) => faults.push(fault),
  });
  return {
    dispatch: (text: string) => dispatcher.dispatch("input:submit", { text }, never),
    dispatcher,
    faults,
  };
}

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

/** What some libraries return instead of a promise. */
const thenable = (then: Then) => ({ then }) as unknown as Promise<never>;
const withNote = (note: unknown) => Promise.resolve({ text: "a", note } as never);
const unreadable = async (): Promise<never> =>
  ({
    get text(): never {
      throw new Error("boom");
    },
  }) as never;
const unreadableError = () =>
  Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("boom");
    },
  });

describe("the event table", () => {
  it("has thirteen events, and the gate set follows from it", () => {
    expect(HOOK_EVENTS).toHaveLength(13);
    expect([...RESERVED_EVENTS]).toEqual(["tool:before", "input:submit", "compact:before"]);
  });
});

describe("dispatch", () => {
  it("threads transforms through, in order, and names who changed what", async () => {
    const { dispatch } = dispatcherOf([
      { kind: "transform", run: ({ text }) => ({ text: `${text}1` }) },
      { kind: "transform", run: (payload) => payload },
      { kind: "transform", run: async ({ text }) => ({ text: `${text}2` }) },
    ]);
    expect(await dispatch("a")).toEqual({
      payload: { text: "a12" },
      changedBy: [{ feature: "project:f0" }, { feature: "project:f2" }],
      steps: [{ text: "a1" }, { text: "a12" }],
    });
  });

  it("ends at the first stop; nobody behind it is asked", async () => {
    let asked = 0;
    const { dispatch } = dispatcherOf([
      { kind: "gate", run: () => ({ stop: false }) },
      { kind: "gate", run: () => ({ stop: true, reason: "no" }) },
      { kind: "observe", run: () => void asked++ },
    ]);
    expect(await dispatch("a")).toEqual({
      payload: { text: "a" },
      changedBy: [],
      gate: { stop: true, reason: "no", by: { feature: "project:f1" } },
    });
    expect(asked).toBe(0);
  });

  it("lets an observer see and not change", async () => {
    const { dispatch } = dispatcherOf([{ kind: "observe", run: () => undefined }]);
    expect(await dispatch("a")).toEqual({ payload: { text: "a" }, changedBy: [] });
  });

  it.each<[string, () => Promise<never>]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["rejects", () => Promise.reject(new Error("boom"))],
    ["never answers", () => new Promise(() => undefined)],
    ["answers with a text", (async () => "a") as () => Promise<never>],
    ["answers with what the payload does not have", (async () => ({ line: "b" })) as () => Promise<never>],
    ["answers with what is no JSON", () => withNote(1n)],
    ["answers with a payload that throws when it is read", () => unreadable()],
    [
      "throws an error that throws when it is read",
      () => {
        throw unreadableError();
      },
    ],
    ["answers with a thenable that rejects", () => thenable((_resolve, reject) => reject(new Error("boom")))],
    ["answers with a thenable that never settles", () => thenable(() => undefined)],
    [
      "answers with a thenable that throws",
      () =>
        thenable(() => {
          throw new Error("boom");
        }),
    ],
  ])("goes on with the payload from before when a handler %s", async (_how, run) => {
    const { dispatch, faults } = dispatcherOf([
      { kind: "transform", run } as HookHandler<"input:submit">,
      { kind: "transform", run: ({ text }) => ({ text: `${text}!` }) },
    ]);
    expect((await dispatch("a")).payload).toEqual({ text: "a!" });
    expect(faults).toMatchObject([{ kind: "handler", owner: "project:f0" }]);
  });

  it("takes a thenable's answer like a promise's", async () => {
    const { dispatch } = dispatcherOf([
      { kind: "transform", run: () => thenable((resolve) => resolve({ text: "b" })) },
    ]);
    expect((await dispatch("a")).payload).toEqual({ text: "b" });
  });

  it("the twin: with only promises fenced, a rejecting thenable rejects the dispatch itself", async () => {
    const naive = async (run: () => unknown): Promise<unknown> => {
      const result = run();
      return result instanceof Promise ? result.catch(() => "fenced") : result;
    };
    const rejecting = () => thenable((_resolve, reject) => reject(new Error("crossed")));
    await expect(naive(rejecting)).rejects.toThrow("crossed");
  });

  it("says what a result should have been", async () => {
    const { dispatch, faults } = dispatcherOf([
      { kind: "transform", run: (() => "b") as never },
      { kind: "transform", run: (() => ({ text: ["b"] })) as never },
      { kind: "gate", run: (() => true) as never },
      { kind: "gate", run: (() => ({ stop: "yes" })) as never },
    ]);
    expect(await dispatch("a")).toEqual({ payload: { text: "a" }, changedBy: [] });
    expect(faults.map(({ message }) => message)).toEqual([
      "project:f0 failed at input:submit: a transform must return a payload, or nothing for no change, not a string",
      "project:f1 failed at input:submit: its payload.text must be string, found array",
      "project:f2 failed at input:submit: a gate must return a decision or nothing, not a boolean",
      'project:f3 failed at input:submit: its "stop" must be a boolean, not a string',
    ]);
  });

  it("a gate that answers nonsense blocks where failing gates block", async () => {
    const broken: HookHandler<"input:submit"> = {
      kind: "gate",
      onFailure: "block",
      run: (() => "no") as never,
    };
    expect((await dispatcherOf([broken]).dispatch("a")).gate).toMatchObject({ stop: true });
  });

  it.each(["gate", "observe"] as const)(
    "fires the signal of a handler (%s) at its deadline",
    async (kind) => {
      const stopped = Promise.withResolvers<void>();
      const { dispatch } = dispatcherOf([
        {
          kind,
          run: (_payload, { signal }) =>
            new Promise<never>(() => signal.addEventListener("abort", () => stopped.resolve())),
        },
      ]);
      await dispatch("a");
      await stopped.promise;
    },
  );

  it("lets a failed gate pass, unless the settings say that failing gates block", async () => {
    const broken: HookHandler<"input:submit"> = {
      kind: "gate",
      run: () => Promise.reject(new Error("boom")),
    };
    expect((await dispatcherOf([broken]).dispatch("a")).gate).toBeUndefined();
    expect((await dispatcherOf([broken], "block").dispatch("a")).gate).toMatchObject({ stop: true });
  });

  it("knows which events anyone handles", () => {
    const { dispatcher } = dispatcherOf([{ kind: "observe", run: () => undefined }]);
    expect(HOOK_EVENTS.filter((event: HookEvent) => dispatcher.has(event))).toEqual(["input:submit"]);
    expect([dispatcher.has("input:submit", "observe"), dispatcher.has("input:submit", "transform")]).toEqual([
      true,
      false,
    ]);
  });
});

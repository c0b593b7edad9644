import { describe, expect, it } from "vitest";
import type { EventSubscription, FeatureFault, HookEvent, HookHandler } from "./contract.ts";
import { EventDispatcher } from "./dispatcher.ts";
import { EVENT_TRAITS, HOOK_EVENTS, RESERVED_EVENTS } from "./events.ts";

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

describe("the event table", () => {
  it("has the seeds' thirteen events, and the gate set follows from it", () => {
    expect(HOOK_EVENTS).toHaveLength(13);
    expect([...RESERVED_EVENTS]).toEqual(["tool:before", "input:submit", "compact:before"]);
    for (const event of HOOK_EVENTS) expect(EVENT_TRAITS[event].meaning).toMatch(/\.$/);
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
  ])("goes on with the payload from before when a handler %s", async (_how, run) => {
    const { dispatch, faults } = dispatcherOf([
      { kind: "transform", run } as HookHandler<"input:submit">,
      { kind: "transform", run: ({ text }) => ({ text: `${text}!` }) },
    ]);
    expect((await dispatch("a")).payload).toEqual({ text: "a!" });
    expect(faults).toMatchObject([{ kind: "handler", owner: "project:f0" }]);
  });

  it("fires the handler's signal at its deadline", async () => {
    let stopped = false;
    const { dispatch } = dispatcherOf([
      {
        kind: "observe",
        run: (_payload, { signal }) =>
          new Promise(() =>
            signal.addEventListener("abort", () => {
              stopped = true;
            }),
          ),
      },
    ]);
    await dispatch("a");
    expect(stopped).toBe(true);
  });

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
  });
});

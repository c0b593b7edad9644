// Deadlines add up, so addons share budgets: at each event, in each call, and at the end. The test controls the time.

import { NO_SCOPE } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { virtualTime } from "../../../../../tests/support/virtual-time.ts";
import type { FailurePolicy } from "../descriptor.ts";
import type { HookEvent } from "../events.ts";
import type { EventSubscription, HookHandler } from "../handler.ts";
import { DEFAULT_DEADLINE_MS } from "../handler-limits.ts";
import type { ToolInterceptor } from "../interceptor.ts";
import { callHandler } from "./fence.ts";
import { createHooks } from "./hooks.ts";
import { createCallTime } from "./time-budget.ts";

const ONE_EVENT_MS = 10_000;
const ONE_CALL_MS = 60_000;
const CALL = { name: "read", callId: "c1", args: {} };
const never = new AbortController().signal;
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

interface Part {
  readonly feature?: string;
  readonly takesMs?: number;
  readonly stops?: boolean;
  readonly onFailure?: FailurePolicy;
}

/** A scene in virtual time: what was asked and what was reported. */
function scene(onGateFailure: FailurePolicy = "allow") {
  const time = virtualTime();
  const asked: string[] = [];
  const faults: string[] = [];
  const answer = async ({ feature = "project:slow", takesMs = Number.POSITIVE_INFINITY }: Part) => {
    asked.push(feature);
    await (takesMs === Number.POSITIVE_INFINITY ? new Promise(() => undefined) : time.wait(takesMs));
  };
  const subscribe = (
    part: Part,
    kind: HookHandler["kind"] = "gate",
    event: HookEvent = "tool:before",
  ): EventSubscription =>
    ({
      feature: part.feature ?? "project:slow",
      event,
      handler: {
        kind,
        run: async () => {
          await answer(part);
          return kind === "gate" ? { stop: part.stops ?? false } : undefined;
        },
      },
      onFailure: part.onFailure,
    }) as unknown as EventSubscription;
  const intercept = (part: Part): ToolInterceptor => ({
    feature: (part.feature ?? "project:slow") as ToolInterceptor["feature"],
    match: "*",
    enter: () => answer(part) as Promise<undefined>,
    exit: () => answer(part) as Promise<undefined>,
    onFailure: part.onFailure,
  });
  const hooksOf = (
    subscriptions: readonly EventSubscription[],
    interceptors: readonly ToolInterceptor[] = [],
  ) =>
    createHooks(
      { subscriptions, interceptors },
      {
        deadlineMs: DEFAULT_DEADLINE_MS,
        onGateFailure,
        onFault: ({ message }) => faults.push(message),
        clock: time.clock,
      },
    );
  const dispatch = (subscriptions: readonly EventSubscription[], event: HookEvent = "tool:before") =>
    time.settle(hooksOf(subscriptions).dispatcher.dispatch(event, CALL as never, { signal: never }));
  return { time, asked, faults, answer, subscribe, intercept, hooksOf, dispatch };
}

describe("the handlers of one addon at one event", () => {
  it.each([10, 40, 200])("of which there are %i that take 1 s each, hold it up for 10 s", async (count) => {
    const { subscribe, dispatch, asked, faults } = scene();
    const { tookMs, value } = await dispatch(range(count).map(() => subscribe({ takesMs: 1_000 })));
    expect(tookMs).toBe(ONE_EVENT_MS);
    expect(asked).toHaveLength(10);
    expect(value.gate).toBeUndefined();
    const told = `project:slow failed at tool:before: its handlers may take 10000 ms in total at one event; ${count - 10} of them were not called`;
    expect(faults).toEqual(count === 10 ? [] : [told]);
  });

  it.each([10, 40, 200])("the twin: %i with a deadline each and no budget add up", async (count) => {
    const { time, answer, asked } = scene();
    const oneAfterTheOther = async (): Promise<void> => {
      for (const _ of range(count))
        await callHandler(() => answer({ takesMs: 1_000 }), {
          owner: { feature: "project:slow" },
          deadlineMs: DEFAULT_DEADLINE_MS,
          clock: time.clock,
          session: NO_SCOPE,
          signal: never,
          accept: () => undefined,
          onError: () => undefined,
        });
    };
    expect((await time.settle(oneAfterTheOther())).tookMs).toBe(count * 1_000);
    expect(asked).toHaveLength(count);
  });

  it("is cut within one handler too, which says why its deadline was near", async () => {
    const { subscribe, dispatch, faults } = scene();
    const { tookMs } = await dispatch([4_000, 4_000, 4_000].map((takesMs) => subscribe({ takesMs })));
    expect(tookMs).toBe(ONE_EVENT_MS);
    expect(faults).toEqual([
      "project:slow failed at tool:before: no answer within 2000 ms, the time it had left: its handlers may take 10000 ms in total at one event",
    ]);
  });

  it("begin anew at the next event", async () => {
    const { subscribe, hooksOf, time, faults } = scene();
    const hooks = hooksOf(range(8).map(() => subscribe({ takesMs: 1_000 })));
    for (const _ of range(3)) {
      const work = hooks.dispatcher.dispatch("tool:before", CALL, { signal: never });
      expect((await time.settle(work)).tookMs).toBe(8_000);
    }
    expect(faults).toEqual([]);
  });

  it("observers that are so far behind that the event waits for them count as well", async () => {
    const { subscribe, dispatch, asked, faults } = scene();
    const { tookMs } = await dispatch(range(200).map(() => subscribe({}, "observe")));
    expect(tookMs).toBeLessThanOrEqual(ONE_EVENT_MS);
    expect(asked.length).toBeLessThan(25);
    expect(faults).toContainEqual(expect.stringMatching(/ of them were not called$/));
  });
});

describe("a guard that was not asked, because its addon had used up its time", () => {
  const slow = range(3);

  it.each([
    [undefined, undefined, "allow", false],
    [undefined, undefined, "block", true],
    [undefined, "block", "allow", true],
    ["block", undefined, "allow", true],
    ["allow", "allow", "allow", false],
  ] as const)(
    "that says %s, of an addon that says %s, where the person says %s: closed %s",
    async (own, whole, person, isClosed) => {
      const { subscribe, dispatch, asked } = scene(person);
      const part = whole ? { onFailure: whole } : {};
      const guard = subscribe({ ...part, takesMs: 1 });
      const handler = { ...guard.handler, ...(own && { onFailure: own }) } as typeof guard.handler;
      // Observers block nothing, but still use up the time.
      const observers = range(200).map(() => subscribe(part, "observe"));
      const { value } = await dispatch([...observers, { ...guard, handler }]);
      expect(asked.length).toBeLessThan(25);
      expect(value.gate?.stop).toBe(isClosed ? true : undefined);
      if (isClosed)
        expect(value.gate?.reason).toBe(
          "the gate of project:slow was not called, because its handlers may take 10000 ms in total at one event; 1 of them was not called; it blocks on failure",
        );
    },
  );

  it("a transform of an addon that blocks closes the event that can be stopped", async () => {
    const { subscribe, dispatch } = scene();
    const transforms = range(200).map(() => subscribe({ takesMs: 1_000, onFailure: "block" }, "transform"));
    const { value, tookMs } = await dispatch(transforms);
    expect(tookMs).toBe(ONE_EVENT_MS);
    expect(value.gate).toMatchObject({ stop: true, by: { feature: "project:slow" } });
  });

  it.each(["allow", "block"] as const)("interceptors of an addon that says %s", async (onFailure) => {
    const { intercept, hooksOf, time, faults } = scene();
    const { chain } = hooksOf(
      [],
      slow.map(() => intercept({ takesMs: 4_900, onFailure })),
    );
    let ran = 0;
    const around = { tool: "read", callId: "c1", args: {} };
    const work = chain.run(around, async () => {
      ran++;
      return { content: [{ kind: "text", text: "secret" }], isError: false };
    });
    const { value, tookMs } = await time.settle(work);
    expect(ran).toBe(onFailure === "block" ? 0 : 1);
    expect(value.blocked?.stop).toBe(onFailure === "block" ? true : undefined);
    expect(tookMs).toBe(onFailure === "block" ? ONE_EVENT_MS : 2 * ONE_EVENT_MS);
    expect(faults[0]).toMatch(
      /^project:slow failed around read: no answer within 200 ms, the time it had left/,
    );
  });

  it("an exit stage that was not asked withholds the result, if its addon says so", async () => {
    const { hooksOf, time, answer } = scene();
    const exits = range(12).map(
      (): ToolInterceptor => ({
        feature: "project:slow",
        match: "*",
        onFailure: "block",
        exit: () => answer({ takesMs: 1_000 }) as Promise<undefined>,
      }),
    );
    const work = hooksOf([], exits).chain.run({ tool: "read", callId: "c1", args: {} }, async () => ({
      content: [{ kind: "text", text: "secret" }],
      isError: false,
    }));
    const { value, tookMs } = await time.settle(work);
    expect(tookMs).toBe(ONE_EVENT_MS);
    expect(JSON.stringify(value.result)).not.toContain("secret");
    expect(JSON.stringify(value.result)).toContain("its result is withheld");
  });
});

describe("all addons in one call", () => {
  it.each([1, 20, 200])("%i that hang wherever they can hold it up for a minute at most", async (count) => {
    const { subscribe, intercept, hooksOf, time } = scene();
    const parts = range(count).map((index) => ({ feature: `project:a${index}` }));
    const events = ["tool:before", "shell:env", "tool:after"] as const;
    const hooks = hooksOf(
      events.flatMap((event) => parts.map((part) => subscribe(part, "transform", event))),
      parts.map(intercept),
    );
    const call = async (): Promise<void> => {
      const callTime = hooks.callTime();
      await hooks.dispatcher.dispatch("tool:before", CALL, { signal: never, time: callTime });
      const around = { tool: "read", callId: "c1", args: {} };
      const execute = async () => {
        const env = { command: "ls", env: {} };
        await hooks.dispatcher.dispatch("shell:env", env, { signal: never, time: callTime });
        return { content: [], isError: false };
      };
      await hooks.chain.runWith(around, execute, never, { time: callTime });
      const ended = { ...CALL, text: "", isError: false };
      await hooks.dispatcher.dispatch("tool:after", ended, { signal: never, time: callTime });
    };
    const { tookMs } = await time.settle(call());
    expect(tookMs).toBeLessThanOrEqual(ONE_CALL_MS);
  });

  it("cannot keep the last of them from being asked: each has a part of its own", async () => {
    const { subscribe, dispatch, asked } = scene();
    const hogs = range(199).flatMap((index) =>
      range(3).map(() => subscribe({ feature: `project:hog${index}` })),
    );
    const guard = subscribe({ feature: "project:guard", takesMs: 100, stops: true });
    const { value, tookMs } = await dispatch([...hogs, guard]);
    expect(asked.at(-1)).toBe("project:guard");
    expect(value.gate).toMatchObject({ stop: true, by: { feature: "project:guard" } });
    expect(tookMs).toBeLessThanOrEqual(ONE_CALL_MS);
  });

  it("the twin: with one common budget and no parts, the hogs switch the guard off", () => {
    let common = ONE_CALL_MS;
    for (const _ of range(199)) common -= Math.min(common, ONE_EVENT_MS);
    expect(common).toBe(0);
    const parts = createCallTime(ONE_CALL_MS, 200);
    for (const share of range(199).map((index) => parts.shareOf(`hog${index}`))) share.spend(share.leftMs());
    expect(parts.shareOf("guard").leftMs()).toBe(150);
  });
});

it("at the end of a session all of them together have 5 s", async () => {
  const { subscribe, dispatch } = scene();
  const parts = range(20).map((index) => ({ feature: `project:a${index}` }));
  const { tookMs } = await dispatch(
    parts.map((part) => subscribe(part, "transform", "session:end")),
    "session:end",
  );
  expect(tookMs).toBeLessThanOrEqual(DEFAULT_DEADLINE_MS);
});

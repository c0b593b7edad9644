// Observers: they cannot change what runs, nobody waits for them, their faults are reported, and a session's end is bounded.

import { describe, expect, it } from "vitest";
import type { FeatureId } from "../descriptor.ts";
import type { EventSubscription, HookHandler } from "../handler.ts";
import { EventDispatcher } from "./dispatcher.ts";

const never = { signal: new AbortController().signal };
const CALL = { name: "bash", callId: "c1", args: { command: "ls", deep: { list: [1] } } };

function dispatcherOf(
  handlers: readonly (HookHandler<"tool:before"> & { readonly feature?: FeatureId })[],
  deadlineMs = 60_000,
) {
  const faults: string[] = [];
  const subscriptions = handlers.map(({ feature = "project:f", ...handler }) => ({
    feature,
    event: "tool:before",
    handler,
  })) as unknown as readonly EventSubscription[];
  const dispatcher = new EventDispatcher(subscriptions, {
    deadlineMs,
    onGateFailure: "allow",
    onFault: ({ message }) => faults.push(message),
  });
  const call = () => dispatcher.dispatch("tool:before", structuredClone(CALL), never);
  return { dispatcher, call, faults };
}

describe("an observer cannot change what runs", () => {
  it.each<readonly [string, (args: typeof CALL.args) => void]>([
    ["a value", (args) => Object.assign(args, { command: "rm -rf /" })],
    ["a value deep inside", (args) => Object.assign(args.deep.list, [9])],
    ["by adding", (args) => Object.assign(args, { cwd: "/" })],
    ["by deleting", ({ deep }) => requireTrue(Reflect.deleteProperty(deep, "list"))],
  ])("%s", async (_what, change) => {
    for (const kind of ["observe", "gate", "transform"] as const) {
      const run = ({ args }: { readonly args: unknown }): undefined => void change(args as typeof CALL.args);
      const { call, faults } = dispatcherOf([{ kind, run }]);
      const outcome = await call();
      expect(outcome).toEqual({ payload: CALL, changedBy: [] });
      expect(faults).toEqual([expect.stringMatching(/^project:f failed at tool:before: /)]);
    }
  });

  it("the twin: handed the payload as it was, it moves the call and nobody is named", () => {
    const payload = structuredClone(CALL);
    const naive = (run: (given: typeof CALL) => void): typeof CALL => {
      run(payload);
      return payload;
    };
    expect(naive(({ args }) => void Object.assign(args, { command: "rm" })).args.command).toBe("rm");
  });

  it("what goes to another process is copied there, and is not frozen here", async () => {
    const payload = structuredClone(CALL);
    const { dispatcher } = dispatcherOf([{ kind: "observe", isRemote: true, run: () => undefined }]);
    await dispatcher.dispatch("tool:before", payload, never);
    expect(Object.isFrozen(payload)).toBe(false);
  });
});

describe("nobody waits for an observer", () => {
  it("a call goes on while it works; those that return something are waited for", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const { call, dispatcher } = dispatcherOf([
      { kind: "observe", run: () => promise.then(() => void seen.push("observer")) },
      { kind: "gate", run: async () => void seen.push("gate") as undefined },
    ]);
    await call(); // would never return if it waited
    expect(seen).toEqual(["gate"]);
    resolve();
    await dispatcher.settled();
    expect(seen).toEqual(["gate", "observer"]);
  });

  it("events reach it in order, though it has not answered yet", async () => {
    const seen: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { dispatcher } = dispatcherOf([
      {
        kind: "observe",
        run: ({ callId }) => {
          seen.push(callId);
          return promise;
        },
      },
    ]);
    for (let n = 0; n < 10; n++)
      await dispatcher.dispatch("tool:before", { ...CALL, callId: `c${n}` }, never);
    expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => `c${n}`));
    resolve();
    await dispatcher.settled();
  });

  it("its fault is heard, late as it may be", async () => {
    const { call, dispatcher, faults } = dispatcherOf([
      { kind: "observe", run: () => Promise.reject(new Error("boom")) },
      {
        kind: "observe",
        run: () => {
          throw new Error("bang");
        },
      },
    ]);
    await call();
    await dispatcher.settled();
    expect(faults).toEqual([
      "project:f failed at tool:before: bang",
      "project:f failed at tool:before: boom",
    ]);
  });

  it("one that is far behind is waited for, and no other feature's is (twin: one fewer is not)", async () => {
    const open: (() => void)[] = [];
    const { call, dispatcher } = dispatcherOf([
      { kind: "observe", run: () => new Promise<void>((resolve) => open.push(resolve)) },
    ]);
    for (let n = 0; n < 15; n++) await call();
    let isThrough = false;
    const last = call().then(() => {
      isThrough = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([open.length, isThrough]).toEqual([16, false]);
    open[0]?.();
    await last;
    for (const end of open) end();
    await dispatcher.settled();
  });

  it("the end waits one deadline; who is still at work then is stopped and reported", async () => {
    const stopped: unknown[] = [];
    const { call, dispatcher, faults } = dispatcherOf(
      [
        {
          kind: "observe",
          run: (_payload, { signal }) =>
            new Promise<void>(() => signal.addEventListener("abort", () => stopped.push(signal.reason))),
        },
      ],
      20,
    );
    for (let n = 0; n < 8; n++) await call(); // each has its own time, eight deadlines in all
    await dispatcher.settled();
    expect(stopped.length).toBe(8);
    expect(faults.length).toBe(8);
    expect(faults.every((fault) => /the session stopped waiting|no answer within/.test(fault))).toBe(true);
    await call(); // and it still works afterwards
    await dispatcher.settled();
    expect(stopped.length).toBe(9);
  });
});

function requireTrue(done: boolean): void {
  if (!done) throw new TypeError("it could not be done");
}

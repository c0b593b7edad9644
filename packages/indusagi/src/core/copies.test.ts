import { expect, it, onTestFinished } from "vitest";
import { ScopeError } from "../capabilities/backends/scoped.ts";
import { CapabilityError } from "../capabilities/kernel/tool-registry.ts";
import { CassetteError } from "../llmgateway/cassette-format.ts";
import { BoardError } from "../swarm/contract.ts";
import { Aborted } from "./abort.ts";
import { nowMs, useWallClock } from "./clock.ts";
import { createSessionScope, sessionKey } from "./session-scope.ts";

/** A second copy of a module, with objects and classes of its own. */
const copyOf = (path: string): Promise<Record<string, unknown>> => import(/* @vite-ignore */ `${path}?copy`);

type ErrorClass = new (...values: never[]) => Error;

const ERRORS: readonly (readonly [path: string, own: ErrorClass, error: (kind: never) => Error])[] = [
  ["./abort.ts", Aborted, (kind: typeof Aborted) => new kind()],
  ["../capabilities/backends/scoped.ts", ScopeError, (kind: typeof ScopeError) => new kind("no")],
  [
    "../capabilities/kernel/tool-registry.ts",
    CapabilityError,
    (kind: typeof CapabilityError) => new kind("unknown_tool", "x"),
  ],
  ["../llmgateway/cassette-format.ts", CassetteError, (kind: typeof CassetteError) => new kind("torn")],
  ["../swarm/contract.ts", BoardError, (kind: typeof BoardError) => new kind("damaged", "torn")],
];

it.each(ERRORS)("an error of %s is one in each copy, and no other error is", async (path, own, make) => {
  const copy = (await copyOf(path))[own.name] as ErrorClass;
  expect(copy).not.toBe(own);
  const strange = make(copy as never);
  expect([strange instanceof own, make(own as never) instanceof copy]).toEqual([true, true]);
  expect([new Error("x") instanceof own, { name: own.name } instanceof own]).toEqual([false, false]);
  class Kind extends own {}
  expect([strange instanceof Kind, make(Kind as never) instanceof Kind]).toEqual([false, true]);
  expect(make(Kind as never) instanceof copy).toBe(true);
});

it("the wall clock of the process is that of each copy", async () => {
  const { nowMs: ofCopy } = (await copyOf("./clock.ts")) as { readonly nowMs: () => number };
  onTestFinished(useWallClock(() => 7));
  expect([nowMs(), ofCopy()]).toEqual([7, 7]);
});

it("file systems that one copy says are the same have one lock in the other", async () => {
  const path = "../capabilities/files/path-lock.ts";
  const ours = await import("../capabilities/files/path-lock.ts");
  const theirs = (await copyOf(path)) as unknown as typeof ours;
  expect(theirs.withPathLock).not.toBe(ours.withPathLock);
  const fs = (): never => ({ realPath: async (each: string) => each }) as never;
  const inner = fs();
  const outer = theirs.sharesLocksWith(fs(), inner);
  const order: string[] = [];
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    free = resolve;
  });
  const first = theirs.withPathLock(outer, "/a", async () => {
    await held;
    order.push("theirs");
  });
  const second = ours.withPathLock(inner, "/a", async () => void order.push("ours"));
  const apart = ours.withPathLock(fs(), "/a", async () => void order.push("another file system")).then(free);
  await Promise.all([first, second, apart]);
  expect(order).toEqual(["another file system", "theirs", "ours"]);
});

it("what a session has is found by the key of either copy", async () => {
  const { sessionKey: ofCopy } = (await copyOf("./session-scope.ts")) as unknown as {
    readonly sessionKey: typeof sessionKey;
  };
  const scope = createSessionScope();
  scope.put(sessionKey("jobs"), 3);
  expect([scope.get(ofCopy("jobs")), scope.get(ofCopy("todos"))]).toEqual([3, undefined]);
});

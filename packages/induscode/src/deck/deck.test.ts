// What a turn shows of tools that are added and removed.

import { defineTool, makeLocalContext, textResult } from "indusagi/capabilities";
import { expect, it } from "vitest";
import { createHooks } from "../feature/dispatch/hooks.ts";
import type { InstalledTool } from "../feature/tool.ts";
import { createDeck, type DeckDeps } from "./deck.ts";

function deckOf() {
  let tools: readonly InstalledTool[] = [];
  const offered = (name: string, more: Partial<InstalledTool> = {}): InstalledTool => ({
    tool: defineTool({ name, description: name, parameters: {}, run: async () => textResult(name) }),
    accesses: () => [],
    feature: "project:a",
    ...more,
  });
  const fence = { deadlineMs: 1_000, onGateFailure: "allow", onFault: () => undefined } as const;
  const deck = createDeck({
    tools: () => tools,
    ownerOf: (tool) => (tool === "never" ? undefined : "project:a"),
    permissions: {
      refusesAll: () => undefined,
      deny: async () => ({ kind: "allow" }),
      check: async () => ({ kind: "allow" }),
      recall: () => undefined,
      forget: () => undefined,
    } as never,
    hooks: createHooks({ subscriptions: [], interceptors: [] }, fence),
    authority: {} as never,
    context: (signal) => makeLocalContext("/", { signal }),
  });
  return {
    deck,
    offered,
    set: (...now: readonly InstalledTool[]) => {
      tools = now;
    },
    shown: () => deck.descriptors.map(({ name }) => name),
    call: async (name: string) =>
      (await deck.run({ id: "1", name, input: {} }, new AbortController().signal)).text,
  };
}

it("shows one list for a whole turn, and what comes later behind what was shown before", () => {
  const { deck, offered, set, shown } = deckOf();
  const [one, two, three] = ["one", "two", "three"].map((name) => offered(name));
  if (!one || !two || !three) throw new Error("three tools");
  set(one, three);
  deck.beginTurn();
  const before = deck.descriptors;
  set(one, two, three); // in registry order: at the position of their feature
  expect(deck.descriptors).toBe(before);
  deck.beginTurn();
  expect(shown()).toEqual(["one", "three", "two"]);
  expect(JSON.stringify(deck.descriptors).startsWith(JSON.stringify(before).slice(0, -1))).toBe(true);
  const other = defineTool({
    name: "one",
    description: "other",
    parameters: {},
    run: async () => textResult(""),
  });
  set(offered("one", { tool: other }), two);
  deck.beginTurn();
  expect(deck.descriptors.map(({ name, description }) => [name, description])).toEqual([
    ["one", "other"], // a changed tool keeps its place
    ["two", "two"],
  ]);
});

it("is the same list where nothing has changed", () => {
  const { deck, offered, set } = deckOf();
  set(offered("one"));
  deck.beginTurn();
  const before = deck.descriptors;
  deck.beginTurn();
  expect(deck.descriptors).toBe(before);
});

it("does not show what rests, and shows it again when it does not", () => {
  const { deck, offered, set, shown } = deckOf();
  let isOut = true;
  set(offered("one", { rests: () => isOut }), offered("two"));
  deck.beginTurn();
  expect(shown()).toEqual(["two"]);
  isOut = false;
  expect(shown()).toEqual(["two"]);
  deck.beginTurn();
  expect(shown()).toEqual(["two", "one"]);
});

it("answers a call of a tool that has gone with whose it was", async () => {
  const { deck, offered, set, call } = deckOf();
  set(offered("one"));
  deck.beginTurn();
  expect(await call("one")).toBe("one");
  set();
  expect(await call("one")).toBe(
    'This session exposes no tool called "one" any more: its owner, project:a, was removed or changed.',
  );
  expect(await call("never")).toBe('This session exposes no tool called "never". It has one.');
});

it.each([
  [
    undefined,
    "tools must be a list or a function, found nothing; permissions must be an object, found nothing",
  ],
  [{ cwd: "/x" }, "tools must be a list or a function, found nothing"],
  [
    { tools: [], permissions: {}, hooks: {}, authority: 3 },
    "authority must be an object, found a number; context",
  ],
])("is not made of %j, and says what it lacks", (given, words) => {
  const make = (): unknown => createDeck(given as unknown as DeckDeps);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(/^createDeck takes \{ tools, permissions, hooks, authority, context \}: /);
  expect(make).toThrow(words);
});

import { expect, test } from "vitest";
import { makeLocalContext } from "../backends/local.ts";
import type { DefinedTool, ToolContext } from "./contract.ts";
import { defineTool } from "./define-tool.ts";
import { textResult } from "./results.ts";
import { ToolRegistry } from "./tool-registry.ts";

function tool(name: string, answer = name): DefinedTool {
  return defineTool({
    name,
    description: answer,
    parameters: { type: "object" },
    run: async () => textResult(answer),
  });
}

test("tools keep their order of registration, and a later one of the same name takes the earlier's place", () => {
  const newer = tool("b", "newer");
  const registry = new ToolRegistry().registerAll([tool("b"), tool("a")]).register(newer);
  expect(registry.names()).toEqual(["b", "a"]);
  expect(registry.get("b")).toBe(newer);
  expect([registry.has("a"), registry.has("c"), registry.get("c")]).toEqual([true, false, undefined]);
});

test("a collection holds registered tools only", () => {
  const registry = new ToolRegistry().registerAll([tool("a"), tool("b")]).collection("mine", ["b", "a"]);
  expect(registry.membersOf("mine")).toEqual(["b", "a"]);
  expect(registry.collectionNames()).toEqual(["mine"]);
  expect(() => registry.collection("bad", ["x"])).toThrow(
    expect.objectContaining({
      kind: "unknown_tool",
      subject: "x",
      known: ["a", "b"],
      message: 'No tool named "x" is registered.',
    }),
  );
  expect(() => registry.membersOf("y")).toThrow(
    expect.objectContaining({ message: 'No collection named "y" is registered.', known: ["mine"] }),
  );
});

test("a box advertises its collection and runs nothing else", async () => {
  const registry = new ToolRegistry().registerAll([tool("a"), tool("b")]).collection("mine", ["b"]);
  const box = registry.toToolBox(() => makeLocalContext("/"), "mine");
  const { signal } = new AbortController();
  expect(box.descriptors()).toEqual([{ name: "b", description: "b", parameters: { type: "object" } }]);
  expect(await box.runner.run({ id: "1", name: "b", input: {} }, signal)).toEqual({
    id: "1",
    output: "b",
    isError: false,
  });
  expect(await box.runner.run({ id: "2", name: "a", input: {} }, signal)).toEqual({
    id: "2",
    output: 'This session exposes no tool called "a".',
    isError: true,
  });
  expect(() => registry.toToolBox(() => makeLocalContext("/"), "none")).toThrow(
    expect.objectContaining({ message: 'No collection named "none" is registered.', known: ["mine"] }),
  );
});

test("each dispatch gets a fresh context with its own signal and the conversation's id", async () => {
  const seen: ToolContext[] = [];
  const spy = defineTool({
    name: "spy",
    description: "",
    parameters: {},
    run: async (_input, context) => {
      seen.push(context);
      return textResult("");
    },
  });
  const base = makeLocalContext("/");
  const box = new ToolRegistry().register(spy).toToolBox(() => base);
  const { signal } = new AbortController();
  await box.runner.run({ id: "1", name: "spy", input: {} }, signal);
  expect(seen.map((context) => [context === base, context.contextId, context.signal === signal])).toEqual([
    [false, base.contextId, true],
  ]);
  expect(makeLocalContext("/").contextId).not.toBe(base.contextId);
});

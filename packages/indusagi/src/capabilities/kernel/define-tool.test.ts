import { expect, test } from "vitest";
import { Aborted } from "../../core/abort.ts";
import { makeLocalContext } from "../backends/local.ts";
import type { Tool, ToolResult } from "./contract.ts";
import { coerceInput, defineTool, projectOutput } from "./define-tool.ts";
import { failureResult, jsonResult, textResult } from "./results.ts";

const call = { id: "c1", name: "greet", input: { name: "world" } };

function greet(run: Tool["run"]): ReturnType<typeof defineTool> {
  return defineTool({ name: "greet", description: "Says hello.", parameters: { type: "object" }, run });
}

async function outcomeOf(result: ToolResult): Promise<unknown> {
  return greet(async () => result).invoke(call, makeLocalContext("/"));
}

test("a lone text is a bare string, a lone value is itself, a mix is an array of kinds", async () => {
  expect(await outcomeOf(textResult("hi"))).toEqual({ id: "c1", output: "hi", isError: false });
  expect(await outcomeOf(jsonResult([1, null]))).toEqual({ id: "c1", output: [1, null], isError: false });
  expect(await outcomeOf(jsonResult({ n: 1 }, "one"))).toEqual({
    id: "c1",
    output: [
      { kind: "text", text: "one" },
      { kind: "json", value: { n: 1 } },
    ],
    isError: false,
  });
  expect(await outcomeOf(failureResult("no"))).toEqual({ id: "c1", output: "no", isError: true });
  expect(projectOutput([])).toEqual([]);
});

test("a call that is cancelled beforehand never runs", async () => {
  const signal = AbortSignal.abort();
  const tool = greet(() => Promise.reject(new Error("ran")));
  expect(await tool.invoke(call, makeLocalContext("/", { signal }))).toEqual({
    id: "c1",
    output: "Cancelled before greet could begin.",
    isError: true,
  });
});

test("whatever run throws becomes an error outcome", async () => {
  const thrown: readonly [unknown, string][] = [
    [new Error("disk gone"), "greet failed: disk gone"],
    ["a string", "greet failed: a string"],
    [undefined, "greet failed: a thrown undefined"],
    [new Aborted(), "Cancelled while greet was running."],
  ];
  for (const [error, output] of thrown) {
    const tool = greet(() => {
      throw error;
    });
    expect(await tool.invoke(call, makeLocalContext("/"))).toEqual({ id: "c1", output, isError: true });
  }
});

test("a value that is no tool result becomes an error outcome that says what a result is", async () => {
  const contents = ["hi", [{ type: "text", text: "hi" }], [null]];
  const results = contents.map((content): unknown => ({ content, isError: false }));
  for (const returned of [undefined, "hi", { content: [] }, ...results])
    expect(await outcomeOf(returned as ToolResult)).toEqual({
      id: "c1",
      output: expect.stringContaining("greet failed: its run must return { content, isError }"),
      isError: true,
    });
});

test("arguments are brought toward an object and nothing more", () => {
  expect(coerceInput(' {"a": 1} ')).toEqual({ a: 1 });
  expect(coerceInput("[1, 2]")).toEqual([1, 2]);
  expect(coerceInput(null)).toEqual({});
  expect(coerceInput(undefined)).toEqual({});
  expect(["{broken}", "plain", 7, true].map((input) => coerceInput(input))).toEqual([
    "{broken}",
    "plain",
    7,
    true,
  ]);
});

test("the facade surface carries texts, details and the error mark", async () => {
  const tool = greet(async (input) => jsonResult(input, "seen"));
  expect(await tool.execute("c1", { a: 1 }, makeLocalContext("/"))).toEqual({
    content: ["seen", '{"a":1}'],
    details: { a: 1 },
    isError: false,
  });
  expect(tool.descriptor()).toEqual({
    name: "greet",
    description: "Says hello.",
    parameters: { type: "object" },
  });
});

import type { ToolResult } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import type { FeatureFault } from "../install-report.ts";
import type { InterceptorStage } from "../interceptor.ts";
import { InterceptorChain } from "./interceptors.ts";

const CALL = { tool: "bash", callId: "c1", args: { command: "ls" } };
const RESULT: ToolResult = { content: [{ kind: "text", text: "a.ts" }], isError: false };

async function runThrough(...stages: readonly InterceptorStage[]) {
  const faults: string[] = [];
  const executed: JsonValue[] = [];
  const chain = new InterceptorChain(
    stages.map((stage, at) => ({ feature: `project:f${at}`, match: "bash", ...stage })),
    { deadlineMs: 50, onGateFailure: "allow", onFault: ({ message }: FeatureFault) => faults.push(message) },
  );
  const outcome = await chain.run(CALL, async (args) => {
    executed.push(args);
    return RESULT;
  });
  return { outcome, executed, faults };
}

const unchanged = { result: RESULT, args: CALL.args, argsChangedBy: [], resultChangedBy: [] };

describe("an enter stage", () => {
  it("replaces the arguments, or blocks the call", async () => {
    const args = { command: "ls -a" };
    const { outcome, executed } = await runThrough({ enter: () => ({ args }) });
    expect({ outcome, executed }).toEqual({
      outcome: { ...unchanged, args, argsChangedBy: [{ feature: "project:f0" }] },
      executed: [args],
    });
    const blocked = await runThrough({ enter: () => ({ stop: true, reason: "no" }) });
    expect(blocked.executed).toEqual([]);
    expect(blocked.outcome.blocked).toEqual({ stop: true, reason: "no", by: { feature: "project:f0" } });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["an empty outcome", {}],
    ["null arguments", { args: null }],
    ["no stop", { stop: null }],
    ["no stop, and null arguments", { stop: false, reason: null, args: null }],
    ["the same arguments, written anew", { args: { command: "ls" } }],
  ])("that returns %s changes nothing, and is no fault", async (_name, returned) => {
    const { outcome, faults } = await runThrough({ enter: () => returned as never });
    expect({ outcome, faults }).toEqual({ outcome: unchanged, faults: [] });
  });

  it.each<[string, unknown, string]>([
    ["a text", "stop", "an enter stage must return arguments, a decision or nothing, not a string"],
    ["another outcome", { command: "ls" }, "its outcome has command; expected args, stop or reason"],
    ["a stop that is no boolean", { stop: "false" }, 'its "stop" must be a boolean, not a string'],
    ["a reason without a stop", { reason: "no" }, 'its decision has a "reason" but no "stop"'],
    ["arguments that are no JSON", { args: () => 1 }, 'its "args" must be JSON, not a function'],
  ])("that returns %s is a fault and changes nothing", async (_name, returned, why) => {
    const { outcome, executed, faults } = await runThrough({ enter: () => returned as never });
    expect({ outcome, executed, faults }).toEqual({
      outcome: unchanged,
      executed: [CALL.args],
      faults: [`project:f0 failed around bash: ${why}`],
    });
  });
});

describe("an exit stage", () => {
  it("replaces the result", async () => {
    const result: ToolResult = { content: [{ kind: "json", value: { files: 1 } }], isError: false };
    const { outcome } = await runThrough({ exit: () => result });
    expect(outcome).toEqual({ ...unchanged, result, resultChangedBy: [{ feature: "project:f0" }] });
  });

  it.each<[string, unknown]>([
    ["a text", "b.ts"],
    ["content as a text", { content: "b.ts" }],
    ["a block that is a text", { content: ["b.ts"] }],
    ["a block with its kind as type", { content: [{ type: "text", text: "b.ts" }] }],
    ["a block with its kind", { content: [{ kind: "text", text: "b.ts" }], isError: null }],
  ])("may return %s: all mean the same", async (_name, returned) => {
    const { outcome, faults } = await runThrough({ exit: () => returned as never });
    const result = { content: [{ kind: "text", text: "b.ts" }], isError: false };
    expect({ outcome, faults }).toEqual({
      outcome: { ...unchanged, result, resultChangedBy: [{ feature: "project:f0" }] },
      faults: [],
    });
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["the same result, written anew", { isError: false, content: [{ text: "a.ts", kind: "text" }] }],
  ])("that returns %s changes nothing, and is no fault", async (_name, returned) => {
    const { outcome, faults } = await runThrough({ exit: () => returned as never });
    expect({ outcome, faults }).toEqual({ outcome: unchanged, faults: [] });
  });

  it.each<[string, unknown, string]>([
    ["a number", 5, 'a result must be a string or { content: "…" }, not a number'],
    ["no content", { isError: false }, "its result.content is missing"],
    [
      "a verdict that is none",
      { content: [], isError: 1 },
      "its result.isError must be boolean, found integer",
    ],
    [
      "a block of another kind",
      { content: [{ kind: "picture" }], isError: false },
      'its result.content[0].kind must be one of "text", "json", found "picture"',
    ],
    ["a block of no kind", { content: [{ text: "a" }] }, "its result.content[0].kind is missing"],
    [
      "a text that is none",
      { content: [{ kind: "text", text: 1 }] },
      "its result.content[0].text must be string, found integer",
    ],
    [
      "a value that is no JSON",
      { content: [{ kind: "json", value: 1n }], isError: false },
      "Do not know how to serialize a BigInt",
    ],
    [
      "more blocks than a result may have",
      { content: Array(1_001).fill("a") },
      "its result.content must have at most 1000 items, found 1001",
    ],
  ])("that returns %s is a fault and changes nothing", async (_name, returned, why) => {
    const { outcome, faults } = await runThrough({ exit: () => returned as never });
    expect({ outcome, faults }).toEqual({
      outcome: unchanged,
      faults: [`project:f0 failed around bash: ${why}`],
    });
  });
});

it("what a stage is handed is frozen: changing it in place is a fault and changes nothing", async () => {
  const { outcome, executed, faults } = await runThrough({
    enter: (context) => {
      (context.args as { command: string }).command = "rm -rf /";
      return undefined;
    },
    exit: ({ result }) => {
      (result.content as unknown[]).push({ kind: "text", text: "forged" });
      return undefined;
    },
  });
  expect(executed).toEqual([CALL.args]);
  expect(outcome).toEqual(unchanged);
  expect(faults).toEqual([
    expect.stringContaining("Cannot assign to read only property 'command'"),
    expect.stringContaining("object is not extensible"),
  ]);
});

import type { ToolResult } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import type { FeatureFault, InterceptorStage } from "./contract.ts";
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

  it.each<[string, unknown, string]>([
    ["null", null, "an enter stage must return arguments, a decision or undefined, not null"],
    ["a text", "stop", "an enter stage must return arguments, a decision or undefined, not a string"],
    ["neither half", {}, 'its "args" must be JSON, not undefined'],
    ["a stop that is no boolean", { stop: "false" }, 'its "stop" must be a boolean, not a string'],
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

  it.each<[string, unknown, string]>([
    ["a text", "a.ts", "an exit stage must return a tool result or undefined, not a string"],
    ["no content", { isError: false }, 'its "content" must be a list, not undefined'],
    ["no verdict", { content: [] }, 'its "isError" must be a boolean, not undefined'],
    [
      "a block of another kind",
      { content: [{ kind: "picture" }], isError: false },
      "its blocks must be { kind: text, text } or { kind: json, value }",
    ],
    [
      "a value that is no JSON",
      { content: [{ kind: "json", value: 1n }], isError: false },
      "Do not know how to serialize a BigInt",
    ],
  ])("that returns %s is a fault and changes nothing", async (_name, returned, why) => {
    const { outcome, faults } = await runThrough({ exit: () => returned as never });
    expect({ outcome, faults }).toEqual({
      outcome: unchanged,
      faults: [`project:f0 failed around bash: ${why}`],
    });
  });
});

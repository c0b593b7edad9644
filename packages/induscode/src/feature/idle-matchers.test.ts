import { defineTool, textResult } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import type { FeatureId } from "./descriptor.ts";
import { InterceptorChain } from "./dispatch/interceptors.ts";
import type { EventSubscription } from "./handler.ts";
import { idleMatcherInWords, idleMatchers } from "./idle-matchers.ts";
import type { ToolInterceptor } from "./interceptor.ts";
import type { ToolContribution } from "./tool.ts";
import { BUILTIN_TOOL_NAMES, builtinToolName, FOREIGN_TOOL_NAMES, meansTool } from "./tool-names.ts";

const tool = (name: string, parameters = {}): ToolContribution => ({
  tool: defineTool({ name, description: "", parameters, run: async () => textResult("") }),
  accesses: () => [],
});
const around = (match: string, feature: FeatureId = "project:a"): ToolInterceptor => ({
  feature,
  match,
  enter: () => ({ stop: true, reason: "no" }),
});
const gate = (match?: string, matchArgument?: string): EventSubscription => ({
  feature: "project:b",
  event: "tool:before",
  handler: {
    kind: "gate",
    match,
    matchArgument,
    run: () => undefined,
  },
});

describe("a matcher", () => {
  it.each<readonly [string, string, boolean]>([
    ["bash", "bash", true],
    ["*", "bash", true],
    ["shell", "bash", true],
    ["todoread", "todo_read", true],
    ["todowrite", "todo_set", true],
    ["shell", "shell", true],
    ["shell", "read", false],
    ["bash", "shell", false],
    ["Shell", "bash", true],
    ["Bash", "bash", true],
    ["todo-read", "todo_read", true],
    ["Glob", "find", true],
    ["bash", "Bash", false],
    ["toString", "bash", false],
  ])("%s, of the tool %s: %s", (match, name, means) => {
    expect(meansTool(match, name)).toBe(means);
  });

  it("by the documented name stops the built-in tool (twin: another name stops nothing)", async () => {
    const stopped = async (match: string): Promise<boolean> => {
      const chain = new InterceptorChain([around(match)], {
        deadlineMs: 1_000,
        onGateFailure: "allow",
        onFault: () => undefined,
      });
      const ran = await chain.run({ tool: "bash", callId: "c", args: {} }, async () => textResult("ran"));
      return ran.blocked !== undefined && chain.matches("bash");
    };
    expect([await stopped("shell"), await stopped("shel")]).toEqual([true, false]);
  });
});

it("what waits for a tool that nobody has is told once for each feature and name", () => {
  const idle = idleMatchers({
    tools: [tool("bash"), tool("read")],
    interceptors: [
      around("bash"),
      around("shell"),
      around("*"),
      around("baash"),
      around("baash"),
      around("deploy"),
    ],
    subscriptions: [gate("read"), gate("reed")],
  });
  expect(idle.map((each) => `${each.feature}: ${idleMatcherInWords(each)}`)).toEqual([
    'project:a: it matches the tool "baash", which this session does not have: did you mean "bash"?',
    'project:a: it matches the tool "deploy", which this session does not have: did you mean a different tool?',
    'project:b: it matches the tool "reed", which this session does not have: did you mean "read"?',
  ]);
});

it("what waits for an argument that no tool it means has is told, where the schemas say which there are", () => {
  const closed = { properties: { command: {}, timeout_ms: {} } };
  const told = (...subscriptions: readonly EventSubscription[]): readonly string[] =>
    idleMatchers({
      tools: [tool("bash", closed), tool("notes", { ...closed, additionalProperties: true })],
      interceptors: [],
      subscriptions,
    }).map(idleMatcherInWords);
  const has = 'does not have: it has "command", "timeout_ms"';
  expect(
    told(gate("bash", "cmd"), gate("shell", "cmd"), gate("bash", "cmd"), gate("bash", "command")),
  ).toEqual([
    `it matches the argument "cmd", which the tool "bash" ${has}`,
    `it matches the argument "cmd", which the tool "shell" ${has}`,
  ]);
  // Whatever it means may have any argument, or is not there at all.
  expect(told(gate("notes", "cmd"), gate("*", "cmd"), gate(undefined, "cmd"))).toEqual([]);
  expect(told(gate("baash", "cmd"))).toEqual([expect.stringContaining('the tool "baash"')]);
  const { length } = idleMatchers({
    tools: [tool("bash", closed)],
    interceptors: [],
    subscriptions: [gate(undefined, "cmd"), gate("*", "command")],
  });
  expect(length).toBe(1);
});

it("a matcher and a rule know the same names, each of one tool", () => {
  for (const name of [...BUILTIN_TOOL_NAMES, ...FOREIGN_TOOL_NAMES]) {
    expect(BUILTIN_TOOL_NAMES.filter((tool) => meansTool(name, tool))).toEqual([builtinToolName(name)]);
  }
});

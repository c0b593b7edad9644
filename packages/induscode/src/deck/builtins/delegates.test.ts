import { makeLocalContext } from "indusagi/capabilities";
import { createSessionScope, type JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import {
  DELEGATES,
  type DelegateReport,
  type DelegateRole,
  type DelegateWork,
  delegatesFeature,
  hasTool,
} from "./delegates.ts";

const ROLES: readonly DelegateRole[] = [
  { name: "scout", toolCollection: "read-only" },
  { name: "looker", tools: ["read", "todo_set"] },
  { name: "coder", toolCollection: "coding" },
];

async function taskTool(report: DelegateReport = { ok: true, report: "found", cost: 0 }) {
  const asked: (DelegateWork & { readonly agent: string })[] = [];
  const feature = delegatesFeature({
    roles: ROLES,
  });
  const session = createSessionScope();
  session.put(DELEGATES, async (agent, work) => {
    asked.push({ agent, ...work });
    return report;
  });
  const { tools } = await installFeatures([feature], grantDeclared);
  const [contribution] = tools;
  if (!contribution) throw new Error("no tool was installed");
  const call = (input: JsonValue) =>
    contribution.tool.invoke(
      { id: "1", name: "task", input },
      makeLocalContext("/", { framework: { session } }),
    );
  return { asked, call, contribution };
}

describe("the tool task", () => {
  it("hands on the words, and answers with the report", async () => {
    const { asked, call } = await taskTool();
    const request = { agent: "scout", objective: "Find it.", context: "It is blue." };
    expect(await call(request)).toMatchObject({ output: "found", isError: false });
    expect(asked).toEqual([request]);
  });

  it("a delegate that did not finish is an error outcome", async () => {
    const { call } = await taskTool({ ok: false, report: "it broke", cost: 0 });
    expect(await call({ agent: "scout", objective: "x" })).toMatchObject({
      output: "it broke",
      isError: true,
    });
  });

  it.each([
    [{ agent: "nobody", objective: "x" }, "expected agent to be one of scout, looker, coder, found nobody"],
    [{ objective: "x" }, "expected agent to be one of scout, looker, coder, found nothing"],
    [{ agent: "scout" }, "expected an objective, found nothing"],
    [
      { agent: "scout", objective: "x".repeat(70_000) },
      "expected at most 65536 bytes: put the rest into a file and name it",
    ],
  ])("refuses %.60j in words and runs nothing", async (input, told) => {
    const { asked, call } = await taskTool();
    expect(await call(input)).toMatchObject({ output: told, isError: true });
    expect(asked).toEqual([]);
  });

  it("runs alone where the delegate may change something, and never takes the place of calls that work here", async () => {
    const { contribution } = await taskTool();
    const alone = ROLES.map(({ name }) => contribution.alone?.({ agent: name, objective: "x" }));
    expect(alone).toEqual([false, false, true]);
    expect([contribution.alone?.({}), contribution.waits]).toEqual([false, true]);
  });
});

describe("hasTool", () => {
  it.each<readonly [Omit<DelegateRole, "name">, readonly string[]]>([
    [{}, ["read", "edit", "bash", "addon_tool"]],
    [{ toolCollection: "all" }, ["read", "edit", "bash", "addon_tool"]],
    [{ toolCollection: "coding" }, ["read", "edit", "bash"]],
    [{ toolCollection: "read-only" }, ["read"]],
    [{ toolCollection: "read-only", tools: ["read", "bash"] }, ["read"]],
    [{ tools: ["addon_tool", "bash", "task"] }, ["bash", "addon_tool"]],
    [{ tools: [] }, []],
    [{ withheldTools: ["bash", "read"] }, ["edit", "addon_tool"]],
    [{ withheldTools: ["*"] }, []],
    [{ tools: ["read", "bash"], withheldTools: ["bash"] }, ["read"]],
  ])("%j: %j", (limits, expected) => {
    const all = ["read", "edit", "bash", "process", "task", "addon_tool"];
    expect(all.filter((name) => hasTool({ name: "x", ...limits }, name))).toEqual(expected);
  });
});

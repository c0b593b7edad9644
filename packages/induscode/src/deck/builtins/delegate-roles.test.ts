import { describe, expect, it } from "vitest";
import { type DelegateRole, hasTool } from "./delegate-roles.ts";

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

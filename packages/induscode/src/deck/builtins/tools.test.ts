import { BUILTIN_TOOLS } from "indusagi/capabilities";
import { readSchema } from "indusagi/core";
import { expect, it } from "vitest";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import { processesFeature } from "./processes.ts";
import { filesFeature, planningFeature, searchFeature, shellFeature, webFeature } from "./tools.ts";

const features = await installFeatures(
  [
    filesFeature(),
    searchFeature(),
    shellFeature(),
    processesFeature(),
    planningFeature(),
    webFeature({ env: {} }),
  ],
  grantDeclared,
);

it("installs the tools in their order, with nothing skipped", () => {
  const groups = ["files", "search", "shell", "processes", "planning", "web"];
  const expected = groups.flatMap((group) => BUILTIN_TOOLS.filter((row) => row.group === group));
  expect(expected.length).toBe(BUILTIN_TOOLS.length);
  expect(features.tools.map(({ tool }) => tool.name)).toEqual(expected.map(({ name }) => name));
  expect(features.reports.flatMap((report) => report.skipped)).toEqual([]);
});

it.each(features.tools.map((contribution) => [contribution.tool.name, contribution] as const))(
  "%s has a valid schema",
  async (_name, { tool }) => {
    expect(readSchema(tool.parameters)).toMatchObject({ ok: true, unchecked: [], isCostly: false });
  },
);

it.each([
  ["read", { path: "a" }, [{ kind: "read", path: "/w/a" }]],
  ["write", { path: "/x" }, [{ kind: "write", path: "/x" }]],
  [
    "edit",
    { path: "../x" },
    [
      { kind: "read", path: "/x" },
      { kind: "write", path: "/x" },
    ],
  ],
  ["ls", {}, [{ kind: "read", path: "/w" }]],
  ["grep", { pattern: "x" }, [{ kind: "read", path: "/w" }]],
  ["find", { query: "x", path: "sub" }, [{ kind: "read", path: "/w/sub" }]],
  ["bash", { command: "ls", cwd: "sub" }, [{ kind: "execute", command: "ls", cwd: "/w/sub" }]],
  [
    "process",
    { action: "start", command: "npm start" },
    [{ kind: "execute", command: "npm start", cwd: "/w" }],
  ],
  ["process", { action: "poll", id: "job-1" }, []],
  ["todo_set", { items: [] }, []],
  ["websearch", { query: "x" }, [{ kind: "network", host: "html.duckduckgo.com" }]],
  ["webfetch", { url: "https://docs.example/x" }, [{ kind: "network", host: "docs.example" }]],
  ["webfetch", { url: "nonsense" }, [{ kind: "network", host: "unknown" }]],
  ["bash", null, [{ kind: "execute", command: "", cwd: "/w" }]],
])("%s with %j touches what the permission check is told", (name, input, accesses) => {
  const contribution = features.tools.find(({ tool }) => tool.name === name);
  expect(contribution?.accesses(input, "/w")).toEqual(accesses);
});

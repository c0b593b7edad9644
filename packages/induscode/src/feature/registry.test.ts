import { defineTool, textResult } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import type { FeatureId, FeatureRuntimeKind } from "./descriptor.ts";
import type { FeatureModule } from "./install.ts";
import { grantDeclared, installFeatures } from "./registry.ts";
import type { ToolContribution } from "./tool.ts";

function tool(name: string, parameters = {}): ToolContribution {
  return {
    tool: defineTool({ name, description: name, parameters, run: async () => textResult(name) }),
    accesses: () => [],
  };
}

interface Given {
  readonly id: FeatureId;
  readonly runtime?: FeatureRuntimeKind;
  readonly tools?: readonly ToolContribution[];
  readonly commands?: readonly string[];
  /** What it declares, if different from what it records. */
  readonly declares?: { readonly tools?: readonly string[]; readonly commands?: readonly string[] };
}

function feature({
  id,
  runtime = "builtin",
  tools = [],
  commands = [],
  declares = {},
}: Given): FeatureModule {
  const declaredTools = declares.tools ?? tools.map((contribution) => contribution.tool.name);
  return {
    descriptor: {
      id,
      displayName: id,
      runtime,
      requestedCapabilities: declaredTools.map((name) => ({
        capability: { kind: "contribute_tool", name },
        required: true,
        reason: "test",
      })),
      declaredTools,
      declaredCommands: declares.commands ?? commands,
      declaredHooks: [],
      declaredTasks: [],
    },
    install(context) {
      for (const contribution of tools) context.tools.register(contribution);
      for (const name of commands) context.commands.register({ name, summary: name, run: () => undefined });
    },
  };
}

describe("installFeatures", () => {
  it("commits what was declared, granted and free, in install order, with a report for each", async () => {
    const modules = [
      feature({ id: "builtin:b", tools: [tool("two"), tool("one")], commands: ["help"] }),
      feature({ id: "builtin:a", tools: [tool("three")] }),
    ];
    const installed = await installFeatures(modules, grantDeclared);
    expect(installed.tools.map(({ tool }) => tool.name)).toEqual(["two", "one", "three"]);
    expect(installed.commands.map(({ name, feature }) => [name, feature])).toEqual([["help", "builtin:b"]]);
    expect(installed.reports[0]).toEqual({
      feature: "builtin:b",
      displayName: "builtin:b",
      runtime: "builtin",
      enabled: true,
      granted: [
        { kind: "contribute_tool", name: "two" },
        { kind: "contribute_tool", name: "one" },
      ],
      denied: [],
      tools: ["two", "one"],
      commands: ["help"],
      hooks: [],
      tasks: [],
      skipped: [],
      diagnostics: [],
      faults: [],
      installMs: expect.any(Number),
    });
  });

  it("gives a name to its first claimant and reports the later one as a conflict", async () => {
    const modules = [
      feature({ id: "builtin:first", tools: [tool("read")], commands: ["go"] }),
      feature({ id: "project:second", runtime: "declarative", tools: [tool("read")], commands: ["go"] }),
    ];
    const { tools, commands, reports } = await installFeatures(modules, grantDeclared);
    expect([tools.length, commands.length]).toEqual([1, 1]);
    expect(reports[1]).toMatchObject({
      enabled: false,
      skipped: [
        { kind: "tool", name: "read", reason: 'the tool name "read" is taken by builtin:first' },
        { kind: "command", name: "go", reason: 'the command name "/go" is taken by builtin:first' },
      ],
      faults: [
        { kind: "conflict", owner: "project:second" },
        { kind: "conflict", owner: "project:second" },
      ],
    });
  });

  it.each(["help", "quit", "exit", "clear", "model", "compact"])(
    "keeps /%s from anything that is not built in",
    async (name) => {
      const { commands, reports } = await installFeatures(
        [feature({ id: "project:x", runtime: "declarative", commands: [name] })],
        grantDeclared,
      );
      expect(commands).toEqual([]);
      expect(reports[0]?.skipped).toEqual([
        { kind: "command", name, reason: `the command name "/${name}" is reserved for the host` },
      ]);
    },
  );

  it("refuses what was not declared", async () => {
    const surplus = feature({
      id: "project:x",
      runtime: "declarative",
      tools: [tool("said"), tool("unsaid")],
      commands: ["hidden"],
      declares: { tools: ["said"], commands: [] },
    });
    const { tools, commands, reports } = await installFeatures([surplus], grantDeclared);
    expect(tools.map(({ tool }) => tool.name)).toEqual(["said"]);
    expect(commands).toEqual([]);
    expect(reports[0]?.skipped.map(({ reason }) => reason)).toEqual([
      'the tool "unsaid" was not declared',
      'the command "/hidden" was not declared',
    ]);
  });

  it("refuses a tool without its grant; asking is not having", async () => {
    const { tools, reports } = await installFeatures(
      [feature({ id: "project:x", tools: [tool("read")] })],
      () => [],
    );
    expect(tools).toEqual([]);
    expect(reports[0]).toMatchObject({
      denied: [
        {
          capability: { kind: "contribute_tool", name: "read" },
          required: true,
          why: "denied",
          reason: "it was not granted",
        },
      ],
      skipped: [{ kind: "tool", name: "read", reason: 'no grant to contribute the tool "read"' }],
    });
  });

  it("refuses a bad name and a bad schema before the session is touched", async () => {
    const bad = feature({
      id: "project:x",
      runtime: "declarative",
      tools: [tool("with space"), tool("odd", { type: "no such type" })],
      commands: ["Bad Name"],
    });
    const { tools, commands, reports } = await installFeatures([bad], grantDeclared);
    expect([tools, commands]).toEqual([[], []]);
    expect(reports[0]?.skipped.map(({ reason }) => reason)).toEqual([
      '"with space" is not a valid tool name: expected 1 to 64 letters, digits, _ or -',
      expect.stringContaining('the schema of "odd" is invalid'),
      '"Bad Name" is not a valid command name: expected lower-case letters, digits, - _ :',
    ]);
  });

  it.each([
    ["module", "outside", "commands that leave the sandbox"],
    ["python", "Outside", "commands that leave the sandbox"],
    ["process", "shell", 'the tool "bash"'],
    ["wasm", "web_fetch", 'the tool "webfetch"'],
    ["module", "mcp__github__push", "the tools of an MCP server"],
    ["mcp", "mcp__github__push", undefined],
    ["module", "find_tools", "a tool for MCP servers"],
    ["module", "Call-Tool", "a tool for MCP servers"],
    ["module", "outsider", undefined],
    ["builtin", "bash", undefined],
  ] as const)(
    "lets no tool of the kind %s shadow a word of permission rules: %s",
    async (runtime, name, meaning) => {
      const id = runtime === "builtin" ? "builtin:x" : "project:x";
      const { tools, reports } = await installFeatures(
        [feature({ id, runtime, tools: [tool(name)] })],
        grantDeclared,
      );
      expect(tools.map((each) => each.tool.name)).toEqual(meaning === undefined ? [name] : []);
      expect(reports[0]?.skipped.map(({ reason }) => reason)).toEqual(
        meaning === undefined
          ? []
          : [`the tool name "${name}" is a word of permission rules, for ${meaning}: rename the tool`],
      );
    },
  );

  it("fences a module that throws: it contributes nothing, the others everything", async () => {
    const broken: FeatureModule = {
      ...feature({ id: "project:broken" }),
      install(context) {
        context.tools.register(tool("half"));
        throw new Error("boom");
      },
    };
    const { tools, reports } = await installFeatures(
      [broken, feature({ id: "builtin:x", tools: [tool("read")] })],
      grantDeclared,
    );
    expect(tools.map(({ tool }) => tool.name)).toEqual(["read"]);
    expect(reports[0]?.faults).toEqual([
      {
        kind: "register",
        owner: "project:broken",
        message: "project:broken failed while registering: boom",
        cause: new Error("boom"),
      },
    ]);
  });
});

it("a gate where nothing can be stopped is told (twin: where it can, nothing is)", async () => {
  const gates = async (event: "turn:end" | "tool:before"): Promise<readonly string[]> => {
    const { reports } = await installFeatures(
      [
        {
          descriptor: {
            id: "project:gate",
            displayName: "gate",
            runtime: "builtin",
            requestedCapabilities: [],
            declaredTools: [],
            declaredCommands: [],
            declaredHooks: [event],
            declaredTasks: [],
          },
          install: ({ hooks }) => hooks.on(event, { kind: "gate", run: () => undefined }),
        },
      ],
      () => [{ kind: "contribute_hook", point: event }],
    );
    return reports.flatMap(({ diagnostics }) => diagnostics.map(({ text }) => text));
  };
  expect(await gates("turn:end")).toEqual(["its gate cannot stop anything at turn:end"]);
  expect(await gates("tool:before")).toEqual([]);
});

import { defineTool, textResult } from "indusagi/capabilities";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HostCapability } from "../descriptor.ts";
import type { FeatureInstallContext, FeatureModule } from "../install.ts";
import { createRegistry, type FeatureRegistry, grantDeclared, installFeatures } from "../registry.ts";

afterEach(() => void vi.useRealTimers());

const throwing = (): never => {
  throw new Error("not today");
};
const trap = new Proxy({}, { get: throwing, ownKeys: throwing, has: throwing });

const NAMES = ["t", "u"];
const GRANTS: readonly HostCapability[] = [
  ...NAMES.map((name): HostCapability => ({ kind: "contribute_tool", name })),
  { kind: "contribute_hook", point: "tool:after" },
  { kind: "contribute_hook", point: "intercept:*" },
  { kind: "background_task" },
  { kind: "network", purpose: "p", hosts: ["a.b"] },
];

/** A feature from outside; `install` may hand over anything. */
function feature(install: (context: Loose) => void | Promise<void>, descriptor: object = {}): FeatureModule {
  return {
    descriptor: {
      id: "plugin:p",
      displayName: "p",
      runtime: "module",
      requestedCapabilities: GRANTS.map((capability) => ({ capability, required: false, reason: "r" })),
      declaredTools: NAMES,
      declaredCommands: NAMES,
      declaredHooks: ["tool:after", "intercept:*"],
      declaredTasks: NAMES,
      ...descriptor,
    },
    install: install as FeatureModule["install"],
  };
}

/** The surface without its types. */
interface Loose extends Omit<FeatureInstallContext, "tools" | "commands" | "tasks" | "providers" | "hooks"> {
  readonly tools: { readonly register: (given: unknown) => void };
  readonly commands: { readonly register: (given: unknown) => void };
  readonly tasks: { readonly register: (given: unknown) => void };
  readonly providers: { readonly register: (given: unknown) => void };
  readonly hooks: {
    readonly on: (event: unknown, handler: unknown) => void;
    readonly interceptTool: (match: unknown, stage: unknown) => void;
  };
}

const defined = defineTool({
  name: "t",
  description: "d",
  parameters: {},
  run: async () => textResult("ok"),
});
const tool = (own: object = {}, besides: object = {}) => ({
  tool: { ...defined, ...own },
  accesses: () => [],
  ...besides,
});
const good = tool({ name: "u" });
const run = async (): Promise<void> => undefined;
const task = { id: "t", description: "d", activation: "session", restart: "never", graceMs: 0, run };
const provider = { config: { id: "x", baseUrl: "https://a.b/v1" }, models: {} };

async function install(...modules: readonly unknown[]): Promise<FeatureRegistry> {
  return installFeatures(modules as readonly FeatureModule[], grantDeclared);
}

describe("a contribution that cannot be taken costs itself alone, and is named", () => {
  it.each<[string, unknown, string, string]>([
    ["no object", 7, "without a name", "it must be an object, found 7"],
    ["nothing", undefined, "without a name", "found nothing"],
    ["a proxy that throws", trap, "without a name", "it throws when read: not today"],
    ["no tool", {}, "without a name", "tool must be an object, found nothing"],
    ["a name that is a number", tool({ name: 7 }), "without a name", "tool.name must be a string, found 7"],
    ["a name that is a symbol", tool({ name: Symbol("x") }), "without a name", "found a symbol"],
    ["a name of a megabyte", tool({ name: "x".repeat(1e6) }), "x…", "1 to 1000 characters, found 1000000"],
    ["a name with a line break", tool({ name: "a\nb" }), "a b", "tool.name must be one line"],
    ["a name called __proto__", tool({ name: "__proto__" }), "__proto__", "was not declared"],
    [
      "a getter that throws",
      {
        tool: {
          ...defined,
          get description() {
            return throwing();
          },
        },
        accesses: run,
      },
      "t",
      "not today",
    ],
    ["no accesses", { tool: defined }, "t", "accesses must be a function, found nothing"],
    ["an invoke that is none", tool({ invoke: {} }), "t", "tool.invoke must be a function, found a object"],
    ["a schema that is a promise", tool({ parameters: (async () => ({}))() }), "", ""],
    [
      "a schema that is none",
      tool({ parameters: { type: "any" } }),
      "t",
      'the schema of "t" is invalid: schema/type must be one of',
    ],
    ["a schema for a list", tool({ parameters: { type: "array" } }), "t", "schema/type must be object"],
    [
      "a need that is none",
      tool({}, { requiredCapabilities: [{ kind: "magic" }] }),
      "t",
      "requiredCapabilities.0.kind must be one of",
    ],
    ["waits that is a text", tool({}, { waits: "yes" }), "t", 'waits must be true or false, found "yes"'],
  ])("a tool: %s", async (_what, given, name, reason) => {
    const { tools, reports } = await install(
      feature(({ tools: { register } }) => [given, good].forEach(register)),
    );
    const skipped = reports[0]?.skipped ?? [];
    if (reason === "")
      expect(skipped).toEqual([]); // an object without keys: takes everything
    else {
      expect(skipped).toEqual([
        {
          kind: "tool",
          name: expect.stringContaining(name.replace("…", "")),
          reason: expect.stringContaining(reason),
        },
      ]);
      expect(skipped[0]?.name.length).toBeLessThan(80);
    }
    expect(tools.map((each) => each.tool.name)).toContain("u");
  });

  it("a command, a handler, a stage, a task and a provider", async () => {
    const { reports } = await install(
      feature(({ commands, hooks, tasks, providers }) => {
        for (const given of [7, trap, { name: "t", summary: 7, run }, { name: "t", summary: "s" }])
          commands.register(given);
        commands.register({ name: "u", summary: "s".repeat(1e6), run });
        hooks.on(Symbol("e"), { kind: "observe", run });
        hooks.on("tool:after", { kind: "watch", run });
        hooks.on("tool:after", trap);
        hooks.on("no:event", { kind: "observe", run });
        hooks.on("tool:after", { kind: "observe", run });
        hooks.interceptTool(7, {});
        hooks.interceptTool("*", { enter: 7 });
        hooks.interceptTool("*", { enter: run });
        for (const graceMs of [Number.NaN, -1, "1", Number.POSITIVE_INFINITY])
          tasks.register({ ...task, graceMs });
        tasks.register({ ...task, restart: "always" });
        tasks.register({ ...task, description: "d".repeat(1e6) });
        tasks.register(task);
        for (const given of [
          trap,
          { config: {} },
          { ...provider, models: 7 },
          { ...provider, config: { ...provider.config, key: run } },
        ])
          providers.register(given);
        providers.register(provider);
      }),
    );
    const [report] = reports;
    expect(report).toMatchObject({ commands: ["u"], tasks: ["t"], providers: ["x"] });
    expect(report?.hooks).toEqual(["tool:after (observe)", "intercept:*"]);
    expect(report?.skipped.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`)).toEqual([
      "command without a name: it must be an object, found 7",
      "command without a name: it throws when read: not today",
      "command t: summary must be a string, found 7",
      "command t: run must be a function, found nothing",
      "hook without a name: the event must be a string, found a symbol",
      'hook tool:after: kind must be one of observe, transform, gate, found "watch"',
      "hook tool:after: it throws when read: not today",
      'hook no:event: "no:event" is not an event',
      "hook intercept:7: match must be a string, found 7",
      "hook intercept:*: enter must be a function, found 7",
      "task t: graceMs must be a number, 0 or more, found NaN",
      "task t: graceMs must be a number, 0 or more, found -1",
      'task t: graceMs must be a number, 0 or more, found "1"',
      "task t: graceMs must be a number, 0 or more, found Infinity",
      'task t: restart must be one of never, onFailure, found "always"',
      'task t: the task name "t" is taken by plugin:p',
      "provider without a name: it is not plain data: it throws when read: not today",
      "provider without a name: config.id must be a string, found nothing",
      "provider x: models must be an object, found 7",
      "provider x: it is not plain data: config/key is a function, which JSON does not have",
    ]);
  });
});

describe("a feature that cannot be taken costs itself alone", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "the module must be an object"],
    ["a proxy that throws", trap, "it throws when read: not today"],
    ["no descriptor", { install: run }, "the module.descriptor must be an object"],
    ["no id", feature(run, { id: undefined }), "id must be a string, found nothing"],
    ["an id of another kind", feature(run, { id: "p" }), "its id must be builtin:"],
    ["a huge id", feature(run, { id: `plugin:${"x".repeat(1e6)}` }), "1 to 300 characters"],
    [
      "no grants to ask for",
      feature(run, { requestedCapabilities: 7 }),
      "requestedCapabilities must be a list",
    ],
    [
      "a grant that is none",
      feature(run, {
        requestedCapabilities: [{ capability: { kind: "network", hosts: 7 }, required: true, reason: "r" }],
      }),
      "hosts must be a list",
    ],
    [
      "names that are none",
      feature(run, { declaredTools: [7] }),
      "declaredTools.0 must be a string, found 7",
    ],
    ["no install", { ...feature(run), install: 7 }, "install must be a function"],
  ])("%s", async (_what, module, reason) => {
    const next = feature(({ tools }) => tools.register(good), { id: "plugin:next" });
    const registry = await install(module, next);
    expect(registry.tools.map((each) => each.feature)).toEqual(["plugin:next"]);
    expect(registry.reports[0]).toMatchObject({
      enabled: false,
      faults: [{ kind: "register", message: expect.stringContaining(reason) }],
    });
  });

  it("an install that does not end ends after ten seconds, and what it records then is not taken", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const said: string[] = [];
    const registry = createRegistry({ diagnostic: (_feature, _severity, text) => void said.push(text) });
    let late: () => void = () => undefined;
    const added = registry.add({
      module: feature(({ tools }) => {
        late = () => tools.register(good);
        return new Promise<void>(() => undefined);
      }),
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await added).faults[0]?.message).toBe(
      "plugin:p failed while registering: it did not end within 10000 ms",
    );
    late();
    expect(registry.tools).toEqual([]);
    expect(said).toEqual(["a tool is skipped: install had ended"]);
  });
});

describe("what a feature in this process says has the bounds of an addon", () => {
  it("diagnostics, contributions, names and descriptions", async () => {
    const { reports, tasks, commands } = await install(
      feature(
        (context) => {
          for (let at = 0; at < 100_000; at++) context.diagnostic("info", `line ${at}`);
          context.diagnostic("info", Symbol("x") as never);
          for (let at = 0; at < 500; at++)
            context.commands.register({ name: "t", summary: "a\nb".repeat(1_000), run });
          context.tasks.register({ ...task, description: "x".repeat(1e6) });
        },
        { displayName: `a\n${"x".repeat(1e5)}`, version: "v".repeat(1e5) },
      ),
    );
    const [report] = reports;
    expect(report?.diagnostics.length).toBe(62);
    expect(report?.diagnostics.slice(-2).map(({ text }) => text)).toEqual([
      "and 99941 more",
      "300 more of kind command are skipped: a feature has at most 200",
    ]);
    expect(report?.displayName.length).toBeLessThanOrEqual(101);
    expect(report?.displayName).not.toContain("\n");
    expect(tasks[0]?.description.length).toBeLessThanOrEqual(4_097);
    expect(commands[0]?.summary.length).toBeLessThanOrEqual(301);
    expect(report?.skipped.length).toBe(199);
  });
});

describe("what the model is shown of a schema", () => {
  const shown = async (parameters: object) => {
    const { tools, reports } = await install(feature(({ tools }) => tools.register(tool({ parameters }))));
    return {
      parameters: tools[0]?.tool.descriptor().parameters,
      notes: reports[0]?.diagnostics.map(({ text }) => text),
    };
  };
  it.each<[string, object, object, readonly string[]]>([
    ["without a type", {}, { type: "object" }, []],
    ["of one that may be null", { type: ["object", "null"] }, { type: "object" }, []],
    [
      "that refers to a definition",
      {
        $ref: "#/definitions/A",
        definitions: { A: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
      },
      {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        definitions: expect.anything(),
      },
      [],
    ],
    [
      "that chooses",
      { oneOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] },
      { type: "object", properties: { a: {}, b: {} } },
      [expect.stringContaining("oneOf at the root of its schema, which providers refuse")],
    ],
  ])("%s", async (_what, parameters, expected, notes) => {
    expect(await shown(parameters)).toEqual({ parameters: expected, notes });
  });
});

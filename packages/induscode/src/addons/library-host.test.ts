import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, makeLocalContext, textResult } from "indusagi/capabilities";
import { expect, it, onTestFinished } from "vitest";
import { createFolder } from "../../../../tests/support/test-folder.ts";
import type { HostCapability } from "../feature/descriptor.ts";
import { EventDispatcher } from "../feature/dispatch/dispatcher.ts";
import { InterceptorChain } from "../feature/dispatch/interceptors.ts";
import type { BackgroundTask, FeatureModule } from "../feature/install.ts";
import type { FeatureInstallReport } from "../feature/install-report.ts";
import type { CallReach } from "../feature/services.ts";
import { type AddonFault, type AddonSource, addonFault, addonId, describeFault } from "./contract.ts";
import type * as door from "./index.ts";
import { type AddonModule, gate, transform } from "./kit/index.ts";
import { type AddonHost, type AddonHostDeps, createAddonHost } from "./library-host.ts";
import { interceptor, subscription } from "./minters.ts";
import { createScriptedLoader } from "./scripted-loader.ts";

function workspaceWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(createFolder());
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, ".indus/addons", name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

function hostOf(deps: AddonHostDeps = {}): { readonly host: AddonHost; readonly heard: AddonFault[] } {
  const host = createAddonHost({ home: createFolder(), ...deps });
  onTestFinished(host.dispose);
  const heard: AddonFault[] = [];
  host.onFault((fault) => heard.push(fault));
  return { host, heard };
}

const command = (id: string, name: string): string =>
  `id = "${id}"\n[[command]]\nname = "${name}"\nsummary = "s"\nexec = "echo ${id}"\n`;

it("loads a workspace with nothing but defaults; what nobody trusted is skipped and says so", async () => {
  const { host, heard } = hostOf();
  const { loaded, skipped, commands } = await host.loadAll(
    workspaceWith({ "a/manifest.toml": command("a", "go") }),
  );
  expect({ loaded, commands, heard }).toEqual({ loaded: [], commands: [], heard: [] });
  expect(skipped.map(({ reason }) => reason)).toEqual([expect.stringContaining("is not trusted yet")]);
});

it("reserves other names, and lets a program's own features claim names first", async () => {
  const own: FeatureModule = {
    descriptor: {
      id: "builtin:own",
      displayName: "own",
      runtime: "builtin",
      requestedCapabilities: [],
      declaredTools: [],
      declaredCommands: ["go"],
      declaredHooks: [],
      declaredTasks: [],
    },
    install: ({ commands }) => commands.register({ name: "go", summary: "own", run: () => undefined }),
  };
  const workspace = workspaceWith({
    "a/manifest.toml": command("a", "go"),
    "b/manifest.toml": command("b", "secret"),
    "c/manifest.toml": command("c", "help"),
  });
  const deps = { granted: ["a", "b", "c"], reservedActions: ["secret"], builtins: [own] };
  const { host, heard } = hostOf(deps);
  const { commands } = await host.loadAll(workspace);
  expect(commands.map(({ name, feature }) => [name, feature])).toEqual([
    ["go", "builtin:own"],
    ["help", "project:c"],
  ]);
  expect(heard.map(({ kind, owner }) => [kind, owner])).toEqual([
    ["conflict", "project:a"],
    ["conflict", "project:b"],
  ]);
});

it("hands commands its handles, and makes a fault of what they throw", async () => {
  const failing = { exec: () => Promise.reject(new Error("refused")) };
  const { host, heard } = hostOf({ granted: ["a"], handles: failing });
  const { runCommand } = await host.loadAll(workspaceWith({ "a/manifest.toml": command("a", "go") }));
  expect(await runCommand("go")).toBe("failed");
  expect(heard).toMatchObject([
    { kind: "command", owner: "project:a", message: "/go of project:a failed: refused" },
  ]);
  expect(await runCommand("gone")).toBe("unknown");
});

it("tells the faults of handlers to its listeners, and hides the secrets that addons hold", async () => {
  const workspace = workspaceWith({
    "leaky.mjs": `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "DB_PASSWORD"
// reason = "to connect"
// ///
import { transform } from "induscode/addons";
export function register(surface) {
  surface.on("input:submit", transform(async () => {
    throw new Error("cannot connect with " + (await surface.host.secret("DB_PASSWORD")));
  }));
}`,
  });
  const { host, heard } = hostOf({ granted: ["leaky"], env: { DB_PASSWORD: "correct-horse-battery" } });
  const { dispatch } = await host.loadAll(workspace);
  const { payload } = await dispatch.dispatch("input:submit", { text: "hello" });
  expect(payload).toEqual({ text: "hello" });
  expect(heard.map(({ message }) => message).join()).toContain("cannot connect with [secret DB_PASSWORD]");
  expect(JSON.stringify(heard)).not.toContain("correct-horse-battery");
});

it("serves one workspace: its addons cannot work in another", async () => {
  const { host } = hostOf();
  const first = workspaceWith({});
  await host.loadAll(first);
  await host.loadAll({ workspace: first });
  await expect(host.loadAll(createFolder())).rejects.toThrow(`this host serves ${first}`);
});

it("ends the tasks that it started when it is disposed", async () => {
  const ended = Promise.withResolvers<string>();
  const loop: BackgroundTask = {
    id: "loop",
    description: "waits",
    activation: "session",
    restart: "never",
    graceMs: 1_000,
    run: ({ signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          ended.resolve("told to stop");
          resolve();
        }),
      ),
  };
  const own: FeatureModule = {
    descriptor: {
      id: "builtin:loop",
      displayName: "loop",
      runtime: "builtin",
      requestedCapabilities: [{ capability: { kind: "background_task" }, required: true, reason: "waits" }],
      declaredTools: [],
      declaredCommands: [],
      declaredHooks: [],
      declaredTasks: ["loop"],
    },
    install: ({ tasks }) => tasks.register(loop),
  };
  const { host } = hostOf({ builtins: [own] });
  const { tasks } = await host.loadAll(workspaceWith({}));
  tasks.start();
  expect(tasks.report()).toMatchObject([{ id: "loop", state: "running" }]);
  await host.dispose();
  expect(await ended.promise).toBe("told to stop");
});

/** A feature that needs everything a host may offer, in the host's process. */
function asking(heard: string[]): FeatureModule {
  const capabilities: readonly HostCapability[] = [
    { kind: "contribute_tool", name: "ask" },
    { kind: "contribute_hook", point: "input:submit" },
    { kind: "alert" },
    { kind: "memory", read: true, write: false },
  ];
  return {
    descriptor: {
      id: "project:own",
      displayName: "own",
      runtime: "builtin",
      requestedCapabilities: capabilities.map((capability) => ({ capability, required: true, reason: "r" })),
      declaredTools: ["ask"],
      declaredCommands: ["ask"],
      declaredHooks: ["input:submit"],
      declaredTasks: [],
    },
    install({ tools, commands, hooks, reachOf }) {
      const use = async (where: string, reach: CallReach = {}): Promise<void> => {
        reach.sinks?.alert(where);
        reach.sinks?.notifyModel("not granted");
        const memory = reach.services?.memory("read");
        if (memory?.ok) heard.push(`${where}: ${(await (await memory.service).search("")).length} entries`);
        const write = reach.services?.memory("write");
        if (write && !write.ok) heard.push(write.reason);
      };
      tools.register({
        tool: defineTool({
          name: "ask",
          description: "",
          parameters: { type: "object" },
          run: async (_input, { framework }) => {
            await use("tool", reachOf(framework.session));
            return textResult("done");
          },
        }),
        accesses: () => [],
      });
      commands.register({ name: "ask", summary: "s", run: (context) => use("command", context) });
      hooks.on("input:submit", {
        kind: "transform",
        run: async (_line, context) => {
          await use("handler", context);
          return undefined;
        },
      });
    },
  };
}

it("what runs in its process reaches the session by its grants: tools, commands and handlers", async () => {
  const heard: string[] = [];
  const { host } = hostOf({
    builtins: [asking(heard)],
    memory: async () => ({
      search: async () => [{ scope: "user", text: "tea" }],
      add: async () => undefined,
      replace: async () => undefined,
    }),
    tell: (feature, text) => void heard.push(`${feature}: ${text}`),
  });
  const { tools, dispatch, runCommand, session } = await host.loadAll(workspaceWith({}));
  const [ask] = tools;
  const each = (where: string): readonly string[] => [
    `project:own: ${where}`,
    "project:own: error: it has no grant to notify the model, so a notice was dropped",
    `${where}: 1 entries`,
    "project:own may not change memory: it lacks the grant memory with write",
  ];
  await ask?.tool.invoke(
    { id: "1", name: "ask", input: {} },
    makeLocalContext("/", { framework: { session } }),
  );
  expect(heard.splice(0)).toEqual(each("tool"));
  expect(await runCommand("ask")).toBe("done");
  expect(heard.splice(0)).toEqual(each("command"));
  await dispatch.dispatch("input:submit", { text: "hello" });
  expect(heard.splice(0)).toEqual(each("handler"));
  await ask?.tool.invoke({ id: "2", name: "ask", input: {} }, makeLocalContext("/"));
  expect(heard).toEqual([]); // without a session there is nothing to reach
});

it.each(["work_items", "memory", "sessions", "ui"] as const)(
  "names the service that it does not have, and installs nothing that needs it: %s",
  async (kind) => {
    const name = { work_items: "workItems", memory: "memory", sessions: "sessions", ui: "ui" }[kind];
    const right = { work_items: "read", memory: "read", sessions: "spawn", ui: "ask" }[kind];
    const workspace = workspaceWith({
      "needy/manifest.toml": `id = "needy"
[[capability]]
kind = "${kind}"
${right} = true
required = true
reason = "r"
[[command]]
name = "go"
summary = "s"
exec = "true"
`,
    });
    const loaded = async (deps: AddonHostDeps): Promise<FeatureInstallReport | undefined> => {
      const { host } = hostOf({ granted: ["needy"], ...deps });
      return (await host.loadAll(workspace)).features.reports[0];
    };
    const reason = `this program offers none (createAddonHost was given no ${name})`;
    const words = { [right]: true };
    const without = await loaded({});
    expect(without).toMatchObject({
      enabled: false,
      commands: [],
      denied: [{ capability: { kind, ...words }, why: "unavailable", reason }],
      skipped: [{ kind: "command", name: "go", reason: `it needs ${kind} (${right}): ${reason}` }],
    });
    expect(without?.granted.some((grant) => grant.kind === kind)).toBe(false);
    const offered = await loaded({ [name]: name === "ui" ? {} : async () => ({}) } as AddonHostDeps);
    expect(offered).toMatchObject({ enabled: true, commands: ["go"], denied: [] });
  },
);

it("a scripted fake needs no disk: what its register records is committed and runs", async () => {
  const upper: AddonModule = {
    register(surface) {
      surface.on(
        "input:submit",
        transform(({ text }) => ({ text: text.toUpperCase() })),
      );
      surface.addTool({ name: "two", description: "", parameters: { type: "object" }, run: () => "2" });
      surface.addCommand("shout", { summary: "s", run: ({ args, say }) => say(`${args}!`) });
    },
  };
  const broken: AddonModule = {
    register() {
      throw new Error("oh");
    },
  };
  const workspace = createFolder();
  const { host, heard } = hostOf({
    loader: createScriptedLoader({ "/x": upper, "/broken": broken }),
    granted: ["x", "broken", "nowhere"],
    workspace,
  });
  const source = (name: string): AddonSource => ({
    ...{ id: addonId(name), path: `/${name}`, root: `/${name}`, scope: "explicit" },
  });
  expect(await host.loadOne(source("x"))).toBe("x");
  expect(await host.loadOne(source("broken"))).toBeUndefined();
  expect(await host.loadOne(source("nowhere"))).toBeUndefined();
  expect(heard.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    "register: /broken: its register failed",
    "load: /nowhere: no scripted addon",
  ]);
  const { dispatch, tools, runCommand } = await host.loadAll(workspace);
  expect((await dispatch.dispatch("input:submit", { text: "hi" })).payload).toEqual({ text: "HI" });
  const [two] = tools;
  expect(await two?.tool.invoke({ id: "1", name: "two", input: {} }, makeLocalContext("/"))).toMatchObject({
    output: "2",
    isError: false,
  });
  const said: string[] = [];
  expect(await runCommand("shout", "hey", (text) => void said.push(text))).toBe("done");
  expect(said).toEqual(["hey!"]);
});

it("the default loader can be wrapped", async () => {
  const loads: string[] = [];
  const { host } = hostOf({
    granted: ["a"],
    loader: (standard) => ({
      ...standard,
      load(source, admission) {
        loads.push(source.id);
        return standard.load(source, admission);
      },
    }),
  });
  const { loaded } = await host.loadAll(workspaceWith({ "a/manifest.toml": command("a", "go") }));
  expect([loads, loaded]).toEqual([["a"], ["a"]]);
});

it("a fault is made by addonFault and described with its kind and owner", () => {
  const cause = new Error("why");
  const fault = addonFault("load", "it is not there", { owner: addonId("x"), cause });
  expect(fault).toEqual({ kind: "load", message: "it is not there", owner: "x", cause });
  expect(describeFault(fault)).toBe("[Load] it is not there (addon: x)");
  expect(describeFault(addonFault("conflict", "two of them"))).toBe("[Conflict] two of them");
});

it("uses the dispatcher and the chain that a program gives it", async () => {
  const made: string[] = [];
  const { host } = hostOf({
    dispatcher: (subscriptions, fence) => {
      made.push(`dispatcher ${subscriptions.length}`);
      return new EventDispatcher(subscriptions, fence);
    },
    chain: (interceptors, fence) => {
      made.push(`chain ${interceptors.length}`);
      return new InterceptorChain(interceptors, fence);
    },
  });
  await host.loadAll(workspaceWith({}));
  expect(made).toEqual(["dispatcher 0", "chain 0"]);
});

it("offers every published type and value under its name", async () => {
  const names: readonly string[] = [
    ...[
      "ADDONS_DIR",
      "ADDON_MANIFEST_FIELD",
      "MANIFEST_FILENAME",
      "RESERVED_ACTION_NAMES",
      "ENTRY_EXTENSIONS",
    ],
    ...["addonId", "createAddonHost", "createSurface", "discoverAddons", "discoverSources", "emptyManifest"],
    ...["createDeclarativeLoader", "EventDispatcher", "InterceptorChain", "subscription", "interceptor"],
    ...["EVENT_TRAITS", "RESERVED_EVENTS", "RecordingSurface", "LoaderError", "createTaskSupervisor"],
    ...["scrubInvisible", "expandPath", "resolvePath", "denyAll", "confinedTo", "permitsPath", "permitsEnv"],
  ];
  const values: Readonly<Record<string, unknown>> = await import("./index.ts");
  expect(names.filter((name) => values[name] === undefined)).toEqual([]);
  // Must compile, or `npm run check` fails.
  type Published = [
    ...[
      door.AddonApi,
      door.AddonBundle,
      door.AddonCommand,
      door.AddonDiscovery,
      door.AddonFault,
      door.AddonFaultKind,
    ],
    ...[door.AddonFaultListener, door.AddonHost, door.AddonHostDeps, door.AddonId, door.AddonManifest],
    ...[door.AddonRegistry, door.AddonSource, door.AddonSurface, door.CommandContext, door.CommandSpec],
    ...[door.DispatchOutcome<"tool:before">, door.EnterOutcome, door.EventSubscription, door.ExecOutcome],
    ...[
      door.ExitOutcome,
      door.FrameworkHandles,
      door.GateDecision,
      door.HookEvent,
      door.HookHandler,
      door.HookKind,
    ],
    ...[
      door.InterceptResult,
      door.InterceptorStage,
      door.ModuleLoader,
      door.Payload,
      door.RegisteredManifest,
    ],
    ...[
      door.SandboxPolicy,
      door.ToolEnterContext,
      door.ToolExitContext,
      door.ToolInterceptor,
      door.ToolMatch,
    ],
    ...[door.Addon, door.AddonDescriptor, door.CommandFn, door.EnterFn, door.ExitFn, door.RegisterFn],
    ...[door.ManifestError, door.ToolResultProducer],
  ];
  const types: Published["length"] = 44;
  expect(types).toBe(44);
});

it("the minters make what the engines run without a host", async () => {
  const demo = addonId("demo");
  const dispatcher = new EventDispatcher([
    subscription(
      demo,
      "tool:before",
      transform((call) => ({ ...call, args: { safe: true } })),
    ),
    subscription(
      demo,
      "tool:before",
      gate(() => ({ stop: true, reason: "no" })),
    ),
  ]);
  const outcome = await dispatcher.dispatch("tool:before", { name: "bash", callId: "1", args: {} });
  expect(outcome).toMatchObject({
    payload: { args: { safe: true } },
    gate: { reason: "no", by: { feature: "user:demo" } },
  });
  const chain = new InterceptorChain([
    interceptor(demo, "bash", { enter: () => ({ stop: true, reason: "never" }) }),
  ]);
  expect(chain.matches("bash") && !chain.matches("read")).toBe(true);
  const { blocked } = await chain.run({ tool: "bash", callId: "1", args: {} }, () => Promise.reject());
  expect(blocked?.reason).toBe("never");
});

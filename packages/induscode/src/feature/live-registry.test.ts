// A registry that changes while a session runs: random changes compared with plain lists, and what happens to what leaves.

import { defineTool, textResult } from "indusagi/capabilities";
import { deferred } from "indusagi/core";
import { describe, expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { sessionOf } from "../../../../tests/support/test-session.ts";
import type { FeatureId } from "./descriptor.ts";
import { createHooks } from "./dispatch/hooks.ts";
import { createTaskSupervisor } from "./dispatch/tasks.ts";
import type { HookEvent } from "./events.ts";
import type { HookHandler } from "./handler.ts";
import type { FeatureModule } from "./install.ts";
import type { FeatureInstallReport } from "./install-report.ts";
import { createRegistry, type FeatureRegistry, grantDeclared, installFeatures } from "./registry.ts";

interface Parts {
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly tasks: readonly string[];
  readonly events: readonly HookEvent[];
  readonly matches: readonly string[];
}
type Spec = Parts & { readonly id: FeatureId };

const NOTHING: Parts = { tools: [], commands: [], tasks: [], events: [], matches: [] };

function moduleOf({ id, tools, commands, tasks, events, matches }: Spec, run?: HookHandler["run"]) {
  const hooks = [...events, ...matches.map((match) => `intercept:${match}`)];
  return {
    descriptor: {
      id,
      displayName: id,
      runtime: "builtin",
      requestedCapabilities: [
        ...tools.map((name) => ({ kind: "contribute_tool", name }) as const),
        ...hooks.map((point) => ({ kind: "contribute_hook", point }) as const),
        { kind: "background_task" } as const,
      ].map((capability) => ({ capability, required: true, reason: "test" })),
      declaredTools: tools,
      declaredCommands: commands,
      declaredHooks: hooks,
      declaredTasks: tasks,
    },
    install(context) {
      for (const name of tools)
        context.tools.register({
          tool: defineTool({ name, description: "", parameters: {}, run: async () => textResult(name) }),
          accesses: () => [],
        });
      for (const name of commands) context.commands.register({ name, summary: "", run: () => undefined });
      for (const event of events)
        context.hooks.on(event, { kind: "observe", run: run ?? (() => undefined) } as HookHandler as never);
      for (const match of matches) context.hooks.interceptTool(match, { enter: () => undefined });
      for (const task of tasks)
        context.tasks.register({
          id: task,
          description: "",
          activation: "onDemand",
          restart: "never",
          graceMs: 1_000,
          run: async () => undefined,
        });
    },
  } satisfies FeatureModule;
}

/** Everything a session takes from it. */
function viewsOf(registry: FeatureRegistry) {
  return {
    tools: registry.tools.map(({ tool, feature }) => `${feature} ${tool.name}`),
    commands: registry.commands.map(({ name, feature }) => `${feature} ${name}`),
    tasks: registry.tasks.map(({ id, feature }) => `${feature} ${id}`),
    events: registry.subscriptions.map(({ event, feature }) => `${feature} ${event}`),
    matches: registry.interceptors.map(({ match, feature }) => `${feature} ${match}`),
  };
}

const withoutTime = (reports: readonly FeatureInstallReport[]) =>
  reports.map(({ installMs: _, ...report }) => report);

const IDS = ["project:a", "project:b", "user:c", "builtin:d", "project:e"] as const;
const some = <Value>(...values: Value[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const partsOf = (own = ""): fc.Arbitrary<Parts> =>
  fc.record({
    tools: some(`one${own}`, `One${own}`, `two${own}`, `three${own}`),
    commands: some(`go${own}`, `stop${own}`),
    tasks: some(`watch${own}`, `sweep${own}`),
    events: some<HookEvent>("turn:start", "tool:before", "chat:message"),
    matches: some("*", "bash"),
  });
type Step = { readonly at: number; readonly how: "add" | "remove" | "replace"; readonly parts: Parts };
const stepsOf = (own: (at: number) => string) =>
  fc.array(
    fc
      .record({ at: fc.nat(IDS.length - 1), how: fc.constantFrom("add", "remove", "replace") })
      .chain(({ at, how }) =>
        partsOf(own(at)).map((parts): Step => ({ at, how: how as Step["how"], parts })),
      ),
    { maxLength: 20 },
  );

/** Plays the same steps on a registry and on a plain list of what was requested. */
async function play(steps: readonly Step[]) {
  const registry = createRegistry();
  const list: Spec[] = [];
  const reports: (FeatureInstallReport | undefined)[] = [];
  for (const { at, how, parts } of steps) {
    const spec: Spec = { id: IDS[at] ?? "project:a", ...parts };
    const place = list.findIndex(({ id }) => id === spec.id);
    if (how === "remove") {
      reports.push(await registry.remove(spec.id));
      if (place >= 0) list.splice(place, 1);
    } else if (how === "replace") {
      reports.push(await registry.replace(spec.id, { module: moduleOf(spec) }));
      list.splice(place < 0 ? list.length : place, 1, spec);
    } else {
      reports.push(await registry.add({ module: moduleOf(spec) }));
      if (place < 0) list.push(spec);
    }
  }
  return { registry, list, reports };
}

describe("any sequence of changes", () => {
  it("leaves what a fresh build of the same features in the same order has, reports included", async () => {
    await fc.assert(
      fc.asyncProperty(
        stepsOf((at) => String(at)),
        async (steps) => {
          const { registry, list } = await play(steps);
          const fresh = await installFeatures(
            list.map((spec) => moduleOf(spec)),
            grantDeclared,
          );
          expect(viewsOf(registry)).toEqual(viewsOf(fresh));
          expect(withoutTime(registry.reports)).toEqual(withoutTime(fresh.reports));
        },
      ),
      { numRuns: 600 },
    );
  });

  it("leaves each name with its first claimant for good, whoever comes and goes", async () => {
    await fc.assert(
      fc.asyncProperty(
        stepsOf(() => ""),
        async (steps) => {
          const owners = new Map<string, FeatureId>();
          const present: { readonly id: FeatureId; readonly names: readonly string[] }[] = [];
          for (const { at, how, parts } of steps) {
            const id = IDS[at] ?? "project:a";
            const place = present.findIndex((each) => each.id === id);
            if (how === "add" && place >= 0) continue;
            if (how === "remove") {
              if (place >= 0) present.splice(place, 1);
              continue;
            }
            const mine = new Set<string>();
            const names = [
              ...parts.tools.map((name) => [`tool ${name.toLowerCase()}`, name] as const),
              ...parts.commands.map((name) => [`command ${name}`, name] as const),
              ...parts.tasks.map((name) => [`task ${name}`, name] as const),
            ].flatMap(([key, name]) => {
              if (mine.has(key) || (owners.get(key) ?? id) !== id) return [];
              mine.add(key);
              return [`${id} ${name}`];
            });
            for (const key of mine) owners.set(key, id);
            present.splice(place < 0 ? present.length : place, place < 0 ? 0 : 1, { id, names });
          }
          const { registry } = await play(steps);
          const { tools, commands, tasks } = viewsOf(registry);
          expect([...tools, ...commands, ...tasks].sort()).toEqual(
            present.flatMap(({ names }) => names).sort(),
          );
          expect(registry.reports.map(({ feature }) => feature)).toEqual(present.map(({ id }) => id));
        },
      ),
      { numRuns: 600 },
    );
  });
});

describe("a live registry", () => {
  const spec = (id: FeatureId, parts: Partial<Parts> = {}): Spec => ({ id, ...NOTHING, ...parts });

  it("keeps a view the same object until something changes", async () => {
    const registry = createRegistry();
    await registry.add({ module: moduleOf(spec("project:a", { tools: ["one"] })) });
    const { tools } = registry;
    expect(registry.tools).toBe(tools);
    await registry.remove("project:b");
    expect(registry.tools).toBe(tools);
    await registry.remove("project:a");
    expect([tools.length, registry.tools.length]).toEqual([1, 0]);
  });

  it("keeps a name for whom it was, and its successor, when its feature has gone (a twin's approvals would be another's)", async () => {
    const registry = createRegistry();
    await registry.add({ module: moduleOf(spec("project:a", { tools: ["deploy"] })) });
    await registry.remove("project:a");
    const stranger = await registry.add({ module: moduleOf(spec("project:b", { tools: ["deploy"] })) });
    expect(stranger).toMatchObject({
      enabled: false,
      skipped: [{ reason: 'the tool name "deploy" is taken by project:a' }],
    });
    const again = await registry.add({ module: moduleOf(spec("project:a", { tools: ["deploy"] })) });
    expect(again.tools).toEqual(["deploy"]);
    const renamed = moduleOf(spec("project:z", { tools: ["deploy"] }));
    expect((await registry.replace("project:a", { module: renamed })).tools).toEqual(["deploy"]);
    expect(registry.ownerOf("deploy")).toBe("project:z");
  });

  it("has one feature of an id; a second is refused and disposed of", async () => {
    const registry = createRegistry();
    let ended = 0;
    const offered = {
      module: moduleOf(spec("project:a", { tools: ["one"] })),
      dispose: async () => void ended++,
    };
    await registry.add(offered);
    expect(await registry.add(offered)).toMatchObject({ enabled: false, faults: [{ kind: "conflict" }] });
    expect([registry.reports.length, ended]).toEqual([1, 1]);
  });

  it("disposes of what leaves once the calls under way have ended, and of everything at its own end", async () => {
    const registry = createRegistry();
    const ended: string[] = [];
    for (const id of ["project:a", "project:b", "project:c"] as const)
      await registry.add({ module: moduleOf(spec(id)), dispose: async () => void ended.push(id) });
    const release = registry.hold();
    await registry.remove("project:a");
    const later = registry.hold();
    expect(ended).toEqual([]);
    release();
    await new Promise(setImmediate);
    expect(ended).toEqual(["project:a"]); // what began afterwards holds nothing of it
    await registry.remove("project:b");
    await registry.dispose();
    expect(ended.toSorted()).toEqual(["project:a", "project:b", "project:c"]);
    later();
  });

  it("makes changes one after the other, in the order in which they were asked for", async () => {
    const registry = createRegistry();
    const slow = deferred<void>();
    const first = moduleOf(spec("project:a", { tools: ["one"] }));
    const waits: FeatureModule = {
      ...first,
      install: async (context) => {
        await slow.promise;
        first.install(context);
      },
    };
    const changes = [
      registry.add({ module: waits }),
      registry.add({ module: moduleOf(spec("project:b", { tools: ["one"] })) }),
      registry.remove("project:a"),
    ];
    slow.resolve();
    await Promise.all(changes);
    expect(viewsOf(registry).tools).toEqual([]);
    expect(registry.reports.map(({ feature }) => feature)).toEqual(["project:b"]);
  });

  it("waits for an observer at work before it disposes of its feature, and asks it no more", async () => {
    const registry = createRegistry();
    const hooks = createHooks(registry, {
      deadlineMs: 60_000,
      onGateFailure: "allow",
      onFault: ({ message }) => expect.unreachable(message),
    });
    const work = deferred<void>();
    const heard: string[] = [];
    let isEnded = false;
    await registry.add({
      module: moduleOf(spec("project:a", { events: ["turn:start"] }), (async () => {
        heard.push("a");
        await work.promise;
      }) as HookHandler["run"]),
      dispose: async () => {
        isEnded = true;
      },
    });
    const never = { signal: new AbortController().signal };
    await hooks.dispatch.dispatch("turn:start", { sessionId: "s" }, never);
    await registry.remove("project:a");
    await hooks.dispatch.dispatch("turn:start", { sessionId: "s" }, never);
    await new Promise(setImmediate);
    expect([heard, isEnded]).toEqual([["a"], false]);
    work.resolve();
    await hooks.dispatch.settled();
    await new Promise(setImmediate);
    expect(isEnded).toBe(true);
  });

  it("lets the tasks of a feature come and go", async () => {
    const tasks = createTaskSupervisor({
      tasks: [],
      session: sessionOf(),
      onFault: ({ message }) => expect.unreachable(message),
    });
    tasks.start();
    const states = () => tasks.report().map(({ id, state }) => `${id} ${state}`);
    const task = (id: string, feature: FeatureId) => ({
      id,
      feature,
      description: "",
      activation: "session" as const,
      restart: "onFailure" as const,
      graceMs: 60_000,
      grants: [],
      run: ({ signal }: { readonly signal: AbortSignal }) =>
        new Promise<void>((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        ),
    });
    tasks.add([task("one", "project:a")]);
    tasks.add([task("two", "project:b")]);
    expect(states()).toEqual(["one running", "two running"]);
    await tasks.remove("project:a");
    expect(states()).toEqual(["two running"]);
    expect(tasks.run("one")).toBe('Task not found: "one".');
    await tasks.dispose();
    expect(states()).toEqual(["two ended"]);
  });
});

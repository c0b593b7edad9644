import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deferred } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { judgeGrowth } from "../../../../tests/support/effort.ts";
import { LONG_ONLY } from "../../../../tests/support/long-form.ts";
import { createFolder, sourceAt, writeFiles } from "../../../../tests/support/test-folder.ts";
import { PATIENCE_MS, until } from "../../../../tests/support/until.ts";
import { EventDispatcher } from "../feature/dispatch/dispatcher.ts";
import type { FeatureModule } from "../feature/install.ts";
import { createRegistry, RESERVED_ACTION_NAMES } from "../feature/registry.ts";
import { type AddonFault, type AddonSource, addonId, LoaderError, type ModuleLoader } from "./contract.ts";
import { type AddonAssembly, type AssemblyDeps, assembleAddons } from "./host.ts";
import { createDeclarativeLoader } from "./kinds/declarative-loader.ts";
import { hashAddon } from "./source/content-hash.ts";
import { decideTrust, type TrustDecision } from "./source/decide-trust.ts";
import { createTrust } from "./source/trust.ts";

const loader = createDeclarativeLoader();

/** Trusts everything that can be read, with everything it asks for. */
function decideYes(sources: readonly AddonSource[]): Promise<readonly TrustDecision[]> {
  const trust = createTrust({ home: createFolder() });
  return decideTrust(sources, { trust, describe: loader.describe, ask: async () => "yes" });
}

function createHost(deps: Partial<AssemblyDeps> & { readonly builtins?: readonly FeatureModule[] } = {}): {
  readonly host: AddonAssembly;
  readonly heard: AddonFault[];
} {
  const { builtins = [], ...rest } = deps;
  const registry = createRegistry();
  for (const module of builtins) void registry.add({ module });
  const host = assembleAddons({
    loader,
    decide: decideYes,
    registry,
    ...rest,
  });
  const heard: AddonFault[] = [];
  host.onFault((fault) => heard.push(fault));
  return { host, heard };
}

function workspaceWith(manifests: Readonly<Record<string, string>>): string {
  const files = Object.entries(manifests).map(([name, text]) => [
    `.indus/addons/${name}/manifest.toml`,
    text,
  ]);
  return createFolder(Object.fromEntries(files));
}

const command = (id: string, name: string): string =>
  `id = "${id}"\n[[command]]\nname = "${name}"\nsummary = "from ${id}"\n`;
const gate = (id: string): string =>
  `id = "${id}"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "bash"\nreason = "stopped by ${id}"\n`;

describe("loadAll", () => {
  it("loads two good addons beside ten broken ones: ten typed faults, and nothing else is touched", async () => {
    const workspace = workspaceWith({
      "01-not-toml": "id = ",
      "02-no-id": 'version = "1"',
      "03-empty-id": 'id = ""',
      "04-bad-event": 'id = "e"\n[[gate]]\nevent = "tool:never"\nreason = "r"',
      "05-unnamed-command": 'id = "f"\n[[command]]\nsummary = "s"',
      "06-huge": `#${"x".repeat(300_000)}`,
      "07-deep": `a = ${"[".repeat(100_000)}`,
      "08-not-utf8": "",
      good: gate("good"),
      "zz-same-id": gate("good"),
    });
    const addons = join(workspace, ".indus/addons");
    writeFiles(addons, { "09-code.ts": "throw new Error('it ran')" });
    symlinkSync("/etc", join(addons, "10-link"));
    writeFileSync(join(addons, "08-not-utf8/manifest.toml"), Buffer.from([0x69, 0x64, 0xff]));

    const { host, heard } = createHost();
    const { features, loaded, faults, skipped, warnings } = await host.loadAll({ workspace });

    expect(loaded).toEqual(["good", "zz-same-id"]);
    expect(features.subscriptions.map(({ feature, event }) => [feature, event])).toEqual([
      ["project:good", "tool:before"],
      ["project:zz-same-id", "tool:before"],
    ]);
    expect([features.commands, features.tools, features.tasks, skipped]).toEqual([[], [], [], []]);
    expect(warnings).toEqual([
      expect.stringMatching(/zz-same-id declares the id "good", but .*good already has it/),
    ]);
    expect(
      faults.map(({ kind, owner, cause }) => [owner, kind, (cause as LoaderError | undefined)?.kind]),
    ).toEqual([
      ["10-link", "load", undefined],
      ["01-not-toml", "load", "toml"],
      ["02-no-id", "load", "invalid"],
      ["03-empty-id", "load", "invalid"],
      ["04-bad-event", "load", "invalid"],
      ["05-unnamed-command", "load", "invalid"],
      ["06-huge", "load", "io"],
      ["07-deep", "load", "toml"],
      ["08-not-utf8", "load", "toml"],
      ["09-code", "load", "unsupported"],
    ]);
    expect(heard).toEqual(faults);

    const dispatcher = new EventDispatcher(features.subscriptions, {
      deadlineMs: PATIENCE_MS,
      onGateFailure: "allow",
      onFault: (fault) => expect.unreachable(fault.message),
    });
    const { gate: stop } = await dispatcher.dispatch(
      "tool:before",
      { name: "bash", callId: "1", args: {} },
      { signal: new AbortController().signal },
    );
    expect(stop).toEqual({ stop: true, reason: "stopped by good", by: { feature: "project:good" } });
  });

  it("keeps load order: the user's, the project's, what was named; each sorted", async () => {
    const home = createFolder({ "addons/m/manifest.toml": gate("m") });
    const workspace = workspaceWith({ z: gate("z"), a: gate("a") });
    const explicit = createFolder({ "manifest.toml": gate("named") });
    const { host } = createHost();
    const { loaded, features } = await host.loadAll({ workspace, home, explicitPaths: [explicit] });
    expect(loaded).toEqual(["m", "a", "z", "named"]);
    expect(features.subscriptions.map(({ feature }) => feature)).toEqual([
      "user:m",
      "project:a",
      "project:z",
      "user:named",
    ]);
  });

  it("gives a command to its first claimant, and reports the later one and every reserved name as conflicts", async () => {
    const reserved = Object.fromEntries(
      RESERVED_ACTION_NAMES.map((name) => [`z-${name}`, command(name, name)]),
    );
    const workspace = workspaceWith({ a: command("a", "go"), b: command("b", "go"), ...reserved });
    const { host, heard } = createHost();
    const { features } = await host.loadAll({ workspace });
    expect(features.commands.map(({ name, feature }) => [name, feature])).toEqual([["go", "project:a"]]);
    expect(heard).toEqual([
      {
        kind: "conflict",
        owner: "project:b",
        message: 'project:b cannot use a name: the command name "/go" is taken by project:a',
      },
      ...[...RESERVED_ACTION_NAMES].sort().map((name) => ({
        kind: "conflict",
        owner: `project:${name}`,
        message: `project:${name} cannot use a name: the command name "/${name}" is reserved for the host`,
      })),
    ]);
  });

  it("cannot take a built-in's command", async () => {
    const builtin: FeatureModule = {
      descriptor: {
        id: "builtin:x",
        displayName: "x",
        runtime: "builtin",
        requestedCapabilities: [],
        declaredTools: [],
        declaredCommands: ["new"],
        declaredHooks: [],
        declaredTasks: [],
      },
      install: ({ commands }) =>
        commands.register({ name: "new", summary: "built in", run: () => undefined }),
    };
    const { host, heard } = createHost({ builtins: [builtin] });
    const { features } = await host.loadAll({ workspace: workspaceWith({ a: command("a", "new") }) });
    expect(features.commands.map(({ feature }) => feature)).toEqual(["builtin:x"]);
    expect(heard.map(({ message }) => message)).toEqual([
      'project:a cannot use a name: the command name "/new" is taken by builtin:x',
    ]);
  });

  it("loads nothing that is not trusted, and says so", async () => {
    const workspace = workspaceWith({ a: gate("a") });
    const trust = createTrust({ home: createFolder() });
    const { host, heard } = createHost({
      decide: (sources) => decideTrust(sources, { trust, describe: loader.describe }),
      loader: { ...loader, load: () => expect.unreachable("it was loaded") },
    });
    const { loaded, skipped, features } = await host.loadAll({ workspace });
    expect([loaded, features.subscriptions, heard]).toEqual([[], [], []]);
    expect(skipped.map(({ reason }) => reason)).toEqual([expect.stringContaining("is not trusted yet")]);
  });

  it("refuses what changed between the answer and the load", async () => {
    const workspace = workspaceWith({ a: gate("a") });
    const changing: ModuleLoader = {
      ...loader,
      async load(source, admission) {
        writeFiles(source.path, { "manifest.toml": gate("evil") });
        return loader.load(source, admission);
      },
    };
    const { host, heard } = createHost({ loader: changing });
    expect((await host.loadAll({ workspace })).loaded).toEqual([]);
    expect(heard.map(({ kind, message }) => [kind, message])).toEqual([
      ["load", expect.stringContaining("it changed while it was being loaded; start again")],
    ]);
  });

  it("loads both of two that call themselves the same (the twin: names as they are claimed cost one its gate)", async () => {
    const workspace = workspaceWith({ aaa: gate("zzz"), zzz: gate("zzz") });
    const claiming: ModuleLoader = {
      ...loader,
      load: (source, { name: _, ...admission }) => loader.load(source, admission),
    };
    expect((await createHost().host.loadAll({ workspace })).loaded).toEqual(["aaa", "zzz"]);
    const { host, heard } = createHost({ loader: claiming });
    expect((await host.loadAll({ workspace })).loaded).toEqual(["zzz"]);
    expect(heard).toMatchObject([{ kind: "conflict", owner: "zzz" }]);
  });

  it("leaves nothing running of an addon that it loaded and does not want", async () => {
    const workspace = workspaceWith({ a: gate("twin"), b: gate("twin"), c: gate("other") });
    const ended: string[] = [];
    const counting: ModuleLoader = {
      ...loader,
      async load(source, admission) {
        const addon = await loader.load(source, admission);
        if (source.path.endsWith("/c")) writeFiles(source.path, { "manifest.toml": gate("changed") });
        return { ...addon, dispose: async () => void ended.push(source.path.slice(-1)) };
      },
    };
    const { host } = createHost({ loader: counting });
    expect((await host.loadAll({ workspace })).loaded).toEqual(["twin", "b"]);
    expect(ended).toEqual(["c"]);
    await host.dispose();
    expect(ended).toEqual(["c", "a", "b"]);
  });

  it("gives an addon the grants of its own content, whatever id it claims", async () => {
    const workspace = workspaceWith({ a: gate("twin"), b: gate("twin") });
    const { host } = createHost({
      decide: async (sources) =>
        sources.map((source, at) => ({
          kind: "trusted",
          source,
          hash: hashAddon(source.root),
          grants: at === 0 ? [] : [{ kind: "contribute_hook", point: "tool:before" }],
        })),
    });
    const { features } = await host.loadAll({ workspace });
    expect(features.subscriptions.map(({ feature }) => feature)).toEqual(["project:b"]);
  });

  it("passes on what the manifests warn of", async () => {
    const workspace = workspaceWith({ a: 'id = "a"\ncolour = "red"' });
    const { warnings } = await createHost().host.loadAll({ workspace });
    expect(warnings).toEqual([expect.stringContaining('unknown key "colour"')]);
  });

  it("turns a throw while registering into a register fault; the others load", async () => {
    const source = sourceAt(createFolder({ "manifest.toml": gate("scripted") }));
    const scripted: ModuleLoader = {
      ...loader,
      async load(each, admission) {
        const addon = await loader.load(each, admission);
        return { ...addon, module: { ...addon.module, install: () => Promise.reject(new Error("boom")) } };
      },
    };
    const { host, heard } = createHost({ loader: scripted });
    await host.loadOne(source);
    expect(heard).toEqual([
      {
        kind: "register",
        owner: "project:scripted",
        message: "project:scripted failed while registering: boom",
        cause: new Error("boom"),
      },
    ]);
  });

  it(
    "discovers and folds thousands of manifests, with no more effort for each than for the first hundred",
    LONG_ONLY,
    async () => {
      const fold = async (count: number): Promise<number> => {
        const manifests = Array.from({ length: count }, (_, i) => [
          `a${i}`,
          gate(`a${i}`) + command("", `c${i}`).slice(8),
        ]);
        const workspace = workspaceWith(Object.fromEntries(manifests));
        const granted = manifests.map(([name = ""]) => name);
        const trust = createTrust({ home: createFolder() });
        const { host, heard } = createHost({
          decide: (sources) =>
            decideTrust(sources, { trust, describe: loader.describe, granted: { forRun: granted } }),
        });
        const before = process.threadCpuUsage();
        const { loaded, features } = await host.loadAll({ workspace });
        const { user, system } = process.threadCpuUsage(before);
        expect(heard).toEqual([]);
        expect([loaded.length, features.subscriptions.length, features.commands.length]).toEqual([
          count,
          count,
          count,
        ]);
        return user + system;
      };
      const most = 10_000;
      const efforts = [await fold(100), await fold(1_000), await fold(most)] as const;
      expect(judgeGrowth([100, 1_000, most], efforts)).toBe("even");
    },
  );
});

describe("addons that load side by side", () => {
  /** Each load ends when it is told to; `begun` lists the loads that have begun and not ended. */
  function heldLoader(): { loader: ModuleLoader; begun: string[]; end: (name: string) => Promise<void> } {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    return {
      begun,
      async end(name) {
        while (!ends.has(name)) await new Promise((resolve) => setImmediate(resolve));
        begun.splice(begun.indexOf(name), 1);
        ends.get(name)?.();
      },
      loader: {
        ...loader,
        async load(source, admission) {
          const name = source.path.split("/").at(-1) ?? "";
          begun.push(name);
          await new Promise<void>((resolve) => ends.set(name, resolve));
          if (name === "b") throw new Error("it does not start");
          return loader.load(source, admission);
        },
      },
    };
  }

  /** Two claim one name, one does not start, one claims a location's name, one has an unknown key, one command is taken. */
  const MANIFESTS = {
    a: gate("same"),
    b: gate("b"),
    c: gate("same"),
    d: `colour = "red"\n${command("d", "go")}`,
    e: command("e", "go"),
    f: gate("a"),
  };
  const NAMES = Object.keys(MANIFESTS);

  const never = (): Promise<void> => new Promise(() => undefined);

  async function resultOf(atOnce: number, order: readonly string[]) {
    const workspace = workspaceWith(MANIFESTS);
    const { loader: held, begun, end } = heldLoader();
    const { host, heard } = createHost({ loader: held, places: { atOnce, outOfPlace: never } });
    const loading = host.loadAll({ workspace });
    let most = 0;
    for (const name of order) {
      await end(name);
      most = Math.max(most, begun.length + 1);
    }
    const { loaded, warnings, features } = await loading;
    const told = JSON.stringify([
      loaded,
      warnings,
      heard.map(({ kind, owner, message }) => [kind, owner, message]),
      features.subscriptions.map(({ feature }) => feature),
      features.commands.map(({ feature, name }) => [feature, name]),
    ]);
    return { most, told: told.replaceAll(workspace, "") };
  }

  it("have the names, the order and the faults that they have one after another, whichever is ready first", async () => {
    const { told, most } = await resultOf(1, NAMES);
    expect(most).toBe(1); // one after another: the next begins once this one has ended
    expect(told).toContain('["same","c","d","e","f"]');
    for (const order of [NAMES, NAMES.toReversed(), ["c", "f", "e", "a", "d", "b"]]) {
      const sideBySide = await resultOf(NAMES.length, order);
      expect(sideBySide.told).toBe(told);
      expect(sideBySide.most).toBe(NAMES.length); // the twin: they really do
    }
  });

  it("are as many as were asked for, and one that fails holds up no other", async () => {
    const workspace = workspaceWith(MANIFESTS);
    const { loader: held, begun, end } = heldLoader();
    const { host } = createHost({ loader: held, places: { atOnce: 2, outOfPlace: never } });
    const loading = host.loadAll({ workspace });
    for (const name of ["b", "a", "c", "d", "e", "f"]) {
      await end(name);
      expect(begun.length).toBeLessThanOrEqual(2);
    }
    expect((await loading).loaded).toHaveLength(5);
  });
});

describe("addons that hang while they load", () => {
  it("keep their places until they have had them long enough, and the others load beside them", async () => {
    const hanging = ["a", "b", "c"];
    const good = ["d", "e"];
    const manifests = [...hanging, ...good].map((id) => [id, command(id, id)] as const);
    const begun: string[] = [];
    const inPlace: (() => void)[] = [];
    const ends = deferred<never>();
    const { host, heard } = createHost({
      places: {
        atOnce: 2,
        outOfPlace: () => new Promise<void>((resolve) => inPlace.push(resolve)),
      },
      loader: {
        ...loader,
        async load(source, admission) {
          begun.push(source.id);
          if (hanging.includes(source.id)) await ends.promise;
          return loader.load(source, admission);
        },
      },
    });
    const loading = host.loadAll({ workspace: workspaceWith(Object.fromEntries(manifests)) });
    await until(() => begun.length === 2);
    expect(begun).toEqual(["a", "b"]);
    for (const count of [3, 4]) {
      inPlace.shift()?.();
      await until(() => begun.length >= count);
    }
    await until(() => begun.length === 5); // the good one gave its place away by itself
    ends.reject(new Error("it did not answer in time"));
    expect((await loading).loaded).toEqual(good);
    expect(heard.map(({ owner }) => owner)).toEqual(hanging);
  });

  it("ask for no time when nobody waits for a place", async () => {
    const asked: AbortSignal[] = [];
    const outOfPlace = (signal: AbortSignal): Promise<void> => {
      asked.push(signal);
      return new Promise(() => undefined);
    };
    const workspace = workspaceWith({ a: command("a", "a"), b: command("b", "b"), c: command("c", "c") });
    await createHost({ places: { atOnce: 3, outOfPlace } }).host.loadAll({ workspace });
    expect(asked).toHaveLength(2); // begun before the last one was
    expect(asked.every(({ aborted }) => aborted)).toBe(true);
    asked.length = 0;
    await createHost({ places: { atOnce: 1, outOfPlace } }).host.loadAll({
      workspace: workspaceWith({ a: "" }),
    });
    expect(asked).toEqual([]);
  });
});

describe("loadOne", () => {
  it("grafts an addon behind what is loaded, and reports each fault once", async () => {
    const { host, heard } = createHost();
    expect(host.registry()).toBeUndefined();
    await host.loadAll({ workspace: workspaceWith({ a: command("a", "go"), b: command("b", "go") }) });
    const graft = createFolder({ "manifest.toml": command("c", "other") });
    const source: AddonSource = { id: addonId("c"), path: graft, root: graft, scope: "explicit" };
    expect(await host.loadOne(source)).toBe("c");
    expect(host.registry()?.commands.map(({ name, feature }) => [name, feature])).toEqual([
      ["go", "project:a"],
      ["other", "user:c"],
    ]);
    expect(heard.length).toBe(1);
    expect(await host.loadOne(sourceAt("/gone/x"))).toBeUndefined();
    expect(heard.at(-1)).toMatchObject({ kind: "load", owner: "derived", cause: expect.any(LoaderError) });
  });
});

describe("onFault", () => {
  it("tells every listener although one throws, and stops telling one that left", async () => {
    const { host, heard } = createHost();
    const second: AddonFault[] = [];
    const warned: string[] = [];
    const onWarning = (warning: Error): void => void warned.push(warning.message);
    process.on("warning", onWarning);
    const leaveFirst = host.onFault(() => {
      throw new Error("listener boom");
    });
    const leave = host.onFault((fault) => second.push(fault));
    await host.loadOne(sourceAt("/gone/x"));
    expect([heard.length, second.length]).toEqual([1, 1]);
    leave();
    leave();
    leaveFirst();
    await host.loadOne(sourceAt("/gone/y"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect([heard.length, second.length]).toEqual([2, 1]);
    expect(warned).toEqual(["a listener of addon faults failed: listener boom"]);
  });
});

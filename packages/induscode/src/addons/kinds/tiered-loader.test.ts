import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../../../../tests/support/needs.ts";
import { createFolder, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { installFeatures } from "../../feature/registry.ts";
import { type AddonSource, addonId, type LoadedAddon } from "../contract.ts";
import { readTimes } from "../process/addon-times.ts";
import type { Sandbox, SandboxLevel } from "../sandbox/contract.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { hashAddon } from "../source/content-hash.ts";
import { decideTrust } from "../source/decide-trust.ts";
import { discoverSources } from "../source/discover.ts";
import { createTrust } from "../source/trust.ts";
import { createTieredLoader } from "./tiered-loader.ts";

const MODULE =
  "export function register(surface) { surface.addCommand('go', { summary: 's', run: () => undefined }); }";

interface Case {
  readonly level?: SandboxLevel;
  readonly requireSandbox?: boolean;
  readonly id?: string;
}

function createCase(
  files: Readonly<Record<string, string>>,
  { level, requireSandbox = false, id = "derived" }: Case = {},
) {
  const workspace = createFolder(files);
  const home = createFolder();
  const sandbox: Sandbox = createSandbox(level === undefined ? {} : { prefer: level });
  const loader = createTieredLoader({ workspace, home, env: process.env, requireSandbox, sandbox });
  const source = (path: string, root = path): AddonSource => ({
    id: addonId(id),
    path: `${workspace}/${path}`,
    root: `${workspace}/${root}`,
    scope: "project",
  });
  const load = async (path: string, root = path): Promise<LoadedAddon> => {
    const at = source(path, root);
    const addon = await loader.load(at, { hash: hashAddon(at.root), grants: [] });
    onTestFinished(() => addon.dispose?.());
    return addon;
  };
  return { workspace, home, loader, source, load };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("where no OS sandbox confines an addon", () => {
  it("the question and the report say exactly what is open, and it runs", async () => {
    needs("python3");
    const { loader, source, load } = createCase({ "a.py": "def register(s):\n  pass\n" }, { level: "none" });
    const lines = (await loader.describe(source("a.py"))).confinement?.() ?? [];
    expect(lines[0]).toBe("sandbox: none");
    expect(lines).toContain("not confined: It can read and change all of your files.");
    expect(lines).toContain("not confined: It can use the network.");
    const addon = await load("a.py");
    const { reports } = await installFeatures([addon.module], () => addon.grants);
    expect(reports[0]?.diagnostics.map(({ text }) => text)).toEqual(lines);
  });

  it("addons.requireSandbox refuses it, and the question says so beforehand", async () => {
    const { loader, source, load } = createCase(
      { "a.mjs": MODULE },
      { level: "node-permissions", requireSandbox: true },
    );
    expect((await loader.describe(source("a.mjs"))).confinement?.()).toContain(
      "addons.requireSandbox is set: it would be refused",
    );
    await expect(load("a.mjs")).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining(
        "addons.requireSandbox is set, and this machine has no sandbox for it: ",
      ),
    });
  });

  it("leaves addons that are data alone", async () => {
    const { loader, source } = createCase(
      { "a/manifest.toml": 'id = "a"' },
      { level: "none", requireSandbox: true },
    );
    expect((await loader.describe(source("a"))).confinement).toBeUndefined();
  });
});

describe("the kind of a source", () => {
  it.each([
    ["a.mjs", MODULE, "the JavaScript code of "],
    ["a.ts", MODULE, "the TypeScript code of "],
    ["a.py", "def register(s):\n  pass\n", "the Python code of "],
  ])("%s is told from its name", async (name, code, runs) => {
    const { loader, source } = createCase({ [name]: code });
    const { contributes } = await loader.describe(source(name));
    expect(contributes).toEqual([expect.stringContaining(`run ${runs}`)]);
  });

  it("a folder's is what its [run] names", async () => {
    const { loader, source } = createCase({
      "p/manifest.toml": 'id = "p"\n[run]\ncommand = ["./run.sh", "-x"]',
    });
    expect((await loader.describe(source("p"))).contributes).toEqual([
      'run the program "./run.sh" "-x", in its own process; `indus addons` shows what it registers',
    ]);
  });
});

describe("a file's name", () => {
  it("cannot be another addon's full id, which a --grant for that one would trust (twin: its own id is trusted)", async () => {
    const { home, workspace, loader } = createCase({
      ".indus/addons/user:notes.mjs": MODULE,
      ".indus/addons/notes.mjs": MODULE,
    });
    const trust = createTrust({ home });
    const { found } = discoverSources({ workspace });
    const decide = async (granted: string) => {
      const decisions = await decideTrust(found, {
        trust,
        describe: loader.describe,
        granted: { forRun: [granted] },
      });
      return decisions.map(({ kind }) => kind);
    };
    expect(await decide("user:notes")).toEqual(["skipped", "unreadable"]);
    expect(await decide("project:notes")).toEqual(["trusted", "unreadable"]);
  });

  it.each(["a\nindus: b", "..x", "deadbeefcafe", "a b"])("%j makes no id", async (id) => {
    const { loader, source } = createCase({ "a.mjs": MODULE }, { id });
    await expect(loader.describe(source("a.mjs"))).rejects.toThrow("which is not an addon id: rename it");
  });
});

describe("a home folder that cannot be written", () => {
  it("leaves the addon and the end of the session as they are (twin: the figures of the other session are kept)", async () => {
    const warned: string[] = [];
    const onWarning = ({ message }: Error) => void warned.push(message);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const { home, load } = createCase({ "a.mjs": MODULE });
    writeFiles(home, { "cache/registrations": "a file", "cache/times": "a file" });
    const addon = await load("a.mjs");
    expect(addon.warnings.join()).toContain("the registration of derived could not be cached");
    await addon.dispose?.();
    await setImmediate();
    expect(warned.join()).toContain("the times of project:derived could not be saved");
    const other = createCase({ "a.mjs": MODULE });
    const kept = await other.load("a.mjs");
    expect(kept.warnings).toEqual([]);
    await kept.dispose?.();
    expect(readTimes(other.home).map((each) => each.addon)).toEqual(["project:derived"]);
  });
});

describe("what a program registers", () => {
  it("leaves no process behind where it is refused (twin: where it is not, the process runs on)", async () => {
    const pidFile = (workspace: string): string => `${workspace}/out/pid`;
    const runsOn = async (id: string): Promise<boolean> => {
      const program = `import { writeFileSync } from "node:fs";
        export const id = ${JSON.stringify(id)};
        export function register() { writeFileSync(process.env.LC_ALL, String(process.pid)); }`;
      const workspace = createFolder({ "a.mjs": program, "out/.keep": "" });
      const loader = createTieredLoader({
        workspace,
        home: createFolder(),
        env: { LC_ALL: pidFile(workspace) },
        requireSandbox: false,
        sandbox: createSandbox({ prefer: "none" }),
      });
      const at = {
        id: addonId("a"),
        path: `${workspace}/a.mjs`,
        root: `${workspace}/a.mjs`,
        scope: "project",
      } as const;
      const loaded = await loader.load(at, { hash: hashAddon(at.root), grants: [] }).catch(() => undefined);
      onTestFinished(() => loaded?.dispose?.());
      return isAlive(Number(readFileSync(pidFile(workspace), "utf8")));
    };
    expect(await runsOn("../x")).toBe(false);
    expect(await runsOn("fine")).toBe(true);
  });

  it("names its contributions, which the trust in its content grants", async () => {
    const { load } = createCase({ "a.mjs": MODULE });
    const { module, grants, id } = await load("a.mjs");
    expect(module.descriptor).toMatchObject({
      id: "project:derived",
      runtime: "module",
      declaredCommands: ["go"],
    });
    expect([id, grants]).toEqual(["derived", []]);
  });

  it("may name the addon where its path did, and not where its manifest did", async () => {
    const named = `export const id = "chosen";\n${MODULE}`;
    expect((await createCase({ "a.mjs": named }).load("a.mjs")).id).toBe("chosen");
    const { load } = createCase({ "p/manifest.toml": 'id = "p"\n[run]\nmodule = "m.mjs"', "p/m.mjs": named });
    await expect(load("p")).rejects.toThrow('its program declares the id "chosen" and its manifest "p"');
    await expect(createCase({ "a.mjs": named.replace("chosen", "../x") }).load("a.mjs")).rejects.toThrow(
      "not an addon id",
    );
  });

  it("is held to the manifest where that lists contributions: the surplus is refused and reported", async () => {
    const hooks = `export function register(s) {
      s.on("turn:start", { kind: "observe", run: () => undefined });
      s.on("turn:end", { kind: "observe", run: () => undefined });
    }`;
    const manifest =
      'id = "p"\n[run]\nmodule = "m.mjs"\n[[capability]]\nkind = "contribute_hook"\npoint = "turn:start"\nreason = "r"';
    const { load } = createCase({ "p/manifest.toml": manifest, "p/m.mjs": hooks });
    const addon = await load("p");
    const { reports } = await installFeatures([{ ...addon.module }], () => [
      ...addon.grants,
      { kind: "contribute_hook", point: "turn:start" },
    ]);
    expect(reports[0]?.hooks).toEqual(["turn:start (observe)"]);
    expect(reports[0]?.skipped).toEqual([
      { kind: "hook", name: "turn:end", reason: "no grant to contribute the handler of turn:end" },
    ]);
  });

  it("runs as long as its content is what was trusted, also when its process starts late", async () => {
    const ran =
      "export function register(surface) { surface.addCommand('go', { summary: 's', run: ({ say }) => say('ran') }); }";
    const { load, workspace } = createCase({ "a.mjs": ran });
    await (await load("a.mjs")).dispose?.(); // now its registration is cached
    const said: string[] = [];
    const context = { args: "", cwd: workspace, handles: {}, say: (text: string) => void said.push(text) };
    const goOf = async () => {
      const addon = await load("a.mjs");
      const { commands } = await installFeatures([addon.module], () => addon.grants);
      return commands[0]?.run;
    };
    await (await goOf())?.(context);
    const late = await goOf();
    writeFiles(workspace, { "a.mjs": ran.replace("ran", "swapped") });
    await expect(late?.(context)).rejects.toThrow("it has changed since it was trusted; start indus again");
    expect(said).toEqual(["ran"]);
  });

  it("is read from the cache the second time, and asked again when the content changes", async () => {
    const { load, workspace, loader } = createCase({ "a.mjs": MODULE });
    await load("a.mjs");
    expect(loader.code()[0]?.remote.state()).toBe("running");
    await load("a.mjs");
    expect(loader.code()[1]?.remote.state()).toBe("waiting");
    writeFiles(workspace, { "a.mjs": `${MODULE}\n` });
    await load("a.mjs");
    expect(loader.code()[2]?.remote.state()).toBe("running");
  });
});

it("a program of the manifest's must be one, and its own must lie in its folder", async () => {
  const manifest = (command: string): string => `id = "p"\n[run]\ncommand = [${command}]`;
  const load = (command: string) => createCase({ "p/manifest.toml": manifest(command) }).load("p");
  await expect(load('"./gone.sh"')).rejects.toThrow('[run] command: "./gone.sh" cannot be run');
  await expect(load('"../../../../bin/sh"')).rejects.toThrow("it is outside the addon's folder");
  await expect(load('"no-such-program"')).rejects.toThrow('program "no-such-program" not found');
});

import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../../../../../tests/support/test-folder.ts";
import { commandLine } from "../../deck/shell-quote.ts";
import type { CommandContext } from "../../feature/command.ts";
import { EventDispatcher } from "../../feature/dispatch/dispatcher.ts";
import type { HookEvent, PayloadOf } from "../../feature/events.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import type { ExecOutcome } from "../../feature/services.ts";
import type { AddonScope, LoadedAddon } from "../contract.ts";
import { createDeclarativeLoader } from "./declarative-loader.ts";

const loader = createDeclarativeLoader();

function loadText(manifest: string, scope?: AddonScope): Promise<LoadedAddon> {
  return loader.load(sourceAt(createFolder({ "manifest.toml": manifest }), scope), NOTHING_ADMITTED);
}

/** The reason a manifest's gates give for stopping an event; undefined if they let it pass. */
async function stopOf<E extends HookEvent>(manifest: string, event: E, payload: PayloadOf<E>) {
  const { module } = await loadText(manifest);
  const { subscriptions } = await installFeatures([module], grantDeclared);
  const dispatcher = new EventDispatcher(subscriptions, {
    deadlineMs: 1_000,
    onGateFailure: "allow",
    onFault: (fault) => expect.unreachable(fault.message),
  });
  const { gate } = await dispatcher.dispatch(event, payload, { signal: new AbortController().signal });
  return gate?.stop ? gate.reason : undefined;
}

const bash = (command: string): PayloadOf<"tool:before"> => ({
  name: "bash",
  callId: "1",
  args: { command },
});

describe("load", () => {
  it("makes a feature that declares exactly what it will record", async () => {
    const manifest = `id = "safety"
version = "1.0.0"
[[gate]]
event = "tool:before"
reason = "one"
[[gate]]
event = "tool:before"
reason = "two"
[[gate]]
event = "input:submit"
reason = "three"
[[command]]
name = "deploy"
summary = "deploy it"
exec = "./d"
[[command]]
name = "idle"
summary = "nothing"
[[capability]]
kind = "alert"
reason = "tells you"
required = false
`;
    const { id, module, warnings } = await loadText(manifest);
    expect([id, warnings]).toEqual(["safety", []]);
    expect(module.descriptor).toEqual({
      id: "project:safety",
      displayName: "safety",
      version: "1.0.0",
      runtime: "declarative",
      requestedCapabilities: [
        {
          capability: { kind: "contribute_hook", point: "tool:before" },
          required: true,
          reason: "it stops tool:before: one; two",
        },
        {
          capability: { kind: "contribute_hook", point: "input:submit" },
          required: true,
          reason: "it stops input:submit: three",
        },
        {
          capability: { kind: "files", read: false, write: false, execute: true },
          required: true,
          neededBy: ["/deploy"],
          reason: "/deploy runs a command",
        },
        { capability: { kind: "alert" }, required: false, reason: "tells you" },
      ],
      declaredTools: [],
      declaredCommands: ["deploy", "idle"],
      declaredHooks: ["tool:before", "input:submit"],
      declaredTasks: [],
    });
    const { commands, reports } = await installFeatures([module], grantDeclared);
    expect(commands.map(({ name, argumentHint }) => [name, argumentHint])).toEqual([
      ["deploy", "[arguments]"],
      ["idle", undefined],
    ]);
    expect(reports[0]).toMatchObject({
      enabled: true,
      denied: [],
      skipped: [],
      faults: [],
      hooks: ["tool:before (gate)", "tool:before (gate)", "input:submit (gate)"],
    });
  });

  it.each([
    ["project", "project:x"],
    ["user", "user:x"],
    ["explicit", "user:x"],
  ] as const)("qualifies an addon of scope %s as %s", async (scope, id) => {
    expect((await loadText('id = "x"', scope)).module.descriptor.id).toBe(id);
  });

  it("takes the manifest file itself for its folder", async () => {
    const folder = createFolder({ "manifest.toml": 'id = "x"' });
    expect((await loader.load(sourceAt(join(folder, "manifest.toml")), NOTHING_ADMITTED)).id).toBe("x");
  });

  it.each([
    ["a.ts", "a .ts addon is code and needs the module loader (tier 1)"],
    ["a.cjs", "a .cjs addon is code and needs the module loader (tier 1)"],
    ["a.py", "a .py addon is code and needs the Python loader (tier 1)"],
    ["a.wasm", "a .wasm addon is code and needs the WASM loader (tier 2)"],
    ["notes.txt", "it is neither a folder nor a manifest.toml"],
  ])("refuses %s and names the tier", async (name, problem) => {
    const path = join(createFolder({ [name]: "" }), name);
    await expect(loader.load(sourceAt(path), NOTHING_ADMITTED)).rejects.toMatchObject({
      name: "LoaderError",
      kind: "unsupported",
      message: `${path}: ${problem}; the declarative loader reads manifest.toml only`,
    });
  });

  it.each<[string, (folder: string) => void, string]>([
    ["is missing", () => undefined, "ENOENT"],
    ["is a link", (folder) => symlinkSync("/etc/hostname", join(folder, "manifest.toml")), "ELOOP"],
    [
      "is a pipe",
      (folder) => execFileSync("mkfifo", [join(folder, "manifest.toml")]),
      "it is not a regular file",
    ],
    [
      "is endless",
      (folder) => execFileSync("truncate", ["-s", "1G", join(folder, "manifest.toml")]),
      "it has 1073741824 bytes; the limit is 262144",
    ],
  ])("refuses a manifest that %s", async (_what, make, problem) => {
    const folder = createFolder();
    make(folder);
    await expect(loader.load(sourceAt(folder), NOTHING_ADMITTED)).rejects.toMatchObject({
      kind: "io",
      message: expect.stringContaining(problem),
    });
  });

  it("refuses a source that is gone", async () => {
    await expect(loader.load(sourceAt("/gone/addon"), NOTHING_ADMITTED)).rejects.toMatchObject({
      kind: "io",
      path: "/gone/addon",
    });
  });
});

describe("a gate", () => {
  const gate = (event: HookEvent, rest = ""): string =>
    `id = "x"\n[[gate]]\nevent = "${event}"\nreason = "because"\n${rest}`;

  it("without a tool stops whenever its event fires", async () => {
    expect(await stopOf(gate("input:submit"), "input:submit", { text: "hi" })).toBe("because");
    expect(await stopOf(gate("compact:before"), "compact:before", { reason: "full" })).toBe("because");
    expect(await stopOf(gate("tool:before"), "tool:before", bash("ls"))).toBe("because");
  });

  it("with a tool stops that tool and no other", async () => {
    const manifest = gate("tool:before", 'match-tool = "bash"');
    expect(await stopOf(manifest, "tool:before", bash("ls"))).toBe("because");
    expect(await stopOf(manifest, "tool:before", { ...bash("ls"), name: "read" })).toBeUndefined();
    expect(await stopOf(manifest, "tool:before", { ...bash("ls"), name: "Bash" })).toBeUndefined();
  });

  it("with a tool never fires for a payload that is no tool's", async () => {
    for (const rest of ['match-tool = "bash"', 'match-arg = "text"\ncontains = "hi"'])
      expect(await stopOf(gate("input:submit", rest), "input:submit", { text: "hi" })).toBeUndefined();
  });

  it("with a condition stops only where the condition holds as well", async () => {
    const manifest = gate("tool:before", 'match-tool = "bash"\nmatch-arg = "command"\nglob = "*rm -rf*"');
    expect(await stopOf(manifest, "tool:before", bash("sudo rm  -rf /"))).toBe("because");
    expect(await stopOf(manifest, "tool:before", bash("ls"))).toBeUndefined();
    expect(await stopOf(manifest, "tool:before", { ...bash("rm -rf /"), name: "write" })).toBeUndefined();
  });

  it("carries what it does when it fails", async () => {
    const { module } = await loadText(gate("tool:before", 'on-failure = "block"'));
    const { subscriptions } = await installFeatures([module], grantDeclared);
    expect(subscriptions.map(({ handler }) => handler)).toEqual([
      { kind: "gate", onFailure: "block", run: expect.any(Function) },
    ]);
  });

  it("is not installed without its grant", async () => {
    const { module } = await loadText(gate("tool:before"));
    const { subscriptions, reports } = await installFeatures([module], () => []);
    expect(subscriptions).toEqual([]);
    expect(reports[0]?.skipped).toEqual([
      { kind: "hook", name: "tool:before", reason: "no grant to contribute the handler of tool:before" },
    ]);
  });
});

describe("a command", () => {
  const DEPLOY = 'id = "x"\n[[command]]\nname = "deploy"\nsummary = "s"\n';

  interface Given {
    readonly args?: string;
    readonly grants?: typeof grantDeclared;
    readonly exec?: (command: string, args: readonly string[]) => Promise<ExecOutcome>;
  }

  async function runCommand(manifest: string, { args = "", grants = grantDeclared, exec }: Given) {
    const said: string[] = [];
    const { module } = await loadText(manifest);
    const { commands } = await installFeatures([module], grants);
    const handles = exec ? { exec } : {};
    const context: CommandContext = { args, cwd: "/ws", say: (text) => void said.push(text), handles };
    await commands[0]?.run(context);
    return said;
  }

  it("runs its line with the words behind it apart, and shows what came of it", async () => {
    const ran: unknown[] = [];
    const said = await runCommand(`${DEPLOY}exec = "./deploy.sh --now"`, {
      args: `staging 'two words' ; id`,
      exec: async (...call) => {
        ran.push(call);
        return { stdout: "done\n", stderr: "slowly\n", code: 3 };
      },
    });
    expect(ran).toEqual([["./deploy.sh --now", ["staging", "two words", ";", "id"], { by: "project:x" }]]);
    expect(said).toEqual(["done", "slowly", "It exited with code 3."]);
  });

  it("runs a line that ends with a line break as it is written; words come before that", async () => {
    const ran: string[] = [];
    const exec = async (line: string): Promise<ExecOutcome> => {
      ran.push(line);
      return { stdout: "", stderr: "", code: 0 };
    };
    for (const args of ["", "b"]) await runCommand(`${DEPLOY}exec = "printf a\\n"`, { args, exec });
    expect(ran).toEqual(["printf a\n", "printf a"]);
  });

  it("says nothing where there is nothing to say", async () => {
    const exec = async (): Promise<ExecOutcome> => ({ stdout: "", stderr: "\n", code: 0 });
    expect(await runCommand(`${DEPLOY}exec = "true"`, { exec })).toEqual([]);
  });

  it("says that a signal ended it", async () => {
    const exec = async (): Promise<ExecOutcome> => ({ stdout: "", stderr: "", code: null });
    expect(await runCommand(`${DEPLOY}exec = "true"`, { exec })).toEqual(["It was killed by a signal."]);
  });

  it("hands on the reason of a refusal", async () => {
    const exec = (): Promise<ExecOutcome> => Promise.reject(new Error("Refused: no"));
    await expect(runCommand(`${DEPLOY}exec = "true"`, { exec })).rejects.toThrow("Refused: no");
  });

  it("runs nothing when a quote is open", async () => {
    const exec = (): Promise<ExecOutcome> => expect.unreachable("it ran");
    expect(await runCommand(`${DEPLOY}exec = "true"`, { args: "it's", exec })).toEqual([
      "Nothing was run: the quote ' is not closed.",
    ]);
  });

  it("is inert without a line and without the handle", async () => {
    const exec = (): Promise<ExecOutcome> => expect.unreachable("it ran");
    expect(await runCommand(DEPLOY, { exec })).toEqual([]);
    expect(await runCommand(`${DEPLOY}exec = "true"`, {})).toEqual([]);
  });

  it("is not there without its grant, and what needs none is", async () => {
    const idle = '[[command]]\nname = "idle"\nsummary = "does nothing"\n';
    const { module } = await loadText(`${DEPLOY}exec = "true"\n${idle}`);
    const { commands, reports } = await installFeatures([module], () => []);
    expect(commands.map(({ name }) => name)).toEqual(["idle"]);
    expect(reports[0]?.skipped).toEqual([
      { kind: "command", name: "deploy", reason: "it needs files (execute): it was not granted" },
    ]);
  });

  it("gives a shell nothing to run: `/deploy ; echo injected`", async () => {
    const args = "; echo injected $(echo too)";
    const sh = (line: string): string => execFileSync("sh", ["-c", line], { encoding: "utf8" });
    expect(sh(`echo deploying ${args}`)).toBe("deploying\ninjected too\n"); // glued to the line
    const said = await runCommand(`${DEPLOY}exec = "echo deploying"`, {
      args,
      exec: async (command, words) => {
        const stdout = sh(commandLine(command, words));
        return { stdout, stderr: "", code: 0 };
      },
    });
    expect(said).toEqual(["deploying ; echo injected $(echo too)"]);
  });
});

describe("the effort of all gates of one manifest at one event", () => {
  const DEAR = JSON.stringify(Array.from({ length: 30 }, () => `*${"a".repeat(100)}?${"a".repeat(24)}b*`));
  const gateOf = (more = ""): string => `
[[gate]]
event = "tool:before"
match-arg = "command"
glob = ${DEAR}
reason = "dear"
${more}
`;
  const UNCONDITIONAL =
    '[[gate]]\nevent = "tool:before"\nmatch-arg = "command"\ncontains = ["a"]\nreason = "found"\n';

  async function dispatched(manifest: string, { command = "a".repeat(65_000), delegate = false } = {}) {
    const { module } = await loadText(`id = "dear"\n${manifest}`);
    const { subscriptions } = await installFeatures([module], grantDeclared);
    const faults: string[] = [];
    const dispatcher = new EventDispatcher(subscriptions, { onFault: ({ message }) => faults.push(message) });
    const options = delegate ? { delegate: "reviewer" } : {};
    const once = async () => (await dispatcher.dispatch("tool:before", bash(command), options)).gate;
    return { first: await once(), again: await once(), faults };
  }

  const ENDED =
    "project:dear failed at tool:before: its gates may examine 33554432 characters in total per event; the rest was not examined";

  it.each(rows([false, true], theFirst))(
    "is one: what is behind it is a fault, told once at each event (of a delegate: %s)",
    async (delegate) => {
      const { first, again, faults } = await dispatched(gateOf().repeat(8) + UNCONDITIONAL, { delegate });
      expect([first, again]).toEqual([undefined, undefined]);
      expect(faults).toEqual([ENDED, ENDED]);
    },
  );

  it.each(
    rows(
      [
        ["the gate", gateOf('on-failure = "block"').repeat(8)],
        ["the addon", `on-failure = "block"\n${gateOf().repeat(8)}`],
        ["only the last gate", `${gateOf().repeat(8)}${UNCONDITIONAL}on-failure = "block"\n`],
      ],
      theFirst,
    ),
  )("closes what it guards where %s says block", async (_who, manifest) => {
    const { first, faults } = await dispatched(manifest);
    expect(first).toMatchObject({ stop: true, by: { feature: "project:dear" } });
    expect(first?.reason).toContain("the gate of project:dear was not called, because its gates may examine");
    expect(faults).toEqual([ENDED, ENDED]);
  });

  it("is enough for four gates like these, whose fifth stops it (the twin of a budget for each gate)", async () => {
    const { first, faults } = await dispatched(gateOf().repeat(4) + UNCONDITIONAL);
    expect(first).toMatchObject({ stop: true, reason: "found" });
    expect(faults).toEqual([]);
  });

  it("is warned of where many rules stand open, and not where they close", async () => {
    const { warnings } = await loadText(`id = "dear"\n${gateOf().repeat(5)}`);
    expect(warnings).toEqual([
      expect.stringMatching(
        /its gates at tool:before have 150 rules: a very long string .+ set on-failure = "block"$/,
      ),
    ]);
    expect((await loadText(`id = "dear"\non-failure = "block"\n${gateOf().repeat(5)}`)).warnings).toEqual([]);
    expect((await loadText(`id = "dear"\n${gateOf().repeat(4)}`)).warnings).toEqual([]);
  });
});

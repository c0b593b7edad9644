import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { needs } from "../../../../../tests/support/needs.ts";
import { type AuthorFolder, authorFolder } from "../../../../../tests/support/test-author.ts";
import { PARTS } from "../../boot/parts.ts";
import { createSecrets } from "../../cli/secrets.ts";
import { runCheck } from "../../parts/author/run-addon-check.ts";
import { addonAt } from "./addon-at.ts";
import { AUTHOR_KINDS } from "./addon-templates.ts";
import type { AddonCheck } from "./check-addon.ts";
import { createAddon } from "./create-addon.ts";

const TEMPLATES: string = fileURLToPath(new URL("../../../assets/addon-templates", import.meta.url));
const EXAMPLES: string = fileURLToPath(new URL("../../../../../examples/addons", import.meta.url));

async function check(path: string, { cwd, home }: AuthorFolder = authorFolder()): Promise<AddonCheck> {
  const found = addonAt(path, { workspace: cwd, home });
  if (!found.ok) throw new Error(found.problem);
  return runCheck(found.source, { cwd, home, env: process.env, secrets: createSecrets(), parts: PARTS });
}

/** `problem: …` and `warning: …`, without the folder's name. */
async function findings(files: Readonly<Record<string, string>>, path: string): Promise<readonly string[]> {
  const folder = authorFolder();
  for (const [name, text] of Object.entries(files)) folder.file(name, text);
  const found = await check(path, folder);
  return found.findings.map(({ severity, text }) => `${severity}: ${text.replaceAll(`${folder.cwd}/`, "")}`);
}

describe("what comes with the product passes", () => {
  it.each(AUTHOR_KINDS)("the template of kind %s, under another name", async (kind) => {
    if (kind === "python") needs("python3");
    const folder = authorFolder();
    const created = createAddon("notes", {
      kind,
      folder: join(folder.cwd, ".indus/addons"),
      within: folder.cwd,
      templates: TEMPLATES,
    });
    if (!created.ok) throw new Error(created.problem);
    const { findings: found, registers, description, confinement } = await check(created.path, folder);
    expect(found).toEqual([]);
    expect(description).toMatchObject({ id: "notes", version: "0.1.0" });
    expect(registers).toContain("gate tool:before");
    if (kind === "toml") expect(confinement).toEqual([]);
    else expect(confinement[0]).toMatch(/^sandbox: (bubblewrap|landlock)$/);
    // A check stores nothing: neither a registration nor a log.
    expect(
      readdirSync(folder.home, { recursive: true, encoding: "utf8" }).filter(
        (each) => !/^cache(\/sandbox\.json)?$/.test(each),
      ),
    ).toEqual([]);
  });

  it.each(["safety", "secret-scan"])("the example %s", async (name) => {
    expect((await check(join(EXAMPLES, name))).findings).toEqual([]);
  });

  it("an example whose interceptor calls bash by another name has nothing wrong with it", async () => {
    needs("python3");
    expect((await check(join(EXAMPLES, "redact.py"))).findings).toEqual([]);
  });
});

const TS_BLOCK = (toml: string): string =>
  ["// /// indus-addon", ...toml.split("\n").map((line) => `// ${line}`), "// ///", ""].join("\n");
const ASK = (kind: string, facts = ""): string =>
  `[[capability]]\nkind = "${kind}"\n${facts}reason = "because"`;
const GATE = 'surface.on("tool:before", { kind: "gate", run: () => undefined });';
const ADDON = (body: string, toml?: string): Readonly<Record<string, string>> => ({
  "a.ts": `${toml === undefined ? "" : TS_BLOCK(toml)}export function register(surface) { ${body} }\n`,
});
const TOOL = (name: string, parameters = '{ type: "object" }'): string =>
  `surface.addTool({ name: "${name}", description: "x", parameters: ${parameters}, run: () => "x" });`;
const COMMAND = (name: string): string =>
  `surface.addCommand("${name}", { summary: "x", run: () => undefined });`;
const PLACES = 'id = "a"\n[run]\nmodule = "a.ts"\n';

describe("a manifest's mistakes are told with their place", () => {
  it.each([
    ["no TOML", 'id = "a"\nversion = \n', /^problem: a\/manifest\.toml, line 2, column \d+: /],
    ["no id", 'version = "1"\n', /^problem: a\/manifest\.toml: "id" is missing/],
    [
      "a wrong event",
      'id = "a"\n[[gate]]\nevent = "tool:befor"\nreason = "x"\n',
      /\[\[gate\]\] 1: "event" must be one of/,
    ],
    ["no reason", 'id = "a"\n[[capability]]\nkind = "alert"\n', /\[\[capability\]\] 1: "reason" is missing/],
    [
      "an unknown key",
      'id = "a"\nauthor = "me"\n[[command]]\nname = "hi"\nsummary = "x"\n',
      /^warning: .*author/,
    ],
    [
      "two programs",
      'id = "a"\n[run]\nwasm = "a.wasm"\npython = "a.py"\n',
      /specify exactly one of command, hooks, mcp, mcp-url, module, python, wasm/,
    ],
  ])("%s", async (_what, text, told) => {
    expect(await findings({ "a/manifest.toml": text }, "a")).toEqual([expect.stringMatching(told)]);
  });

  it("an empty reason, which a person could not judge", async () => {
    const asked = ASK("alert").replace("because", " ");
    const found = await findings(ADDON(`${GATE} surface.host.alert;`, asked), "a.ts");
    expect(found).toEqual(['problem: a.ts: [[capability]] 1: "reason" must not be empty']);
  });

  it("a block of comments that is no manifest", async () => {
    const found = await findings({ "a.ts": "// /// indus-addon\n// version = 1\n// ///\n" }, "a.ts");
    expect(found).toEqual([expect.stringMatching(/^problem: a\.ts: "version" must be a string/)]);
  });
});

describe("names", () => {
  it.each(
    rows(
      [
        [
          "a tool name with a blank",
          TOOL("two words"),
          /tool two words is skipped: "two words" is not a valid tool name/,
        ],
        [
          "a built-in tool's name",
          TOOL("bash"),
          /tool bash is skipped: the tool name "bash" is taken by builtin:/,
        ],
        [
          "a schema that is none",
          TOOL("t", '{ type: "objekt" }'),
          /tool t is skipped: the schema of "t" is invalid/,
        ],
        [
          "a command name with capitals",
          COMMAND("Hi"),
          /command Hi is skipped: .*is not a valid command name/,
        ],
        [
          "a reserved command",
          COMMAND("help"),
          /command help is skipped: the command name "\/help" is reserved/,
        ],
        [
          "a command of every session",
          COMMAND("tasks"),
          /command tasks is skipped: the command name "\/tasks" is taken by builtin:/,
        ],
        [
          "one command twice",
          COMMAND("hi") + COMMAND("hi"),
          /command hi is skipped: the command name "\/hi" is taken/,
        ],
      ],
      (_, at) => at % 3 === 0,
    ),
  )("%s", async (_what, body, told) => {
    expect(await findings(ADDON(body), "a.ts")).toEqual([expect.stringMatching(told)]);
  });
});

describe("what is declared and what is registered", () => {
  it("a hook, a tool and a task that are declared only", async () => {
    const toml = [
      ASK("contribute_hook", 'point = "tool:after"\n'),
      ASK("contribute_hook", 'point = "tool:before"\n'),
      ASK("contribute_tool", 'name = "clock"\n'),
      ASK("background_task"),
    ].join("\n");
    expect(await findings(ADDON(GATE, toml), "a.ts")).toEqual([
      "problem: a hook at tool:after is declared but not registered",
      "problem: the tool clock is declared but not registered",
      "problem: a background task is declared but not registered",
    ]);
  });

  it("a tool that is registered only, beside one that is declared (the twin: with both declared it is good)", async () => {
    const declared = ASK("contribute_tool", 'name = "one"\n');
    const body = TOOL("one") + TOOL("two");
    expect(await findings(ADDON(body, declared), "a.ts")).toEqual([
      'problem: tool two is skipped: no grant to contribute the tool "two"',
    ]);
    const both = `${declared}\n${ASK("contribute_tool", 'name = "two"\n')}`;
    expect(await findings(ADDON(body, both), "a.ts")).toEqual([]);
  });

  it("a program that asks for what its manifest does not", async () => {
    const answer = {
      protocol: 1,
      handlers: [{ event: "tool:before", kind: "observe" }],
      capabilities: [{ capability: { kind: "alert" }, required: true, reason: "x" }],
    };
    const program = `#!/bin/sh\nread -r line\nprintf '{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(answer)}}\\n'\nread -r line\n`;
    const folder = authorFolder();
    folder.file("a/manifest.toml", 'id = "a"\n[run]\ncommand = ["sh", "a.sh"]\n');
    folder.file("a/a.sh", program);
    const { findings: found } = await check("a", folder);
    expect(found).toEqual([
      { severity: "problem", text: "hook tool:before is skipped: it needs alert: it was not granted" },
      {
        severity: "warning",
        text: 'its program requests {"kind":"alert"}, which its manifest does not: it is not granted',
      },
    ]);
  });

  it("an addon that contributes nothing", async () => {
    expect(await findings(ADDON(""), "a.ts")).toEqual(["problem: it contributes nothing"]);
  });
});

describe("what is asked for and nothing uses", () => {
  it.each(
    rows(
      [
        ["alert", ASK("alert"), "alert", 'surface.host.alert("x")'],
        ["model_notification", ASK("model_notification"), "model_notification", 'surface.host.notify("x")'],
        [
          "network",
          ASK("network", 'purpose = "x"\nhosts = ["example.com"]\n'),
          "network",
          'surface.host.fetch("x")',
        ],
        ["a secret", ASK("secret", 'id = "TOKEN"\n'), "secret TOKEN", 'surface.host.secret("TOKEN")'],
        [
          "files",
          ASK("files", "read = true\nwrite = true\nexecute = true\n"),
          "files read write execute",
          'import("node:fs"); surface.handles.exec("ls")',
        ],
      ],
      theFirst,
    ),
  )("%s (the twin: used, it is not told)", async (_what, toml, part, use) => {
    expect(await findings(ADDON(GATE, toml), "a.ts")).toEqual([
      `warning: ${part} looks unused: nothing in its files requests it from the host`,
    ]);
    expect(await findings(ADDON(`${GATE} if (surface.never) { ${use} }`, toml), "a.ts")).toEqual([]);
  });

  it("a capability that a manifest without code asks for and cannot use", async () => {
    const data = `id = "a"\n[[command]]\nname = "hi"\nsummary = "x"\n${ASK("alert")}\n`;
    expect(await findings({ "a/manifest.toml": data }, "a")).toEqual([
      expect.stringContaining("alert looks unused"),
    ]);
  });

  it("writing, where a Python addon asked to read and write files and only reads", async () => {
    const block = TS_BLOCK(ASK("files", "read = true\nwrite = true\n")).replaceAll(/^\/\/ /gm, "# ");
    const code = `${block}from induscode.addons import ObserveHandler\ndef register(surface):\n  surface.on("tool:after", ObserveHandler(lambda p: surface.host.read_file("x")))\n`;
    expect(await findings({ "a.py": code }, "a.py")).toEqual([
      expect.stringContaining("files write looks unused"),
    ]);
  });
});

describe("a registration that fails", () => {
  it.each([
    ["throws", ADDON('throw new Error("broken on purpose");'), "a.ts", /broken on purpose/],
    ["is no TypeScript", { "a.ts": "export function register( {" }, "a.ts", /a\.ts, line 1, column \d+/],
    ["is not there", { "a/manifest.toml": PLACES }, "a", /the entry "a\.ts" cannot be used/],
    [
      "tries to read the person's keys, which its sandbox does not show",
      { "a.py": `def register(surface):\n  open("${process.env.HOME}/.ssh/id_rsa")\n` },
      "a.py",
      /(No such file|Permission denied)/,
    ],
  ])("%s", async (_what, files, path, told) => {
    expect(await findings(files as Readonly<Record<string, string>>, path)).toEqual([
      expect.stringMatching(told),
    ]);
  });
});

describe("a path that is no addon", () => {
  it.each([
    ["nothing", "nowhere.ts", /nowhere\.ts not found/],
    ["a folder of another kind", "docs", /docs is not an addon: an addon is a folder with a manifest\.toml/],
    ["a text", "notes.txt", /notes\.txt is not an addon/],
  ])("%s", (_what, path, told) => {
    const { cwd, home, file } = authorFolder();
    file("docs/x.md", "");
    writeFileSync(join(cwd, "notes.txt"), "");
    const found = addonAt(path, { workspace: cwd, home });
    expect(found).toEqual({ ok: false, problem: expect.stringMatching(told) });
  });

  it("has the scope that it would have where it lies", () => {
    const { cwd, home, file } = authorFolder();
    file(".indus/addons/a/index.ts", "");
    file("../home/addons/b.ts", "");
    file("lib/c.py", "");
    const places = { workspace: cwd, home };
    expect(addonAt(".indus/addons/a", places)).toMatchObject({
      source: {
        id: "a",
        scope: "project",
        root: join(cwd, ".indus/addons/a"),
        path: join(cwd, ".indus/addons/a/index.ts"),
      },
    });
    expect(addonAt("../home/addons/b.ts", places)).toMatchObject({ source: { id: "b", scope: "user" } });
    expect(addonAt("lib/c.py", places)).toMatchObject({ source: { id: "c", scope: "explicit" } });
  });
});

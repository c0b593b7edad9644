// One contribution that cannot be taken, of each kind of addon, through the real command: it costs that one alone, and each start says
// which and why.

import { describe, expect, it } from "vitest";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { compileReply } from "../support/test-wasm.ts";

const DEEP = `${'{"not":'.repeat(400)}{}${"}".repeat(400)}`;
/** `{"protocol":1,…}`, in which one of each list is wrong and one is right. */
const CARDS = `{"protocol":1,
  "commands":[{"name":"bad"},{"name":"go","summary":"s"}],
  "handlers":[{"event":"tool:later","kind":"gate"},{"event":"input:submit","kind":"gate"}],
  "tools":[{"name":"outside","description":"d","parameters":{}},{"name":"count","description":"d","parameters":{}}]}`;
const SKIPPED = [
  "command bad: summary is missing",
  "hook tool:later: event must be one of",
  'tool outside: the tool name "outside" is a word of permission rules',
];

type Files = Readonly<Record<string, string | Uint8Array>>;

const KINDS: Readonly<Record<string, () => Promise<readonly [Files, skipped: readonly string[]]>>> = {
  TypeScript: async () => [
    {
      ".indus/addons/wrong.ts": `export function register({ addCommand, addTool, on }: any) {
  addCommand("bad", { run() {} });
  addCommand("go", { summary: "s", run() {} });
  on("tool:later", { kind: "gate", run() {} });
  on("input:submit", { kind: "gate", run() {} });
  const tool = { description: "d", parameters: {}, run: () => "ok" };
  addTool({ ...tool, name: "outside" });
  const circle: any = {};
  circle.properties = { circle };
  addTool({ ...tool, name: "circle", parameters: circle });
  addTool({ ...tool, name: "large", parameters: { description: "x".repeat(1_000_000) } });
  addTool({ ...tool, name: "count" });
}`,
    },
    [
      'command bad: addCommand("bad"): it takes { summary, run }: a string and a function; got an object with run (wrong.ts, line 2)',
      "hook tool:later: on: the event must be one of session:start",
      "tool circle: it cannot be sent: it contains itself",
      'tool outside: the tool name "outside" is a word of permission rules',
      "tool large: with it, its feature's tools would take more than 131072 bytes of each request",
    ],
  ],
  Python: async () => [
    {
      ".indus/addons/wrong.py": `from induscode.addons import *
def register(s):
    s.add_command("bad", None)
    s.add_command("go", CommandSpec("s", print))
    s.on("tool:later", GateHandler(print))
    s.on("input:submit", GateHandler(lambda p: None))
    s.add_tool(AgentTool("outside", "d", {}, print))
    s.add_tool(AgentTool("made", "d", {"default": print}, print))
    s.add_tool(AgentTool("large", "d", {"description": "x" * 1000000}, print))
    s.add_tool(AgentTool("count", "d", {}, print))
`,
    },
    [
      "command bad: TypeError: surface.add_command('bad'): expected a CommandSpec, found NoneType (wrong.py, line 3)",
      "hook tool:later: ValueError: surface.on: unknown event 'tool:later'",
      "tool made: it cannot be sent: expected a value that JSON can represent",
      'tool outside: the tool name "outside" is a word of permission rules',
      "tool large: with it, its feature's tools would take more than 131072 bytes of each request",
    ],
  ],
  "a program": async () => [
    {
      ".indus/addons/wrong/manifest.toml": rawManifest("wrong", JSON.parse(CARDS)),
      ".indus/addons/wrong/addon.py": rawProgram('answer(id, REGISTRATION if method == "describe" else {})'),
    },
    SKIPPED,
  ],
  WebAssembly: async () => [
    {
      ".indus/addons/wrong/manifest.toml": 'id = "wrong"\n[run]\nwasm = "wrong.wasm"\n',
      ".indus/addons/wrong/wrong.wasm": await compileReply(`
        const deep = '{"name":"deep","description":"d","parameters":${DEEP}},';
        if (!message.includes('"method":"describe"')) return result(message, "{}");
        return result(message, '${CARDS.replace(/\n */g, "")}'.replace('"tools":[', '"tools":[' + deep));`),
    },
    ["tool deep: it cannot be sent: it contains itself, or is nested more than 190 levels deep", ...SKIPPED],
  ],
};

describe.each(rows(Object.entries(KINDS), theFirst))("what %s cannot contribute", (_kind, made) => {
  it("costs that alone, and every start names it", async () => {
    const [files, skipped] = await made();
    const place = await createServedShared(() => ({ text: "Done." }));
    for (const [path, content] of Object.entries(files))
      if (typeof content === "string") place.file(path, content);
      else place.bytes(path, content);
    for (const start of ["one that registers", "one that knows what is registered"]) {
      const { code, stdout, stderr } = await place.run([
        ...["-p", "go", "--model", "anthropic/scripted", "--grant", "wrong"],
      ]);
      expect([start, code, stdout], stderr).toEqual([start, 0, "Done.\n"]);
      expect(stderr).toContain("project:wrong: skipped: ");
      for (const part of skipped) expect(stderr).toContain(part.replace(/^(\w+) (\S+?): /, "$1 $2 ("));
    }
    const { stdout } = await place.run(["addons", "--json", "--grant", "wrong"]);
    const { features } = JSON.parse(stdout) as { readonly features: readonly FeatureInstallReport[] };
    const report = features.find(({ feature }) => feature === "project:wrong");
    expect(report).toMatchObject({
      commands: ["go"],
      hooks: ["input:submit (gate)"],
      tools: ["count"],
      faults: [],
    });
    const named = report?.skipped.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`) ?? [];
    expect(named).toHaveLength(skipped.length);
    for (const part of skipped) expect(named).toContainEqual(expect.stringContaining(part));
    // What the person requires runs whole or not at all.
    place.settings({ localServers: [], addons: { required: ["wrong"] } });
    const required = await place.run(["-p", "go", "--model", "anthropic/scripted", "--grant", "wrong"]);
    expect([required.code === 0, required.stderr.includes("a part of it was skipped")]).toEqual([
      false,
      true,
    ]);
  });
});

// Addons that are code, through the real command: each kind in a process of its own, with the same registry, log and
// report as any other feature.

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { needs } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";

const EXECUTE = ["[[capability]]", 'kind = "files"', "execute = true", 'reason = "changes what is run"'];
const block = (comment: string): string =>
  ["/// indus-addon", ...EXECUTE, "///"].map((line) => `${comment} ${line}`).join("\n");

const TYPESCRIPT = `${block("//")}
import { type AddonSurface, gate, transform } from "induscode/addons";

enum Tone { Loud } // more than type stripping can do

export const version = "2.0.0";

export async function register(surface: AddonSurface): Promise<void> {
  surface.on("input:submit", transform(({ text }) => ({ text: text + " (polished)" })));
  surface.on("tool:before", gate(({ name, args }) =>
    name === "bash" && JSON.stringify(args).includes("rm -rf") ? { stop: true, reason: "no rm here" } : undefined));
  surface.interceptTool("bash", {
    enter: ({ args }) => ({ args: { ...(args as object), command: "echo changed" } }),
    exit: ({ result }) => ({ ...result, content: [...result.content, { kind: "text", text: "and seen" }] }),
  });
  surface.addTool({
    name: "shout",
    description: "Says it loudly.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: async ({ text }: { text: string }) => text.toUpperCase() + Tone.Loud,
  });
  surface.addCommand("hi", { summary: "greets", run: ({ args, say }) => say("hi " + args) });
}
`;

const PYTHON = `${block("#")}
from induscode.addons import (
    AgentTool, AgentToolResult, ArgsRewrite, CommandSpec, GateDecision, GateHandler, InterceptorStage, TransformHandler,
)

version = "2.0.0"

async def register(surface):
    surface.on("input:submit", TransformHandler(lambda p: {**p, "text": p["text"] + " (polished)"}))

    def guard(payload):
        if payload["name"] == "bash" and "rm -rf" in str(payload["args"]):
            return GateDecision(stop=True, reason="no rm here")
        return None
    surface.on("tool:before", GateHandler(guard))

    surface.intercept_tool("bash", InterceptorStage(
        enter=lambda ctx: ArgsRewrite(args={**ctx.args, "command": "echo changed"}),
        exit=lambda ctx: {"content": [*ctx.result.content, {"kind": "text", "text": "and seen"}], "is_error": ctx.result.is_error},
    ))
    surface.add_tool(AgentTool(
        name="shout",
        description="Says it loudly.",
        parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        execute=lambda args: AgentToolResult(content=[{"kind": "text", "text": args["text"].upper() + "0"}]),
    ))
    surface.add_command("hi", CommandSpec(summary="greets", run=lambda ctx: print("hi " + ctx.args)))
`;

const KINDS = [
  { kind: "module", file: ".indus/addons/polish.ts", code: TYPESCRIPT },
  { kind: "python", file: ".indus/addons/polish.py", code: PYTHON },
] as const;

const SCRIPT: Script = [
  { text: "One.", calls: [{ name: "bash", input: { command: "rm -rf /tmp/nothing" } }] },
  { text: "Two.", calls: [{ name: "bash", input: { command: "echo plain" } }] },
  { text: "Three.", calls: [{ name: "shout", input: { text: "hey" } }] },
  { text: "Done." },
];

const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];

async function placeWith(
  files: Readonly<Record<string, string>>,
  script: Script = SCRIPT,
): Promise<Workplace> {
  const place = await createServedShared(script);
  for (const [path, text] of Object.entries(files)) place.file(path, text);
  return place;
}

async function reportOf(place: Workplace, args: readonly string[]): Promise<FeatureInstallReport> {
  const { stdout } = await place.run(["addons", "--json", ...args]);
  const { features } = JSON.parse(stdout) as { readonly features: readonly FeatureInstallReport[] };
  return features.at(-1) as FeatureInstallReport;
}

describe.each(rows(KINDS, theFirst))("an addon of the kind $kind", ({ file, code }) => {
  it("transforms, stops, rewrites, recovers and contributes in a real run, and the log explains each", async () => {
    const place = await placeWith({ [file]: code });
    const { code: exit, stdout, stderr } = await place.run([...FLAGS, "--grant", "polish"]);
    expect({ exit, stdout, stderr: stderr.includes("fault") }).toEqual({
      exit: 0,
      stdout: "Done.\n",
      stderr: false,
    });
    const by = { feature: "project:polish", version: "2.0.0" };
    const entries = place.entries();
    expect(entries.find(({ type }) => type === "user")).toMatchObject({
      content: [{ kind: "text", text: "go (polished)" }],
    });
    expect(entries.filter(({ type }) => type === "tool")).toMatchObject([
      { state: "refused", text: "Refused: bash was not run, because no rm here (project:polish)" },
      {
        state: "ok",
        text: expect.stringMatching(/changed[\s\S]*and seen/),
        input: { command: "echo changed" },
        changes: [
          { at: "intercept:enter", ...by },
          { at: "intercept:exit", ...by },
        ],
      },
      { state: "ok", text: "HEY0" },
    ]);
    expect(verifyEntries(entries)).toMatchObject({ mismatches: [] });
  });

  it("cannot have others do what it may not do itself, even where everything passes", LONG_ONLY, async () => {
    const place = await placeWith({ [file]: code.replace("indus-addon", "no-block") });
    await place.run([...FLAGS, "--grant", "polish"]);
    expect(place.entries().filter(({ type }) => type === "tool")[1]).toMatchObject({
      state: "refused",
      text: "Refused: bash was not run, because project:polish changed it to run a command, and may not do that itself: it lacks the grant files with execute",
    });
    // The twin: the same with the grant runs it; that is the first test of this kind.
  });

  it("adds a command that speaks to the person", async () => {
    const place = await placeWith({ [file]: code });
    const { code: exit, stdout } = await place.run(["-p", "/hi there", "--grant", "polish"]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "hi there\n" });
  });

  it("is reported with what it registered, what it was granted, and its sandbox", async () => {
    const place = await placeWith({ [file]: code });
    const report = await reportOf(place, ["--grant", "polish"]);
    expect(report).toMatchObject({
      feature: "project:polish",
      enabled: true,
      tools: ["shout"],
      commands: ["hi"],
      hooks: ["input:submit (transform)", "tool:before (gate)", "intercept:bash"],
      denied: [],
      faults: [],
    });
    expect(report.diagnostics[0]?.text).toMatch(/^sandbox: (bubblewrap|landlock)$/);
    const { stdout } = await place.run(["addons", "explain", "tool:before", "--grant", "polish"]);
    expect(stdout).toBe("1. gate  project:polish 2.0.0\naround bash  project:polish 2.0.0\n");
  });

  it("runs only once it is trusted, and again only until it changes", async () => {
    const place = await placeWith({ [file]: `${code}\n` });
    const untrusted = await place.run(FLAGS);
    expect(untrusted.stderr).toContain("project:polish at ");
    expect(untrusted.stderr).toContain("is not trusted yet");
    expect(place.entries().find(({ type }) => type === "user")).toMatchObject({
      content: [{ kind: "text", text: "go" }],
    });
    expect(readdirSync(place.home)).not.toContain("cache");
  });

  it("needs no process before the first thing that it asked for", LONG_ONLY, async () => {
    const place = await placeWith({ [file]: code.replace(/input:submit/, "session:end") });
    await place.run(["addons", "--grant", "polish"]); // registers
    const started = (): number => countStarts(place);
    expect(started()).toBe(1);
    rmSync(join(place.home, "cache", "times"), { recursive: true });
    const help = await place.run(["--help", "--grant", "polish"]);
    expect(help.stdout).toContain("/hi  greets  (project:polish)");
    expect(started()).toBe(0);
    await place.run(["-p", "/hi x", "--grant", "polish"]);
    expect(started()).toBe(1);
    const { stdout } = await place.run(["addons", "--timing"]);
    expect(stdout).toMatch(
      /^project:polish {2}\(session that ended .*Z\)\n {2}describe[\s\S]*start +1 x[\s\S]*command +1 x/,
    );
    const json = await place.run(["addons", "--timing", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      times: [{ addon: "project:polish", table: { start: { count: 1 }, command: { count: 1 } } }],
    });
  });

  it(
    "is named in the fault when it breaks, the session goes on, and the third time it is in quarantine",
    LONG_ONLY,
    async () => {
      const broken = code
        .replace('{ text: text + " (polished)" }', "{ text: JSON.parse('{') }")
        .replace('p["text"] + " (polished)"', 'p["nothing"]');
      const place = await placeWith({ [file]: broken }, [
        { text: "Fine." },
        { text: "Fine." },
        { text: "Fine." },
        { text: "Fine." },
      ]);
      for (let run = 0; run < 3; run++) {
        const { code: exit, stdout, stderr } = await place.run([...FLAGS, "--grant", "polish"]);
        expect({ exit, stdout }).toEqual({ exit: 0, stdout: "Fine.\n" });
        expect(stderr).toContain("project:polish failed at input:submit");
      }
    },
  );
});

/** Starts that finished sessions have measured. */
function countStarts({ home }: Workplace): number {
  try {
    const text = readFileSync(join(home, "cache", "times", "project%3Apolish.json"), "utf8");
    return (JSON.parse(text) as { table: { start?: { count: number } } }).table.start?.count ?? 0;
  } catch {
    return 0; // no session has run it
  }
}

it("what breaks, and what is told, while a session begins and ends is heard in print mode as well", async () => {
  const addon = `
// /// indus-addon
// [[capability]]
// kind = "alert"
// reason = "tells"
// ///
import { type AddonSurface, observe } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("session:start", observe(() => { throw new Error("at the start"); }));
  surface.on("session:end", observe(async () => {
    await surface.host.alert("the end is near");
    throw new Error("at the end");
  }));
  surface.addCommand("go", { summary: "goes", run: async () => surface.host.alert("on the way") });
}
`;
  const place = await placeWith({ ".indus/addons/polish.ts": addon }, [{ text: "Fine." }]);
  for (const args of [FLAGS, ["-p", "/go"]]) {
    const { code, stderr } = await place.run([...args, "--grant", "polish"]);
    expect(code).toBe(0);
    expect(stderr).toContain("indus: project:polish failed at session:start: at the start");
    expect(stderr).toContain("indus: project:polish: the end is near");
    expect(stderr).toContain("indus: project:polish failed at session:end: at the end");
    expect(stderr.includes("on the way")).toBe(args !== FLAGS);
  }
});

describe("the examples", () => {
  const EXAMPLES = join(import.meta.dirname, "../../examples/addons");
  const NAMES = ["call-budget", "careful-shell.ts", "dry-run", "redact.py", "secret-scan"];
  const GRANTS = NAMES.flatMap((name) => ["--grant", name.replace(/\..*/, "")]);

  /** Where the example in C++ is compiled already. */
  let built: string | undefined;

  async function withExamples(script: Script): Promise<Workplace> {
    needs("python3");
    needs("C++");
    const place = await createServedShared(script);
    const addons = join(place.cwd, ".indus/addons");
    for (const name of NAMES) cpSync(join(EXAMPLES, name), join(addons, name), { recursive: true });
    const dryRun = join(addons, "dry-run");
    if (built === undefined) execFileSync("sh", [join(dryRun, "build.sh")], { cwd: dryRun });
    else cpSync(built, dryRun, { recursive: true });
    built = dryRun; // its place stays until the run's end
    return place;
  }

  it(
    "of every kind live in one session, each with its own process, sandbox and report",
    LONG_ONLY,
    async () => {
      const place = await withExamples([]);
      const { stdout } = await place.run(["addons", "--json", ...GRANTS]);
      const { features, problems } = JSON.parse(stdout) as {
        readonly features: readonly FeatureInstallReport[];
        readonly problems: readonly string[];
      };
      expect(problems).toEqual([]);
      const own = features.filter(({ feature }) => feature.startsWith("project:"));
      expect(
        own.map(({ feature, enabled, faults, skipped }) => ({ feature, enabled, faults, skipped })),
      ).toEqual(
        NAMES.map((name) => ({
          feature: `project:${name.replace(/\..*/, "")}`,
          enabled: true,
          faults: [],
          skipped: [],
        })),
      );
    },
  );

  it("in WASM and in a shell script stop what they were written to stop", LONG_ONLY, async () => {
    const key = `AKIA${"ABCDEFGHIJKLMNOP"}`; // the shape of a key, and nobody's
    const place = await withExamples([
      { text: "One.", calls: [{ name: "bash", input: { command: `echo ${key}` } }] },
      { text: "Two.", calls: [{ name: "bash", input: { command: "echo fine" } }] },
      { text: "Done." },
    ]);
    const { code, stdout } = await place.run([...FLAGS, ...GRANTS]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(place.entries().filter(({ type }) => type === "tool")).toMatchObject([
      { state: "refused", text: expect.stringContaining("(project:secret-scan)") },
      { state: "ok", text: expect.stringContaining("fine") },
    ]);
    const budget = await place.run(["-p", "/budget 7", ...GRANTS]);
    expect({ code: budget.code, stdout: budget.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("7"),
    });
  });
});

describe("addons.requireSandbox", () => {
  it("runs code where an OS sandbox confines it", async () => {
    const place = await placeWith({ ".indus/addons/polish.ts": TYPESCRIPT });
    place.settings({ localServers: [], addons: { requireSandbox: true } });
    expect(await reportOf(place, ["--grant", "polish"])).toMatchObject({ enabled: true });
  });
});

describe("a module that cannot be loaded", () => {
  it.each(
    rows(
      [
        ["a syntax error", "polish.ts", "export function register( {", /polish\.ts.*line 1/],
        ["a throw at load", "polish.ts", "throw new Error('at load')", /at load/],
        ["a throw at load in Python", "polish.py", "raise ValueError('at load')", /at load/],
        ["no register", "polish.ts", "export const x = 1;", /register/],
        ["no register in Python", "polish.py", "x = 1", /register/],
        [
          "a throw at register",
          "polish.ts",
          "export const register = () => { throw new Error('at register') };",
          /at register/,
        ],
        [
          "a throw at register in Python",
          "polish.py",
          "def register(s):\n  raise ValueError('at register')",
          /at register/,
        ],
        [
          "an import from outside",
          "polish.ts",
          'import "../../../secret.ts"; export const register = () => {};',
          /secret\.ts/,
        ],
      ],
      theFirst,
    ),
  )("%s: told with its place, and the session is not touched", async (_what, name, code, told) => {
    const place = await placeWith({ [`.indus/addons/${name}`]: code }, [{ text: "Fine." }]);
    const { code: exit, stdout, stderr } = await place.run([...FLAGS, "--grant", "polish"]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "Fine.\n" });
    expect(stderr).toMatch(told);
  });
});

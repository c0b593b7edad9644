// What an author does with an addon, through the real command: write one, check it, test it, and change it in a session.

import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { MAX_ADDON_BYTES, MAX_ADDON_ENTRIES } from "../../packages/induscode/src/addons/index.ts";
import { PROCESS_MEMORY_MB } from "../../packages/induscode/src/addons/kinds/process.ts";
import { START_MS } from "../../packages/induscode/src/addons/process/first-exchange.ts";
import { DEFAULT_LIMITS } from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { DEFAULT_TIMEOUT_MS } from "../../packages/induscode/src/addons/sandbox/sandbox-policy.ts";
import { CAPABILITY_KINDS } from "../../packages/induscode/src/addons/source/capability-kinds.ts";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";

import {
  DEADLINES_AT_ONE_EVENT,
  DEADLINES_AT_THE_END,
  DEADLINES_IN_ONE_CALL,
  DEFAULT_DEADLINE_MS,
  MAX_GRACE_MS,
} from "../../packages/induscode/src/feature/handler-limits.ts";

import { builtCommand } from "../support/built.ts";
import {
  createSharedWorkplace as createPlainWorkplace,
  modelEnvironment,
  readLog,
  type Workplace,
} from "../support/indus.ts";
import { LONG_ONLY, rows } from "../support/long-form.ts";
import { needs } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { untilHolds } from "../support/until.ts";

const SAFETY = join(import.meta.dirname, "../../examples/addons/safety");

const KINDS = [
  { kind: "toml", path: ".indus/addons/notes" },
  { kind: "ts", path: ".indus/addons/notes.ts" },
  { kind: "python", path: ".indus/addons/notes.py" },
  { kind: "process", path: ".indus/addons/notes" },
  { kind: "wasm", path: ".indus/addons/notes" },
] as const;

/** What a test of an addon leaves goes with the workplace. */
function createSharedWorkplace(): Workplace {
  const place = createPlainWorkplace();
  const temporary = join(dirname(place.home), "tmp");
  mkdirSync(temporary);
  return {
    ...place,
    run: (args, options = {}) => place.run(args, { ...options, env: { TMPDIR: temporary, ...options.env } }),
  };
}

interface TestReport {
  readonly ok: boolean;
  readonly workspace: string;
  readonly log: string;
  readonly turns: unknown;
  readonly verdicts: readonly { readonly isMet: boolean }[];
  readonly problems: readonly string[];
}

async function testJson(place: Workplace, args: readonly string[]): Promise<TestReport> {
  const { stdout, stderr } = await place.run(["addon", "test", "--json", ...args]);
  expect(stderr).toBe("");
  return JSON.parse(stdout) as TestReport;
}

const MODULE = (body: string, block = ""): string =>
  `${block}import { gate, observe, stop } from "induscode/addons";\nexport function register(surface) {\n${body}\n}\n`;
/** What the model says, turn by turn: a text, or a call of a tool. */
function cassette(
  ...turns: readonly (string | { readonly name: string; readonly input: unknown; readonly match?: string })[]
): string {
  const lines = turns.map((turn, at) => {
    const content =
      typeof turn === "string"
        ? { kind: "text", text: turn }
        : { kind: "tool_call", id: `c_${at}`, name: turn.name, input: turn.input };
    const match = typeof turn === "string" || turn.match === undefined ? {} : { match: turn.match };
    return { turn: at + 1, ...match, reply: { message: { role: "assistant", content: [content] } } };
  });
  return [{ cassette: 1, about: "x" }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

describe.each(rows(KINDS, ({ kind }) => kind === "ts"))("a new addon of kind $kind", ({ kind, path }) => {
  it("passes check and test as it was written, each step naming the next, and works in a session", async () => {
    if (kind === "python") needs("python3");
    const place = createSharedWorkplace();
    const made = await place.run(["addon", "new", "notes", "--kind", kind]);
    expect(made).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^wrote [\s\S]*next: /),
    });
    expect(made.stdout.trimEnd().split("\n").at(-1)).toBe(`next: indus addon check ${path}`);
    const checked = await place.run(["addon", "check", path]);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(checked.stdout).toMatch(/^notes 0\.1\.0 {2}/);
    expect(checked.stdout).toContain(`good: no problems found\nnext: indus addon test ${path}\n`);
    const tested = await place.run(["addon", "test", path]);
    expect(tested).toMatchObject({ code: 0, stderr: "" });
    expect(tested.stdout).toContain("; 2 of 2 turns of the cassette played\n");
    expect(tested.stdout).toMatch(
      /ok {6}bash is refused: …left to the person…\n[\s\S]*good: \d expectations? met\n$/,
    );
    expect(place.logs()).toEqual([]); // no session of the author's
    const explained = await place.run(["addons", "explain", "tool:before", "--grant", "notes"]);
    expect(explained.stdout).toContain("gate  project:notes");
  });

  it("lets a text that speaks of pushing pass", LONG_ONLY, async () => {
    if (kind === "python") needs("python3");
    const place = createSharedWorkplace();
    await place.run(["addon", "new", "notes", "--kind", kind]);
    const beside = path.endsWith("notes") ? `${path}/` : ".indus/addons/notes.";
    const write = { name: "write", input: { path: "a.md", content: "Then run git push." } };
    place.file(`${beside}cassette.jsonl`, cassette(write, "Done."));
    place.file(`${beside}expect.toml`, 'task = "go"\n[[expect]]\ntool = "write"\nstate = "ok"\n');
    expect(await testJson(place, [path])).toMatchObject({ ok: true });
  });
});

const RAN = "note   to find out what it registers, its code was run in this sandbox";

describe("indus addon", () => {
  it.each([
    [
      ["addon"],
      /^indus: usage: indus addon new <name> --kind <kind>, indus addon import <file> <name>, indus addon check <path>, indus addon test <path>, indus addon pack <path>, indus addon types, or indus addon dev <path>\n$/,
    ],
    [["addon", "run", "x"], /^indus: usage: indus addon new/],
    [["addon", "tset", "x"], /^indus: unknown command "addon tset"; did you mean indus addon test\?\n$/],
    [
      ["addon", "new", "x"],
      /^indus: indus addon new needs --kind <kind>: toml, ts, python, process, wasm\n$/,
    ],
    [["addon", "new", "x", "--kind", "rust"], /--kind takes toml, ts, python, process, wasm; got "rust"/],
  ])("%j is told how to write it", async (args, told) => {
    const { code, stdout, stderr } = await createSharedWorkplace().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(told);
  });

  it("new --user writes for every folder, and nothing is ever overwritten", async () => {
    const place = createSharedWorkplace();
    const made = await place.run(["addon", "new", "notes", "--kind", "ts", "--user"]);
    const path = join(place.home, "addons", "notes.ts");
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`next: indus addon check ${path}`),
    });
    expect(existsSync(join(place.cwd, ".indus"))).toBe(false);
    writeFileSync(path, "mine");
    const again = await place.run(["addon", "new", "notes", "--kind", "toml", "--user"]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`${path} already exists`) });
    expect(readFileSync(path, "utf8")).toBe("mine");
  });

  it("check shows what the addon printed, and where it broke", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.file(
      "a.py",
      'import sys\nprint("before", file=sys.stderr)\ndef register(surface):\n    raise ValueError("at work")\n',
    );
    const { code, stdout } = await place.run(["addon", "check", "a.py"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}log {4}before$/m);
    expect(stdout).toMatch(/^problem: .*at work/m);
    expect(stdout).toContain(RAN);
  });

  it("check does not say that code ran where none did", async () => {
    const place = createSharedWorkplace();
    place.file("a.ts", "export function register( {");
    place.file("b/manifest.toml", 'id = "b"\n[run]\ncommand = ["no-such-program"]\n');
    for (const path of ["a.ts", "b"]) {
      const { code, stdout } = await place.run(["addon", "check", path]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^ {2}limit {2}sandbox: [\s\S]*^problem: /m);
      expect(stdout).not.toContain(RAN);
    }
  });

  it("check says what is wrong, for people and for programs, and ends with 1", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.file("a.ts", MODULE('surface.addCommand("help", { summary: "x", run: () => undefined });'));
    const { code, stdout } = await place.run(["addon", "check", "a.ts"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'problem: command help is skipped: the command name "/help" is reserved for the host\n1 problem\n',
    );
    expect(stdout).toContain(RAN);
    const json = await place.run(["addon", "check", "--json", "a.ts"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      description: { id: "a" },
      registers: [],
      findings: [{ severity: "problem", text: expect.stringContaining("/help") }],
    });
  });
});

it(
  "a command of the console is no addon's, in every place that tells what an addon contributes",
  LONG_ONLY,
  async () => {
    const place = createSharedWorkplace();
    const command = '[[command]]\nname = "jobs"\nsummary = "x"\nexec = "true"\n';
    place.file(".indus/addons/mine/manifest.toml", `id = "mine"\n${command}`);
    place.file(".indus/addons/mine/expect.toml", '[[expect]]\nrun = "/jobs"\nsays = "x"\n');
    const taken = 'the command name "/jobs" is taken by builtin:session';
    const typed = ["-p", "/jobs", "--grant", "mine", "--cassette", place.file("none.jsonl", cassette())];
    for (const [args, expected] of [
      [["addon", "check", ".indus/addons/mine"], taken],
      [["addon", "test", ".indus/addons/mine"], taken],
      [["addons", "--grant", "mine"], taken],
      [typed, "/jobs; the name belongs to the console, so no addon, skill or command file defines it"],
    ] as const) {
      const { stdout, stderr } = await place.run(args);
      expect(stdout + stderr, args.join(" ")).toContain(expected);
      expect(stdout, args.join(" ")).not.toMatch(/^good|project:mine {2}enabled/m);
    }
    place.file(".indus/addons/mine/expect.toml", '[[expect]]\nrun = "/settings"\nsays = "x"\n');
    const { stdout } = await place.run(["addon", "test", ".indus/addons/mine"]);
    expect(stdout).toContain("but it fails: /settings belongs to the console, and a test has no console");
  },
);

describe("indus addon test", () => {
  it("writes the same log twice, byte for byte but for the session's id, at a time of its own", async () => {
    const place = createSharedWorkplace();
    await place.run(["addon", "new", "notes", "--kind", "ts"]);
    const logs: string[] = [];
    for (let run = 0; run < 2; run++) {
      const { ok, log } = await testJson(place, [".indus/addons/notes.ts"]);
      expect(ok).toBe(true);
      const entries = readLog(log);
      expect(verifyEntries(entries)).toMatchObject({ mismatches: [] });
      const instants = entries.map(({ at }) => new Date(at).toISOString());
      expect(instants[0]).toBe("2026-01-01T00:00:01.000Z");
      expect(instants.at(-1)).toBe(`2026-01-01T00:00:0${entries.length - 1}.000Z`); // the first two are one append
      const [session] = entries;
      logs.push(readFileSync(log, "utf8").replaceAll((session as unknown as { id: string }).id, "ID"));
    }
    expect(logs[0]?.length).toBeGreaterThan(1000);
    expect(logs[1]).toBe(logs[0]);
  });

  it("runs in a copy: the example that moves a folder leaves the author's where it is", async () => {
    const place = createSharedWorkplace();
    mkdirSync(join(place.cwd, "build"));
    place.file("build/x", "x");
    place.file("node_modules/huge/index.js", "x");
    cpSync(SAFETY, join(place.cwd, ".indus/addons/safety"), { recursive: true });
    const args = [".indus/addons/safety", "--allow", "bash(mv *)", "--cwd", place.cwd];
    const { ok, problems, workspace } = await testJson(place, args);
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    expect(readdirSync(workspace).sort()).toEqual([".indus", "build.old"]);
    expect(readdirSync(place.cwd).sort()).toEqual([".indus", "build", "node_modules"]);
  });

  it("takes a folder workspace of the addon as the workspace, and allows no command line by itself", async () => {
    const place = createSharedWorkplace();
    cpSync(SAFETY, join(place.cwd, "safety"), { recursive: true });
    place.file("safety/workspace/build/x", "x");
    const refused = await testJson(place, ["safety"]);
    expect(refused.ok).toBe(false);
    expect(refused.problems[0]).toContain(
      'turn 3 expects the last outcome to contain \\"exit code 0\\"'.replaceAll("\\", ""),
    );
    expect(existsSync(join(refused.workspace, "build"))).toBe(true);
    const allowed = await testJson(place, ["safety", "--allow", "bash(mv *)"]);
    expect(allowed.ok).toBe(true);
  });

  it("says which expectation was not met, and what was found instead", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.file(
      "a.ts",
      MODULE('surface.addCommand("hi", { summary: "x", run: ({ args, say }) => say("hi " + args) });'),
    );
    place.file("a.cassette.jsonl", cassette({ name: "ls", input: {} }, "done"));
    place.file(
      "a.expect.toml",
      [
        '[[expect]]\ntool = "ls"\nstate = "refused"\nreason = "never"',
        '[[expect]]\ntool = "ls"\nstate = "ok"',
        '[[expect]]\nrun = "/hi world"\nsays = "hi world"',
        '[[expect]]\nrun = "/hi world"\nsays = "hello"',
        '[[expect]]\nrun = "/bye"\nsays = "x"',
      ].join("\n"),
    );
    const { code, stdout } = await place.run(["addon", "test", "a.ts"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      [
        "failed  ls is refused: …never…",
        "        but ls is ok: 0 entries in . (1 hidden omitted: set showHidden to list them)",
        "failed  ls is ok",
        "        but no further call of ls",
        "ok      /hi world says …hi world…",
        "failed  /hi world says …hello…",
        "        but it says: hi world",
        "failed  /bye says …x…",
        "        but it fails: command not found: /bye",
      ].join("\n"),
    );
    expect(stdout).toMatch(/\n4 failed\n$/);
  });

  it(
    "test fails for what breaks while the session begins and ends, and not for what is only told there",
    LONG_ONLY,
    async () => {
      const run = async (onStart: string, onEnd: string) => {
        const place = createSharedWorkplace();
        place.file(".mcp.json", '{ "mcpServers": { "x": { "command": "y" } } }');
        place.file(
          "a.ts",
          MODULE(`surface.on("session:start", { kind: "observe", run: async () => { ${onStart} } });
          surface.on("session:end", { kind: "observe", run: async () => { ${onEnd} } });
          surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });`),
        );
        place.file("a.expect.toml", '[[expect]]\nrun = "/hi"\nsays = "hi"\n');
        return place.run(["addon", "test", "--cwd", ".", "a.ts"]);
      };
      const told = 'await surface.host.diagnostic("info", "hello");';
      const fine = await run(told, told);
      expect([fine.code, fine.stdout]).toEqual([0, expect.stringContaining("good: ")]);
      for (const [start, end, where] of [
        ['throw new Error("boom")', told, "session:start"],
        [told, 'throw new Error("boom")', "session:end"],
      ] as const) {
        const { code, stdout } = await run(start, end);
        expect([code, stdout]).toEqual([1, expect.stringContaining(`failed at ${where}: boom`)]);
      }
    },
  );

  it.each([
    [
      "a wrong key",
      '[[expect]]\ntol = "ls"\n',
      /expect\.toml: \[\[expect\]\] 1: specify what is expected: "tool", or "run"/,
    ],
    [
      "a key of no use",
      '[[expect]]\ntool = "ls"\nstate = "ok"\nsays = "x"\n',
      /\[\[expect\]\] 1: unknown key "says"/,
    ],
    [
      "a wrong state",
      '[[expect]]\ntool = "ls"\nstate = "fine"\n',
      /"state" must be one of ok, refused, failed; got "fine"/,
    ],
    ["no TOML", "[[expect]\n", /expect\.toml, line 1, column/],
  ])("refuses expectations with %s, which would test nothing", async (_what, text, told) => {
    const place = createSharedWorkplace();
    place.file("a.ts", MODULE(""));
    place.file("a.cassette.jsonl", cassette("done"));
    place.file("a.expect.toml", text);
    const { code, stdout, stderr } = await place.run(["addon", "test", "a.ts"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(told);
  });

  it(
    "fails for a handler that fails, a recording that goes on, an addon that is not loaded",
    LONG_ONLY,
    async () => {
      const place = createSharedWorkplace();
      place.file(
        "a.ts",
        MODULE('surface.on("tool:before", observe(() => { throw new Error("in a.ts"); }));'),
      );
      place.file("a.cassette.jsonl", cassette({ name: "ls", input: {} }, "done", "more"));
      const failing = await testJson(place, ["a.ts"]);
      expect(failing).toMatchObject({ ok: false, turns: { played: 2, recorded: 3 } });
      // Nobody waits for an observer: its fault may be heard after the end of the recording.
      expect(failing.problems.toSorted()).toEqual([
        "1 of the 3 turns of the cassette were not played",
        expect.stringMatching(/project:a failed at tool:before: .*in a\.ts/),
      ]);
      place.file("a.ts", "export const nothing = 1;\n");
      const { ok, problems } = await testJson(place, ["a.ts"]);
      expect(ok).toBe(false);
      expect(problems.join("\n")).toMatch(/exports no register[\s\S]*the addon was not loaded/);
      expect(problems.join("\n")).not.toContain("addon-tests"); // its own path, not the copy's
    },
  );

  it("says how to record where there is no cassette; commands alone need none", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.file("a.ts", MODULE('surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });'));
    const { code, stderr } = await place.run(["addon", "test", "a.ts"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `cassette not found: ${join(place.cwd, "a.cassette.jsonl")}. Record one with a real model: indus -p "TASK" --addon ${join(place.cwd, "a.ts")} --grant a --record`,
    );
    place.file("a.expect.toml", '[[expect]]\nrun = "/hi"\nsays = "hi"\n');
    expect(await testJson(place, ["a.ts"])).toMatchObject({ ok: true, turns: { played: 0, recorded: 0 } });
  });

  it("reaches no network, whatever is granted", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const block =
      '// /// indus-addon\n// [[capability]]\n// kind = "network"\n// purpose = "x"\n// hosts = ["127.0.0.1"]\n// reason = "x"\n// ///\n';
    const run =
      'async ({ say }) => { try { await surface.host.fetch("http://127.0.0.1:9/"); } catch (error) { say(String(error)); } }';
    place.file("a.ts", MODULE(`surface.addCommand("go", { summary: "x", run: ${run} });`, block));
    place.file("a.expect.toml", '[[expect]]\nrun = "/go"\nsays = "this session has no network access"\n');
    expect(await testJson(place, ["a.ts"])).toMatchObject({ ok: true });
    // The twin: a real session does send it, and nobody listens there.
    rmSync(join(place.cwd, "a.expect.toml"));
    place.file(".indus/addons/a.ts", readFileSync(join(place.cwd, "a.ts"), "utf8"));
    place.file("none.jsonl", cassette());
    const { stdout } = await place.run(["-p", "/go", "--grant", "a", "--cassette", "none.jsonl"]);
    expect(stdout).not.toContain("has no network access");
    expect(stdout).toContain("HostRefused");
  });

  it(
    "reaches no network by the cassette's calls, whatever is allowed (the twin: a session may)",
    LONG_ONLY,
    async () => {
      const place = createSharedWorkplace();
      place.file("a.ts", MODULE('surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });'));
      const tape = cassette({ name: "webfetch", input: { url: "http://127.0.0.1:9/" } }, "done");
      place.file("a.cassette.jsonl", tape);
      place.file("a.expect.toml", '[[expect]]\ntool = "webfetch"\nstate = "refused"\nreason = "webfetch"\n');
      const mode = ["--permission-mode", "bypass"];
      expect(await testJson(place, ["a.ts", ...mode])).toMatchObject({ ok: true, problems: [] });
      await place.run(["-p", "go", "--cassette", "a.cassette.jsonl", ...mode]);
      expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ state: "failed" });
    },
  );

  it("runs no code unconfined where the person's settings refuse it", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.file("a.ts", MODULE('surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });'));
    place.file("a.expect.toml", '[[expect]]\nrun = "/hi"\nsays = "hi"\n');
    const settingsOf = (workspace: string): unknown =>
      JSON.parse(readFileSync(join(workspace, "../.indus/settings.json"), "utf8"));
    place.settings({ localServers: [], addons: { requireSandbox: true } });
    const strict = await testJson(place, ["a.ts"]);
    expect(settingsOf(strict.workspace)).toMatchObject({ addons: { requireSandbox: true } });
    place.settings({ localServers: [] });
    const plain = await testJson(place, ["a.ts"]);
    expect(settingsOf(plain.workspace)).toMatchObject({ addons: { requireSandbox: false } });
  });

  it("like a check and a list of addons, starts none with settings that may have refused it", async () => {
    const place = createSharedWorkplace();
    place.file(
      ".indus/addons/a.ts",
      MODULE('surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });'),
    );
    place.file(".indus/addons/a.expect.toml", '[[expect]]\nrun = "/hi"\nsays = "hi"\n');
    writeFileSync(join(place.home, "settings.json"), '{ "addons": { "requireSandbox": true, oops } }');
    const path = ".indus/addons/a.ts";
    for (const args of [
      ["addon", "check", path],
      ["addon", "test", path],
      ["addon", "dev", path],
      ["addons", "--grant", "a"],
      ["prompt"],
    ])
      expect({ args, ...(await place.run(args)) }).toMatchObject({
        ...{ args, code: 2, stdout: "" },
        stderr: expect.stringContaining("settings.json, line 1, column 39: "),
      });
    const help = await place.run(["--help", "--grant", "a"]);
    expect(help.stdout).not.toContain("/hi");
    expect(help).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/settings.json, .*Addon commands are not listed\.$/m),
    });
  });

  it(
    "uses no folder that others can write to (the twin: one of the author's own is used)",
    LONG_ONLY,
    async () => {
      const place = createSharedWorkplace();
      place.file("a.ts", MODULE('surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });'));
      place.file("a.expect.toml", '[[expect]]\nrun = "/hi"\nsays = "hi"\n');
      const temporary = join(place.cwd, "tmp");
      const folder = join(temporary, `indus-addon-tests-${process.getuid?.()}`);
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o777);
      const env = { TMPDIR: temporary };
      const refused = await place.run(["addon", "test", "a.ts"], { env });
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${folder} is not a private folder that belongs to you`),
      });
      chmodSync(folder, 0o700);
      expect(await place.run(["addon", "test", "a.ts"], { env })).toMatchObject({ code: 0, stderr: "" });
    },
  );

  it("leaves the person's own instructions and settings out", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    writeFileSync(join(place.home, "AGENTS.md"), "Say nothing but MARKER.");
    place.settings({ localServers: [], permissions: { deny: ["ls"] } });
    place.file("a.ts", MODULE('surface.addCommand("hi", { summary: "x", run: ({ say }) => say("hi") });'));
    place.file("a.cassette.jsonl", cassette({ name: "ls", input: {} }, "done"));
    place.file("a.expect.toml", '[[expect]]\ntool = "ls"\nstate = "ok"\n');
    const { ok, log } = await testJson(place, ["a.ts"]);
    expect(ok).toBe(true);
    expect(readFileSync(log, "utf8")).not.toContain("MARKER");
  });
});

describe("indus addon dev", () => {
  const GREETS = (name: string, text: string): string =>
    MODULE(`surface.addCommand("${name}", { summary: "x", run: ({ say }) => say("${text}") });`);

  it(
    "loads each save in a terminal, keeps the last good version, and says what has changed",
    LONG_ONLY,
    async () => {
      const place = await createServedShared([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
      const path = place.file(".indus/addons/notes.ts", GREETS("hi", "first"));
      const terminal = openTerminal({
        console: "plain",
        place,
        url: place.server.url,
        columns: 1_000,
        args: ["addon", "dev", ".indus/addons/notes.ts", "--model", "anthropic/scripted"],
      });
      await terminal.waitFor(`${path} is reloaded on each save, between turns; you named it`);
      await terminal.waitFor("notes is loaded: + command /hi");
      expect(terminal.screen()).not.toContain("is new here, or has changed"); // it is not asked for as a project's addon
      terminal.type("/hi\r");
      await terminal.waitFor(/^first$/m);

      writeFileSync(path, GREETS("hi", "second").replace("surface.addCommand", GATED));
      await terminal.waitFor("notes is reloaded: + tool shout, + gate input:submit, + around bash");
      terminal.type("/hi\r");
      await terminal.waitFor(/^second$/m);
      terminal.type("forbidden\r");
      await terminal.waitFor("Your line was blocked: not that (project:notes)");
      terminal.type("allowed\r");
      await terminal.waitFor("One.");
      const [request] = place.server.requests;
      expect(JSON.stringify(request?.body.tools)).toContain('"shout"');

      writeFileSync(path, "export function register( {");
      await terminal.waitFor(/notes was not loaded: .*notes\.ts, line 1, column \d+/);
      await terminal.waitFor("The previous version stays loaded.");
      expect(terminal.screen()).not.toContain("indus-dev-"); // the author's own path, not the copy's
      terminal.type("/hi\r");
      await terminal.waitFor(/second[\s\S]*second/);

      writeFileSync(path, GREETS("bye", "third"));
      await terminal.waitFor(
        "+ command /bye, - command /hi, - tool shout, - gate input:submit, - around bash",
      );
      terminal.type("forbidden\r");
      await terminal.waitFor("Two.");
      expect(JSON.stringify(place.server.requests[1]?.body.tools)).not.toContain('"shout"');
      terminal.type("/hi\r");
      await terminal.waitFor("Unknown command /hi.");
      terminal.type("/bye\r");
      await terminal.waitFor(/^third$/m);
      terminal.type("/addons\r");
      await terminal.waitFor("project:notes  running");
      terminal.type("/quit\r");
      expect(await terminal.left).toBe(0);
      expect(verifyEntries(place.entries())).toMatchObject({ mismatches: [] });
    },
  );

  const GATED = [
    'surface.on("input:submit", gate(({ text }) => (text === "forbidden" ? stop("not that") : undefined)));',
    'surface.interceptTool("bash", { enter: () => undefined });',
    'surface.addTool({ name: "shout", description: "x", parameters: { type: "object" }, run: () => "X" });',
    "surface.addCommand",
  ].join("\n");

  it("loads a save of a running turn behind it", LONG_ONLY, async () => {
    const place = await createServedShared([
      { text: "Slow.", trouble: { kind: "slow_start", delayMs: 1500 } },
      { text: "Next." },
    ]);
    const temporary = join(dirname(place.home), "tmp");
    mkdirSync(temporary);
    const path = place.file("notes.py", PYTHON("hi", "first"));
    const terminal = openTerminal({
      console: "plain",
      place,
      url: place.server.url,
      columns: 1_000,
      env: { TMPDIR: temporary },
      args: ["addon", "dev", "notes.py", "--model", "anthropic/scripted"],
    });
    await terminal.waitFor("notes is loaded: + command /hi");
    terminal.type("work\r");
    await untilHolds(() => expect(place.server.requests).toHaveLength(1));
    writeFileSync(path, PYTHON("bye", "second"));
    await terminal.waitFor("Slow.");
    await terminal.waitFor("notes is reloaded: + command /bye, - command /hi");
    expect(terminal.screen().indexOf("Slow.")).toBeLessThan(terminal.screen().indexOf("notes is reloaded"));
    terminal.type("/bye\r");
    await terminal.waitFor(/^second$/m);
    terminal.type("/quit\r");
    expect(await terminal.left).toBe(0);
    expect(readdirSync(temporary).filter((name) => name.startsWith("indus-dev-"))).toEqual([]); // no copy is left
  });

  const PYTHON = (name: string, text: string): string =>
    `from induscode.addons import CommandSpec\n\ndef register(surface):\n    surface.add_command("${name}", CommandSpec(summary="x", run=lambda ctx: print("${text}")))\n`;

  it(
    "asks before a later version gets more than the first (the twin: what it has needs no question)",
    LONG_ONLY,
    async () => {
      const place = await createServedShared([]);
      const asking = (kinds: readonly string[], text: string): string => {
        const block = kinds
          .map((kind) => `// [[capability]]\n// kind = "${kind}"\n// reason = "tells"\n`)
          .join("");
        return `// /// indus-addon\n${block}// ///\n${GREETS("hi", text)}`;
      };
      const path = place.file("notes.ts", asking(["alert"], "first"));
      const terminal = openTerminal({
        console: "plain",
        place,
        url: place.server.url,
        columns: 1_000,
        args: ["addon", "dev", "notes.ts", "--model", "anthropic/scripted"],
      });
      await terminal.waitFor("notes is loaded: + command /hi");
      writeFileSync(path, asking(["alert"], "second"));
      await terminal.waitFor("notes is reloaded: it contributes the same as before");
      expect(terminal.screen()).not.toContain("has changed");
      writeFileSync(path, asking(["alert", "model_notification"], "third"));
      await terminal.waitFor("Trust the addon notes? It is new here, or has changed.");
      await terminal.answer("n\r");
      await terminal.waitFor("it requests more than before (model_notification), which was not granted");
      terminal.type("/hi\r");
      await terminal.waitFor(/^second$/m);
      writeFileSync(path, asking(["alert", "model_notification"], "fourth"));
      await terminal.waitFor(/has changed[\s\S]*has changed[\s\S]*y\/n/);
      await terminal.answer("y\r");
      await terminal.waitFor(/contributes the same as before[\s\S]*contributes the same as before/);
      terminal.type("/hi\r");
      await terminal.waitFor(/^fourth$/m);
      terminal.type("/quit\r");
      expect(await terminal.left).toBe(0);
    },
  );

  it(
    "starts with an addon that cannot be loaded yet, and waits for the save that can",
    LONG_ONLY,
    async () => {
      const place = await createServedShared([]);
      const manifest = place.file("notes/manifest.toml", 'id = "notes"\n[[command]]\n');
      const terminal = openTerminal({
        console: "plain",
        place,
        url: place.server.url,
        columns: 1_000,
        args: ["addon", "dev", "notes", "--model", "anthropic/scripted"],
      });
      await terminal.waitFor(/notes was not loaded: .*"name" is missing/);
      writeFileSync(manifest, 'id = "notes"\n[[command]]\nname = "hi"\nsummary = "x"\n');
      await terminal.waitFor("notes is loaded: + command /hi");
      // What editors and version control do: the whole folder is another one.
      rmSync(join(place.cwd, "notes"), { recursive: true });
      await terminal.waitFor("The previous version stays loaded.");
      place.file("notes/manifest.toml", 'id = "notes"\n[[command]]\nname = "bye"\nsummary = "x"\n');
      await terminal.waitFor("notes is reloaded: + command /bye, - command /hi");
      terminal.type("/quit\r");
      expect(await terminal.left).toBe(0);
    },
  );

  it(
    "begins with an addon that is required, and without one that is required and fails it ends",
    LONG_ONLY,
    async () => {
      const place = createSharedWorkplace();
      place.settings({ addons: { required: ["notes"] } });
      place.file("none.jsonl", cassette());
      const dev = async (code: string) => {
        place.file(".indus/addons/notes.ts", code);
        const args = ["addon", "dev", ".indus/addons/notes.ts", "--cassette", "none.jsonl"];
        return place.run(args, { stdin: "/hi\n" });
      };
      const good = await dev(GREETS("hi", "first"));
      expect([good.code, good.stderr, good.stdout]).toEqual([0, "", expect.stringContaining("\nfirst\n")]);
      const broken = await dev("export function register( {");
      expect([broken.code, broken.stdout]).toEqual([1, ""]);
      expect(broken.stderr).toMatch(/notes was not loaded: .*line 1, .*the addon "notes" is required/);
    },
  );

  it("takes lines from a pipe as well", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.file("notes.ts", GREETS("hi", "first"));
    place.file("none.jsonl", cassette());
    const { code, stdout } = await place.run(["addon", "dev", "notes.ts", "--cassette", "none.jsonl"], {
      stdin: "/hi\n",
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/you named it[\s\S]*\/hi\n[\s\S]*first/),
    });
  });
});

describe("docs/guide/addons.md", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/addons.md"), "utf8");

  /** The fenced blocks of one part of the page, in order. */
  function blocksOf(heading: string): readonly { readonly language: string; readonly text: string }[] {
    const [, rest = ""] = guide.split(`\n## ${heading}\n`);
    const [part = ""] = rest.split("\n## ");
    return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
      language,
      text,
    }));
  }

  /** What differs from machine to machine, as the page writes it. */
  function asInTheGuide(output: string, { cwd, home }: Workplace): string {
    return output
      .replaceAll(cwd, "/home/you/app")
      .replaceAll(home, "/home/you/.indus")
      .replace(/\S*\/indus-addon-tests-\d+\/\w+\//g, "/tmp/indus-addon-tests-…/")
      .replace(/(\.indus\/sessions\/)\S+\.jsonl/g, "$1….jsonl")
      .replace(/^indus \d.*\nsession .*\n/gm, "…\n")
      .replace(/sandbox: (?:bubblewrap|landlock)/g, "sandbox: bubblewrap")
      .replace(/^ {2}limit {2}not confined: .*\n/gm, "");
  }

  it.each([
    ["In TypeScript", "ts", (code: string, added: string) => code.replace(/\}\n$/, `${added}}\n`)],
    ["In Python", "python", (code: string, added: string) => `${code}${added}`],
  ] as const)(
    "%s: every command gives what the page shows, and the changed addon is good",
    LONG_ONLY,
    async (heading, kind, add) => {
      if (kind === "python") needs("python3");
      const served = await createServedShared([]);
      const place = { ...served, ...createSharedWorkplace() };
      const bin = join(dirname(place.home), "bin");
      mkdirSync(bin);
      symlinkSync(builtCommand(), join(bin, "indus"));
      const path = join(place.cwd, `.indus/addons/no-push.${kind === "ts" ? "ts" : "py"}`);
      let output = "";
      let shown = 0;
      for (const { language, text } of blocksOf(heading)) {
        if (language === kind) writeFileSync(path, add(readFileSync(path, "utf8"), text));
        if (language === "sh")
          ({ stdout: output } = await promisify(execFile)("sh", ["-ec", `exec </dev/null\n${text}`], {
            cwd: place.cwd,
            env: {
              PATH: `${bin}:${process.env.PATH}`,
              HOME: place.home,
              INDUS_HOME: place.home,
              TMPDIR: dirname(bin),
              ...modelEnvironment(served.server.url),
            },
          }));
        if (language !== "text") continue;
        expect(asInTheGuide(output, place)).toBe(text);
        shown++;
      }
      expect(shown).toBeGreaterThan(2);
      const { stdout } = await place.run(["addon", "check", path]);
      expect(stdout).toContain("  does   tool roll_dice\n");
      expect(stdout).toContain("good: no problems found");
    },
  );

  it("names every capability with its keys, every limit as it is, and every method of the host", () => {
    const rows = [...guide.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| ((?:`\w+`(?:, )?)*) ?\|/gm)];
    const told = rows.flatMap(([, kinds = "", keys = ""]) =>
      (kinds.match(/\w+/g) ?? []).map((kind) => [kind, keys.match(/\w+/g) ?? []] as const),
    );
    const real = Object.entries(CAPABILITY_KINDS).map(([kind, fields]) => [kind, Object.keys(fields)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(real));
    const seconds = (ms: number): string => `${ms / 1000} seconds`;
    for (const limit of [
      `| a handler, an interceptor | ${seconds(DEFAULT_DEADLINE_MS)},`,
      `at one event | ${seconds(DEFAULT_DEADLINE_MS * DEADLINES_AT_ONE_EVENT)} together;`,
      `at any other event | ${seconds(DEFAULT_DEADLINE_MS * DEADLINES_IN_ONE_CALL)} together,`,
      `at the end of a session | ${seconds(DEFAULT_DEADLINE_MS * DEADLINES_AT_THE_END)} together |`,
      `its own \`graceMs\`, ${seconds(MAX_GRACE_MS)} at the most`,
      `| a command, a tool | ${seconds(DEFAULT_TIMEOUT_MS)},`,
      `| a start with its registration | ${seconds(START_MS)};`,
      `| no sign of life from the process | ${seconds(DEFAULT_LIMITS.acknowledgeMs)} |`,
      `${PROCESS_MEMORY_MB} MB for a program in any other language`,
      `| an addon's files | ${MAX_ADDON_ENTRIES.toLocaleString("en")} files with ${MAX_ADDON_BYTES / 1024 / 1024} MiB`,
    ])
      expect(guide).toContain(limit);
    const own = ["ack", "cancel"]; // the connection's own
    const schema = readFileSync(join(import.meta.dirname, "../../docs/reference/addon-protocol.md"), "utf8");
    const [, sends = ""] = schema.split("## What an addon sends");
    const methods = [...(sends.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, name = ""]) => name,
    );
    expect(methods.length).toBeGreaterThan(10);
    expect(methods.filter((name) => !own.includes(name) && !guide.includes(`\`${name}\``))).toEqual([]);
  });

  it("shows expectations and a cassette that are read", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const [, ...rest] = blocksOf("Testing");
    const [tape, expectations] = rest;
    await place.run(["addon", "new", "no-push", "--kind", "ts"]);
    place.file(".indus/addons/no-push.cassette.jsonl", tape?.text ?? "");
    place.file(".indus/addons/no-push.expect.toml", expectations?.text ?? "");
    expect(await testJson(place, [".indus/addons/no-push.ts"])).toMatchObject({
      ok: true,
      verdicts: [{ isMet: true }, { isMet: true }],
    });
  });
});

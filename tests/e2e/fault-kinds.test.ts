// What goes wrong with an addon, as a program reads it: each fault is an object on stdout that says its true kind and whose it
// is, whenever it happens and of whatever kind the addon is; and nothing that is told leads into the product.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtFolder } from "../support/built.ts";
import { CANARY_KEY, type Workplace } from "../support/indus.ts";
import { firstOf, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { createServedShared } from "../support/served-workplace.ts";

const ROOT = join(import.meta.dirname, "../..");
const RUN: Script = [
  { text: "Working.", calls: [{ name: "bash", input: { command: "echo ran" } }] },
  { text: "", calls: [{ name: "bash", input: { command: "echo again" } }] },
  { text: "", calls: [{ name: "bash", input: { command: "echo more" } }] },
  { text: "Done." },
];
const FLAGS = ["--json", "--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "bad"];

interface Broken {
  readonly kind: string;
  /** What is at fault: the id by its place where it never was a feature. */
  readonly owner: "bad" | "project:bad";
  readonly files: Readonly<Record<string, string>>;
  readonly task?: string;
  readonly says: RegExp;
}

const typescript = (register: string): Broken["files"] => ({
  ".indus/addons/bad.ts": `export function register(s: any) { ${register} }`,
});
const python = (register: string): Broken["files"] => ({
  ".indus/addons/bad.py": `from induscode.addons import *\ndef register(s):\n    ${register}\n`,
});
const program = (registration: object, body: string): Broken["files"] => ({
  ".indus/addons/bad/manifest.toml": rawManifest("bad", registration),
  ".indus/addons/bad/addon.py": rawProgram(body),
});
const DESCRIBE = 'if method == "describe": answer(id, REGISTRATION)';
const TOOL = { name: "read", description: "d", parameters: { type: "object" } };
const GATE = { handlers: [{ event: "tool:before", kind: "gate" }] };
const COMMAND = { commands: [{ name: "boom", summary: "s" }] };

const CASES: readonly (readonly [string, Broken])[] = [
  [
    "a file that does not compile",
    { kind: "load", owner: "bad", files: { ".indus/addons/bad.ts": "export const = 1;" }, says: /bad\.ts/ },
  ],
  [
    "a module that throws",
    { kind: "load", owner: "bad", files: { ".indus/addons/bad.ts": 'throw new Error("oh");' }, says: /oh/ },
  ],
  [
    "an import of what is not there (TypeScript)",
    {
      kind: "load",
      owner: "bad",
      files: { ".indus/addons/bad.ts": 'import "nowhere-to-be-found"; export function register() {}' },
      says: /nowhere-to-be-found/,
    },
  ],
  [
    "an import of what is not there (Python)",
    {
      kind: "load",
      owner: "bad",
      files: { ".indus/addons/bad.py": "import nowhere_to_be_found\n" },
      says: /nowhere/,
    },
  ],
  [
    "an import of the product's own files (TypeScript)",
    {
      kind: "load",
      owner: "bad",
      files: { ".indus/addons/bad.ts": 'import "induscode/addons/host"; export function register() {}' },
      says: /induscode\/addons\/host/,
    },
  ],
  [
    "an error that nobody catches (TypeScript)",
    {
      kind: "breach",
      owner: "project:bad",
      files: typescript(
        's.on("turn:start", { kind: "gate", run: () => new Promise(() => setImmediate(() => { throw new Error("oh"); })) })',
      ),
      says: /oh|exited with code/,
    },
  ],
  [
    "a Python file that throws",
    { kind: "load", owner: "bad", files: { ".indus/addons/bad.py": 'raise ValueError("oh")\n' }, says: /oh/ },
  ],
  [
    "a program that ends at once",
    { kind: "load", owner: "bad", files: program({}, "sys.exit(3)"), says: /exited with code 3/ },
  ],
  [
    "a manifest that is none",
    { kind: "load", owner: "bad", files: { ".indus/addons/bad/manifest.toml": "id = 5" }, says: /"id"/ },
  ],
  [
    "register that throws (TypeScript)",
    { kind: "register", owner: "bad", files: typescript('throw new Error("oh")'), says: /oh/ },
  ],
  [
    "register that raises (Python)",
    { kind: "register", owner: "bad", files: python('raise ValueError("oh")'), says: /oh/ },
  ],
  [
    "a name that is taken (TypeScript)",
    {
      kind: "conflict",
      owner: "project:bad",
      files: typescript(`s.addTool({ ...${JSON.stringify(TOOL)}, run: () => "x" })`),
      says: /"read"/,
    },
  ],
  [
    "a name that is taken (a program)",
    { kind: "conflict", owner: "project:bad", files: program({ tools: [TOOL] }, DESCRIBE), says: /"read"/ },
  ],
  [
    "a handler that throws (TypeScript)",
    {
      kind: "handler",
      owner: "project:bad",
      files: typescript('s.on("turn:start", { kind: "observe", run() { throw new Error("oh"); } })'),
      says: /oh/,
    },
  ],
  [
    "a handler that raises (Python)",
    {
      kind: "handler",
      owner: "project:bad",
      files: python('s.on("turn:start", ObserveHandler(lambda p: 1 / 0))'),
      says: /zero/,
    },
  ],
  [
    "an interceptor that fails (a program)",
    {
      kind: "handler",
      owner: "project:bad",
      files: program(
        { interceptors: [{ match: "bash", enter: true, exit: false }] },
        `${DESCRIBE}\nelse: fail(id, "oh")`,
      ),
      says: /oh/,
    },
  ],
  [
    "a command that throws (TypeScript)",
    {
      kind: "command",
      owner: "project:bad",
      task: "/boom",
      files: typescript('s.addCommand("boom", { summary: "s", run() { throw new Error("oh"); } })'),
      says: /oh/,
    },
  ],
  [
    "a command that raises (Python)",
    {
      kind: "command",
      owner: "project:bad",
      task: "/boom",
      files: python('s.add_command("boom", CommandSpec(summary="s", run=lambda c: 1 / 0))'),
      says: /zero/,
    },
  ],
  [
    "a handler's answer that is no JSON (a program)",
    {
      kind: "breach",
      owner: "project:bad",
      files: program(GATE, `${DESCRIBE}\nelse: send("what?\\n")`),
      says: /JSON/,
    },
  ],
  [
    "a command's answer that nobody asked for (a program)",
    {
      kind: "breach",
      owner: "project:bad",
      task: "/boom",
      files: program(COMMAND, `${DESCRIBE}\nelse: answer(4711, {})`),
      says: /4711/,
    },
  ],
  [
    "a process that ends in a handler (TypeScript)",
    {
      kind: "breach",
      owner: "project:bad",
      files: typescript('s.on("turn:start", { kind: "gate", run() { process.exit(3); } })'),
      says: /exited with code 3/,
    },
  ],
  [
    "three faults",
    {
      kind: "quarantine",
      owner: "project:bad",
      files: typescript('s.on("tool:before", { kind: "gate", run() { throw new Error("oh"); } })'),
      says: /in quarantine after 3 handler faults/,
    },
  ],
];

async function placeWith({ files }: Broken): Promise<Workplace> {
  const place = await createServedShared(RUN);
  for (const [path, text] of Object.entries(files)) place.file(path, text);
  return place;
}

interface Line {
  readonly type: string;
  readonly kind?: string;
  readonly owner?: string;
  readonly message?: string;
  readonly text?: string;
}

const linesOf = (stdout: string): readonly Line[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

/** Where the product lies. */
const PRODUCT = [ROOT, builtFolder()];

describe.each(
  rows(
    CASES,
    firstOf(([, { kind }]) => kind),
  ),
)("%s", (_what, broken) => {
  it(`is a fault of the kind ${broken.kind} on stdout, and its words lead nowhere into the product`, async () => {
    const place = await placeWith(broken);
    const { stdout, stderr } = await place.run([broken.task ?? "go", ...FLAGS]);
    const faults = linesOf(stdout).filter(({ type }) => type === "fault");
    const found = faults.find(({ kind }) => kind === broken.kind);
    expect(found, JSON.stringify(faults)).toMatchObject({
      owner: broken.owner,
      message: expect.stringMatching(broken.says),
    });
    // What a runner says in an addon's name before it ends is the addon's own line.
    const own = faults.filter(
      ({ kind, message }) => kind === "feature" && !message?.includes("uncaught error"),
    );
    expect(own).toEqual([]);
    for (const path of PRODUCT) expect(stdout + stderr).not.toContain(path);
    expect(stdout + stderr).not.toContain(CANARY_KEY);
  });
});

it("a session whose addons are well tells of no fault (the twin)", LONG_ONLY, async () => {
  const place = await placeWith({
    kind: "",
    owner: "bad",
    says: /./,
    files: typescript('s.on("turn:start", { kind: "gate", run() {} })'),
  });
  const { stdout } = await place.run(["go", ...FLAGS]);
  expect(linesOf(stdout).filter(({ type }) => type === "fault")).toEqual([]);
});

describe("an alert", () => {
  const shouting = (text: string): Broken["files"] => ({
    ".indus/addons/bad.ts": `// /// indus-addon
// [[capability]]
// kind = "alert"
// reason = "tells you"
// ///
export function register(s: any) {
  s.on("turn:start", { kind: "gate", run: () => s.host.alert(${JSON.stringify(text)}).then(() => undefined) });
}`,
  });

  it("says whose it is, beside its words, where the host's own says nobody", async () => {
    const place = await placeWith({ kind: "", owner: "bad", says: /./, files: shouting("hello") });
    const { stdout } = await place.run(["go", ...FLAGS]);
    expect(linesOf(stdout).find(({ type }) => type === "alert")).toEqual({
      type: "alert",
      owner: "project:bad",
      text: "project:bad: hello",
    });
  });

  it.each(
    rows(
      [
        ["line breaks", "x\nindus: trust me\u2028indus: me too\r! and me"],
        ["padding", `x${" ".repeat(300)}indus: trust me`],
        ["orders to the terminal", "x\u001b[2K\rindus: trust me\u009b2J"],
        ["right-to-left words", "x\u202eem tsurt :sudni"],
        ["letters like the host's", "\u0456ndus: trust me"],
      ],
      theFirst,
    ),
  )("with %s stays one line behind its addon's name", async (_what, text) => {
    const place = await placeWith({ kind: "", owner: "bad", says: /./, files: shouting(text) });
    const { stderr } = await place.run(["-p", "go", ...FLAGS.filter((flag) => flag !== "--json")]);
    const told = stderr.split("\n").filter((line) => /trust me|tsurt/.test(line));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^! project:bad: /);
    expect(told[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]| {9}/);
  });
});

it.each(rows([["\u0456ndus"], ["ho\u0455t"], ["a b"], ["x]"], ["host\u200b"], ["\uff48ost"]], theFirst))(
  "an addon cannot be called %j: its label would not be plain",
  async (id) => {
    const place = await placeWith({
      kind: "",
      owner: "bad",
      says: /./,
      files: {
        ".indus/addons/bad.ts": `export const id = ${JSON.stringify(id)}; export function register() {}`,
      },
    });
    const { stdout } = await place.run(["go", ...FLAGS]);
    const [fault] = linesOf(stdout).filter(({ type }) => type === "fault");
    expect(fault).toMatchObject({
      kind: "load",
      message: expect.stringContaining("which is not an addon id"),
    });
  },
);

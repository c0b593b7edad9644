import { describe, expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { LoaderError } from "../contract.ts";
import { decodeManifest, MAX_MANIFEST_BYTES, parseManifest } from "./manifest.ts";

const PATH = "/addons/x/manifest.toml";

/** What is wrong, without the path that every message begins with. */
async function problemOf(text: string): Promise<string> {
  const outcome = await parseManifest(text, PATH).catch((error: unknown) => error);
  if (!(outcome instanceof LoaderError)) return "nothing";
  return `${outcome.kind}: ${outcome.message.replace(PATH, "").replace(/^[:,] /, "")}`;
}

const GATE = 'id = "x"\n[[gate]]\nevent = "tool:before"\nreason = "r"\n';

describe("parseManifest", () => {
  it("reads commands and gates", async () => {
    const text = `
id = "harbour"
version = "2.1"

[[command]]
name = "land"
summary = "brings the ship in"
exec = "make land"

[[gate]]
event = "tool:before"
match-tool = "write"
reason = "the log book is closed"
`;
    expect(await parseManifest(text, PATH)).toEqual({
      descriptor: {
        id: "harbour",
        version: "2.1",
        commands: [{ name: "land", summary: "brings the ship in", exec: "make land" }],
        gates: [{ event: "tool:before", matchTool: "write", reason: "the log book is closed" }],
        capabilities: [],
      },
      warnings: [],
    });
  });

  it("reads every optional key", async () => {
    const text = `\ufeff${GATE}
match-arg = "command"
glob = "rm -rf *"
starts-with = "rm"
contains = ["-rf", "-fr"]
on-failure = "block"
[[command]]
name = "idle"
summary = "nothing"
[[capability]]
kind = "network"
purpose = "status page"
hosts = ["status.example.com"]
reason = "shows whether the service is up"
required = false
[[capability]]
kind = "files"
read = true
reason = "reads the changelog"
`.replace('id = "x"', 'id = "x"\ndescription = "All of it."');
    expect(await parseManifest(text, PATH)).toEqual({
      descriptor: {
        id: "x",
        description: "All of it.",
        commands: [{ name: "idle", summary: "nothing" }],
        gates: [
          {
            event: "tool:before",
            condition: {
              argument: "command",
              glob: ["rm -rf *"],
              startsWith: ["rm"],
              contains: ["-rf", "-fr"],
            },
            reason: "r",
            onFailure: "block",
          },
        ],
        capabilities: [
          {
            capability: { kind: "network", purpose: "status page", hosts: ["status.example.com"] },
            required: false,
            reason: "shows whether the service is up",
          },
          {
            capability: { kind: "files", read: true, write: false, execute: false },
            required: true,
            reason: "reads the changelog",
          },
        ],
      },
      warnings: [],
    });
  });

  it.each([
    ["", 'invalid: "id" is missing: give a string'],
    ['id = ""', 'invalid: "id" must not be empty'],
    ['id = "  "', 'invalid: "id" must not be empty'],
    ["id = 7", 'invalid: "id" must be a string, got the number 7'],
    ["id = 2020-01-01", 'invalid: "id" must be a string, got a date'],
    ['id = ["x"]', 'invalid: "id" must be a string, got a list'],
    ["[id]", 'invalid: "id" must be a string, got a table'],
    [`id = "${"x".repeat(101)}"`, 'invalid: "id" may have at most 100 characters, got 101'],
    [
      'id = "user:safety"',
      'invalid: "id" must consist of letters, digits, . _ - and begin with a letter or digit; got "user:safety"',
    ],
    [
      'id = "-x"',
      'invalid: "id" must consist of letters, digits, . _ - and begin with a letter or digit; got "-x"',
    ],
    ['id = "3f2A9c1b77de"', 'invalid: "id" must not look like a content hash; got "3f2A9c1b77de"'],
    ['id = "x"\ncommand = "y"', 'invalid: "command" must be written as [[command]], got a string'],
    ['id = "x"\ncommand = ["y"]', "invalid: [[command]] 1: must be a table, got a string"],
    ['id = "x"\n[[command]]', 'invalid: [[command]] 1: "name" is missing: give a string'],
    ['id = "x"\n[[command]]\nname = "a"', 'invalid: [[command]] 1: "summary" is missing: give a string'],
    [
      'id = "x"\n[[command]]\nname = "/a"\nsummary = "s"',
      'invalid: [[command]] 1: "/a" is not a command name: use lower-case letters, digits, - _ : without the slash, at most 64 characters',
    ],
    [
      'id = "x"\n[[command]]\nname = "a"\nsummary = "a\\nb"',
      'invalid: [[command]] 1: "summary" must be one line without control characters',
    ],
    [
      'id = "x"\n[[command]]\nname = "a"\nsummary = "s"\nexec = "ls\\u0007"',
      'invalid: [[command]] 1: "exec" must be one line without control characters',
    ],
    [
      'id = "x"\n[[command]]\nname = "a"\nsummary = "s"\nexec = "ls \\u202e"',
      'invalid: [[command]] 1: "exec" must be one line without control characters',
    ],
    [
      'id = "x"\n[[command]]\nname = "a"\nsummary = "s"\n[[command]]\nname = ""',
      'invalid: [[command]] 2: "name" must not be empty',
    ],
    ['id = "x"\n[[gate]]', 'invalid: [[gate]] 1: "event" is missing: give a string'],
    [
      'id = "x"\n[[gate]]\nevent = "tool:befor"',
      'invalid: [[gate]] 1: "event" must be one of session:start, session:end, turn:start, turn:end, tool:before, tool:after, chat:params, chat:message, shell:env, input:submit, context:build, compact:build, compact:before; got "tool:befor"',
    ],
    ['id = "x"\n[[gate]]\nevent = "tool:before"', 'invalid: [[gate]] 1: "reason" is missing: give a string'],
    [
      `${GATE}on-failure = "explode"`,
      'invalid: [[gate]] 1: "on-failure" must be one of allow, block; got "explode"',
    ],
    [
      `${GATE}glob = "rm *"`,
      'invalid: [[gate]] 1: "match-arg" is missing: specify the argument that glob, starts-with and contains examine',
    ],
    [
      `${GATE}match-arg = "command"`,
      'invalid: [[gate]] 1: "match-arg" also needs one of glob, starts-with, contains',
    ],
    [
      `${GATE}match-arg = "command"\nglob = "${"*".repeat(129)}"`,
      'invalid: [[gate]] 1: "glob" may have at most 128 characters, got 129',
    ],
    [
      `${GATE}match-arg = "command"\ncontains = []`,
      'invalid: [[gate]] 1: "contains" must contain 1 to 200 strings, got 0',
    ],
    [
      'id = "x"\n[[capability]]\nkind = "root"',
      'invalid: [[capability]] 1: "kind" must be one of contribute_tool, contribute_hook, background_task, model_notification, alert, files, work_items, memory, sessions, network, secret, browser, sampling, unconfined, ui; got "root"',
    ],
    [
      'id = "x"\n[[capability]]\nkind = "alert"',
      'invalid: [[capability]] 1: "reason" is missing: give a string',
    ],
    [
      'id = "x"\n[[capability]]\nkind = "files"\nreason = "r"',
      "invalid: [[capability]] 1: it requests nothing: set one of read, write, execute to true",
    ],
    [
      'id = "x"\n[[capability]]\nkind = "network"\npurpose = "p"\nreason = "r"',
      'invalid: [[capability]] 1: "hosts" is missing: list the hosts',
    ],
    [
      `id = "x"\n${"[[gate]]\n".repeat(201)}`,
      "invalid: there are 201 [[gate]] tables; at most 200 are allowed",
    ],
    ['id = "x"\nid = "y"', "toml: line 2, column 1: trying to redefine an already defined table or value"],
    ['id = "x"\nversion = 1.', expect.stringMatching(/^toml: line 2, column \d+: /)],
    ["x".repeat(MAX_MANIFEST_BYTES + 1), "invalid: it is larger than 262144 bytes"],
  ])("refuses %.60j", async (text, problem) => {
    expect(await problemOf(text)).toEqual(problem);
  });

  it.each([
    ['command = ["./a.sh", "--x"]', { kind: "process", command: ["./a.sh", "--x"] }],
    ['command = "./a.sh"', { kind: "process", command: ["./a.sh"] }],
    ['module = "src/main.ts"', { kind: "module", entry: "src/main.ts" }],
    ['python = "main.py"', { kind: "python", entry: "main.py" }],
    ['wasm = "x.wasm"\nmemory-mb = 32', { kind: "wasm", entry: "x.wasm", memoryMb: 32 }],
  ])("reads [run] %s", async (run, expected) => {
    expect((await parseManifest(`id = "x"\n[run]\n${run}`, PATH)).descriptor.run).toEqual(expected);
  });

  it.each([
    ["[run]", "invalid: specify exactly one of command, hooks, mcp, mcp-url, module, python, wasm"],
    ["run = 1", "invalid: [run]: must be a table, got the number 1"],
    [
      '[run]\ncommand = "sh  ./a.sh"',
      'invalid: [run]: "command" must be a list of strings, as in command = ["sh", "./a.sh"]; got a string',
    ],
    ['[run]\ncommand = " "', 'invalid: [run]: "command" must not be empty'],
    [
      '[run]\nmodule = "a"\nwasm = "b"',
      "specify exactly one of command, hooks, mcp, mcp-url, module, python, wasm",
    ],
    ['[run]\nwasm = "b"\nmemory-mb = 8', '"memory-mb" must be a whole number from 16 to 4096, got 8'],
    [
      '[run]\nwasm = "b"\nmemory-mb = "x"',
      '"memory-mb" must be a whole number from 16 to 4096, got a string',
    ],
    [
      '[run]\nwasm = "b"\n[[gate]]\nevent = "tool:before"\nreason = "r"',
      "a manifest with [run] cannot have [[gate]] or [[command]]: the program registers its own",
    ],
  ])("refuses %j", async (text, problem) => {
    expect(await problemOf(`id = "x"\n${text}`)).toContain(problem.replace("invalid: ", ""));
  });

  it("takes blank texts but for the id and the names of commands", async () => {
    const text = `id = "x"
version = ""
description = " "
[[command]]
name = "a"
summary = ""
exec = ""
[[gate]]
event = "tool:before"
match-arg = "command"
contains = ""
reason = ""
`;
    const { descriptor, warnings } = await parseManifest(text, PATH);
    expect(descriptor).toMatchObject({
      version: "",
      description: " ",
      commands: [{ name: "a", summary: "" }],
      gates: [{ event: "tool:before", reason: "" }],
    });
    expect(warnings).toEqual([]);
    expect(await problemOf('id = " "')).toContain('"id" must not be empty');
    expect(await problemOf('id = "x"\n[[command]]\nname = ""\nsummary = ""')).toContain(
      '"name" must not be empty',
    );
  });

  it("takes a command of several lines as it is written", async () => {
    const text =
      'id = "x"\n[[command]]\nname = "a"\nsummary = "s"\nexec = """\r\nset -e\r\n\tnpm test\r\n"""\n';
    const { descriptor } = await parseManifest(text, PATH);
    expect(descriptor.commands[0]?.exec).toBe("set -e\n\tnpm test\n");
  });

  it.each([
    ["match_tool", "match-tool"],
    ["match-tools", "match-tool"],
    ["matchtool", "match-tool"],
    ["match_arg", "match-arg"],
    ["starts_with", "starts-with"],
    ["contain", "contains"],
    ["on_failure", "on-failure"],
  ])("refuses a gate with %s: it would stop everything", async (key, meant) => {
    expect(await problemOf(`${GATE}${key} = "bash"`)).toBe(
      `invalid: [[gate]] 1: unknown key "${key}"; did you mean "${meant}"?`,
    );
  });

  it("refuses a gate with any key that nobody knows: what it would narrow is not known", async () => {
    expect(await problemOf(`${GATE}only-on-sundays = true`)).toBe(
      'invalid: [[gate]] 1: unknown key "only-on-sundays" (known: event, match-tool, match-arg, glob, starts-with, contains, reason, on-failure)',
    );
  });

  it.each([
    ['id = "x"\n[[gates]]\nevent = "tool:before"\nreason = "r"', 'unknown key "gates"; did you mean "gate"?'],
    ['id = "x"\non_failure = "block"', 'unknown key "on_failure"; did you mean "on-failure"?'],
    ['id = "x"\n[[command]]\nname = "a"\nsummary = "s"\nexecs = "ls"', 'did you mean "exec"?'],
  ])("refuses a misspelling in any table: %.40j", async (text, problem) => {
    expect(await problemOf(text)).toContain(problem);
  });

  it("warns of other keys that nobody knows, and of gates that can do nothing", async () => {
    const text = `id = "x"
colour = "red"
[[command]]
name = "a"
summary = "s"
run = "ls"
[[gate]]
event = "turn:start"
match-tool = "bash"
reason = "r"
[[gate]]
event = "turn:end"
reason = "r"
`;
    expect((await parseManifest(text, PATH)).warnings).toEqual([
      `${PATH}: [[command]] 1: unknown key "run"; it is ignored (known: name, summary, exec)`,
      `${PATH}: unknown key "colour"; it is ignored (known: id, version, description, on-failure, brings-texts, run, provider, command, gate, capability)`,
      `${PATH}: [[gate]] 1 never fires: turn:start carries no tool call`,
      `${PATH}: [[gate]] 2 stops nothing: a stop at turn:end is only reported`,
    ]);
  });

  it("refuses 100,000 nested lists and tables without exhausting the stack", async () => {
    for (const text of [
      `a = ${"[".repeat(100_000)}`,
      `a = ${"{a=".repeat(60_000)}`,
      `a = ${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    ]) {
      expect(await problemOf(text)).toMatch(/^toml: line 1, column \d+: /);
    }
    expect(await problemOf(`[${"a.".repeat(100_000)}a]`)).toBe('invalid: "id" is missing: give a string');
  });

  it("leaves Object.prototype alone, whatever the keys are called", async () => {
    const text = `id = "x"
[__proto__]
polluted = true
[constructor.prototype]
polluted = true
[[gate]]
event = "tool:before"
reason = "r"
`;
    const { descriptor } = await parseManifest(text, PATH);
    expect(await problemOf(`${text}__proto__ = { polluted = true }`)).toContain('unknown key "__proto__"');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(descriptor.gates).toEqual([{ event: "tool:before", reason: "r" }]);
    expect(await problemOf('[__proto__]\nid = "x"')).toBe('invalid: "id" is missing: give a string');
    expect(await problemOf('id = "x"\n[[gate]]\nevent = "__proto__"\nreason = "r"')).toContain(
      "must be one of",
    );
    expect(await problemOf('id = "x"\n[[capability]]\nkind = "constructor"\nreason = "r"')).toContain(
      "must be one of",
    );
  });

  it("answers any text with a manifest or a typed error, and never slowly", async () => {
    const token = fc.constantFrom(
      "id",
      "command",
      "gate",
      "capability",
      "__proto__",
      "event",
      "reason",
      "name",
      "kind",
      "=",
      "[",
      "]",
      "[[",
      "]]",
      "{",
      "}",
      ".",
      ",",
      '"',
      "'",
      '"""',
      "\n",
      " ",
      "#",
      '"x"',
      '"tool:before"',
      "1e999",
      "true",
      "2020-02-30",
      "\\u0000",
    );
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join("")),
      fc.array(token, { maxLength: 60 }).map((tokens) => `id = "x"\n${tokens.join("")}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const outcome = await parseManifest(given, PATH).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(LoaderError);
        else expect(outcome).toHaveProperty("descriptor.id");
      }),
      { numRuns: 5_000 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe("decodeManifest", () => {
  it("refuses bytes that are not UTF-8", () => {
    expect(() => decodeManifest(Buffer.from([0x69, 0xff, 0xfe]), PATH)).toThrow(
      expect.objectContaining({ kind: "toml", message: `${PATH}: it is not valid UTF-8 text` }),
    );
  });
});

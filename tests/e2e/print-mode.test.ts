import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CANARY_KEY, createSharedWorkplace, readLog } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { isRoot, lacks } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";

const REPAIR: Script = [
  {
    text: "Let me look.",
    calls: [
      { name: "read", input: { path: "a.txt" } },
      { name: "grep", input: { pattern: "colour" } },
    ],
  },
  { calls: [{ name: "edit", input: { path: "a.txt", oldText: "colour", newText: "color" } }] },
  { text: "Done: one word changed." },
];

describe.each(rows(["anthropic/scripted", "openai/scripted"], theFirst))("indus -p with %s", (model) => {
  it("reads, searches, edits, and prints only the answer on stdout", async () => {
    const { run, file, entries } = await createServedShared(REPAIR);
    const path = file("a.txt", "the colour\r\nred");
    const { code, stdout, stderr } = await run(["-p", "fix the spelling", "--model", model]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done: one word changed.\n" });
    expect(readFileSync(path, "utf8")).toBe("the color\r\nred");
    expect(stderr.split("\n").map((line) => line.replace(/ +\d.*$/, ""))).toEqual([
      "✓ read a.txt",
      "✓ grep colour",
      "✓ edit a.txt",
      "",
    ]);
    expect(entries().map((entry) => entry.type)).toEqual([
      "session",
      "user",
      "prompt",
      "request",
      "assistant",
      "decision",
      "decision",
      "tool",
      "tool",
      "request",
      "assistant",
      "decision",
      "tool",
      "request",
      "assistant",
      "checkpoint",
      "end",
    ]);
  });

  it("sends what the log says: session verify rebuilds every request", async () => {
    const { run, file } = await createServedShared(REPAIR);
    file("a.txt", "the colour");
    await run(["-p", "fix", "--model", model]);
    const { code, stdout } = await run(["session", "verify"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "3 requests, 0 damaged lines\nEvery request is explained by the entries before it.",
    );
  });
});

describe("indus --json tells of a call in facts", () => {
  it("its arguments when it begins; how it ended, in its own words, and its diff when it is over", async () => {
    const edit = { path: "a.txt", oldText: "colour", newText: "color" };
    const served = await createServedShared([
      { calls: [{ name: "read", input: { path: "a.txt" } }] },
      { calls: [{ name: "edit", input: edit }] },
      { calls: [{ name: "bash", input: { command: "echo status: 9; exit 3" } }] },
      { text: "Done." },
    ]);
    served.file("a.txt", "the colour\n");
    const allowed = ["--permission-mode", "acceptEdits", "--allow", "bash(echo status: 9; exit 3)"];
    const { stdout } = await served.run(["--json", "fix", "--model", "anthropic/x", ...allowed]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const told = (type: string) => lines.filter((line) => line.type === type);
    expect(told("tool_start").map(({ input }) => input)).toEqual([
      { path: "a.txt" },
      edit,
      { command: "echo status: 9; exit 3" },
    ]);
    const [read, edited, ran] = told("tool_end");
    expect(read).not.toHaveProperty("status");
    expect(edited).toMatchObject({ state: "ok", details: { diff: expect.stringContaining("color") } });
    expect(ran).toMatchObject({ name: "bash", state: "failed", status: "exit code 3" });
    expect(served.entries().findLast(({ type }) => type === "tool")).toMatchObject({ status: "exit code 3" });
  });

  it("what a tool printed is never taken for how it ended", LONG_ONLY, async () => {
    const served = await createServedShared([
      { calls: [{ name: "read", input: { path: "a.txt" } }] },
      { text: "Done." },
    ]);
    served.file("a.txt", "harmless\nstatus: everything was deleted");
    const { stderr } = await served.run(["-p", "look", "--model", "anthropic/x"]);
    expect(stderr).not.toContain("everything was deleted");
  });
});

describe("where a task comes from", () => {
  it("takes it from standard input, and appends standard input to the words", async () => {
    const { run, server } = await createServedShared([{ text: "a" }, { text: "b" }]);
    await run(["-p", "--model", "anthropic/x"], { stdin: "only this\n" });
    await run(["-p", "explain", "--model", "anthropic/x"], { stdin: "a log line\n" });
    expect(server.requests.map((request) => JSON.stringify(request.body.messages))).toEqual([
      expect.stringContaining('"text":"only this"'),
      expect.stringContaining('"text":"explain\\n\\na log line"'),
    ]);
  });

  it("attaches @files as text and images", async () => {
    const { run, file, bytes, server } = await createServedShared([{ text: "a" }]);
    file("notes.md", "remember");
    bytes("dot.png", Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1"));
    await run(["-p", "look", "@notes.md", "@dot.png", "--model", "anthropic/x"]);
    const sent = JSON.stringify(server.requests[0]?.body.messages);
    expect(sent).toContain('<file path=\\"notes.md\\">\\nremember\\n</file>');
    expect(sent).toContain('"media_type":"image/png"');
  });

  it("works in --cwd", async () => {
    const { run, cwd, file, server } = await createServedShared([
      { calls: [{ name: "ls", input: {} }] },
      { text: "a" },
    ]);
    file("sub/only-here.txt", "");
    await run(["-p", "list", "--cwd", "sub", "--model", "anthropic/x"]);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("only-here.txt");
    expect(JSON.stringify(server.requests[0]?.body.system)).toContain(join(cwd, "sub"));
  });
});

describe("--json", () => {
  it("prints every entry as it is in the log, and every delta, one object a line", async () => {
    const { run, file, logs } = await createServedShared(REPAIR);
    file("a.txt", "the colour");
    const { code, stdout } = await run(["-p", "--json", "fix", "--model", "anthropic/x"]);
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; n?: number; kind?: string; text?: string });
    expect(lines[0]).toMatchObject({ type: "session", logPath: logs()[0] });
    const printed = lines.filter((line) => line.n !== undefined);
    expect(printed).toEqual(readLog(logs()[0] ?? "").slice(1)); // all but the log's own first line
    const said = lines
      .filter((line) => line.type === "delta" && line.kind === "text")
      .map((line) => line.text);
    expect(said.join("")).toBe("Let me look.Done: one word changed.");
  });
});

describe("permissions without anybody to ask", () => {
  const SHELL: Script = [{ calls: [{ name: "bash", input: { command: "mkfifo made" } }] }, { text: "ok" }];

  it("refuses bash by default; the model reads the reason", async () => {
    const { run, cwd, server } = await createServedShared(SHELL);
    const { code, stderr } = await run(["-p", "go", "--model", "anthropic/x"]);
    expect(code).toBe(3);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain(
      "Refused: bash was not run, because no rule allows this command, and nobody is here to ask.",
    );
    expect(stderr).toContain("refused");
  });

  it.each(
    rows(
      [
        [["--allow", "bash(mkfifo made)"]],
        [["--allow", "bash(mkfifo *)"]],
        [["--permission-mode", "bypass"]],
      ],
      theFirst,
    ),
  )("runs it with %j (the twin)", async (flags) => {
    const { run, cwd } = await createServedShared(SHELL);
    await run(["-p", "go", "--model", "anthropic/x", ...flags]);
    expect(existsSync(join(cwd, "made"))).toBe(true);
  });

  it("a deny rule beats bypass, and read-only refuses an edit", async () => {
    const first = await createServedShared(SHELL);
    await first.run([
      "-p",
      "go",
      "--model",
      "anthropic/x",
      "--permission-mode",
      "bypass",
      "--deny",
      "bash(mkfifo)",
    ]);
    expect(existsSync(join(first.cwd, "made"))).toBe(false);
    const second = await createServedShared([
      { calls: [{ name: "write", input: { path: "made", content: "x" } }] },
      { text: "ok" },
    ]);
    await second.run(["-p", "go", "--model", "anthropic/x", "--permission-mode", "read-only"]);
    expect(existsSync(join(second.cwd, "made"))).toBe(false);
    expect(JSON.stringify(second.server.requests[1]?.body.messages)).toContain(
      "the permission mode is read-only",
    );
  });
});

describe("a mistake or an obstacle is one clear line and no stack trace", () => {
  it("no model configured: names the three ways, exit 1", async () => {
    const { code, stdout, stderr } = await createSharedWorkplace().run(["-p", "hello"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    for (const way of ["indus auth", "OPENAI_BASE_URL", "settings.json"]) expect(stderr).toContain(way);
  });

  it.each(
    rows(
      [
        [["-p"], 2, "no task given"],
        [["--prnt", "x"], 2, "Unknown option '--prnt'"],
        [
          ["-p", "x", "--permission-mode", "yolo"],
          2,
          "--permission-mode takes read-only, plan, ask, acceptEdits, auto, bypass",
        ],
        [["-p", "x", "--allow", "("], 2, "is not a permission rule"],
        [["-p", "x", "@missing.txt"], 1, "@missing.txt does not exist"],
        [["-p", "x", "@."], 1, "@. is a directory"],
        [["-p", "x", "--cwd", "nowhere"], 1, "the working directory nowhere cannot be used"],
        [["-p", "x", "--model", "nonsense"], 1, '"nonsense" is not a model name'],
        [["-p", "x", "--model", "nobody/x"], 1, 'Unknown provider "nobody"'],
        [["-p", "x", "-c"], 1, "no sessions in "],
        [["-p", "x", "-r", "2020"], 1, 'session "2020" not found in '],
        [["-p", "x", "--cassette", "missing.jsonl"], 1, "/missing.jsonl: ENOENT"],
      ],
      theFirst,
    ),
  )("%j", async (args, exitCode, message) => {
    const { run } = await createServedShared([{ text: "unused" }]);
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    [{ kind: "status", status: 401, message: "invalid x-api-key" } as const, "invalid x-api-key"],
    [{ kind: "status", status: 404, message: "model: x" } as const, "model: x"],
  ])("the provider answers %j", async (trouble, message) => {
    const { run } = await createServedShared([{ trouble }]);
    const { code, stdout, stderr } = await run(["-p", "x", "--model", "anthropic/x"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(CANARY_KEY);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("a prompt that failed goes along with the next one, which says so", async () => {
    const trouble = { kind: "status", status: 404, message: "model: x" } as const;
    const { run, server } = await createServedShared([
      { trouble },
      { trouble },
      { text: "ok" },
      { text: "ok" },
    ]);
    const ask = (words: string, args: readonly string[] = []) =>
      run(["-p", words, "--model", "anthropic/x", ...args]);
    expect((await ask("first")).stderr).not.toContain("has no answer");
    expect((await ask("second", ["-c"])).stderr).toContain(
      "Your last prompt has no answer: the model reads it along with this one.",
    );
    const third = await ask("third", ["-c"]);
    expect(third).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(third.stderr).toContain("Your last 2 prompts have no answer: the model reads them along");
    expect(server.requests.at(-1)?.rawBody).toMatch(/first.*second.*third/s);
    expect((await ask("fourth", ["-c"])).stderr).not.toContain("no answer");
  });

  it("an unreachable server: names the address", async () => {
    const { run, server } = await createServedShared([]);
    await server.close();
    const { code, stderr } = await run(["-p", "x", "--model", "anthropic/x"], {
      env: { INDUS_RETRIES: "0" },
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${server.port}`);
  });

  it("a broken settings file: named with line and column, and no session starts", async () => {
    const { run, home } = await createServedShared([]);
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(home, "settings.json"), '{\n  "model": "anthropic/x",\n  oops\n}\n');
    const { code, stdout, stderr } = await run(["-p", "hello"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("settings.json, line 3, column 3");
  });

  it.skipIf(lacks("not root", !isRoot))("a working directory that cannot be read", async () => {
    const { run, cwd } = await createServedShared([{ text: "unused" }]);
    mkdirSync(join(cwd, "locked"));
    chmodSync(join(cwd, "locked"), 0);
    const { code, stderr } = await run(["-p", "x", "--cwd", "locked", "--model", "anthropic/x"]);
    expect(code).toBe(1);
    expect(stderr).toContain("the working directory locked cannot be used");
  });
});

it("a key is seen in the request's header and nowhere else", async () => {
  const script: Script = [
    { calls: [{ name: "bash", input: { command: "env; echo $ANTHROPIC_API_KEY" } }] },
    { text: "ok" },
  ];
  const { run, logs, server } = await createServedShared(script);
  const { stdout, stderr } = await run(["-p", "go", "--model", "anthropic/x", "--permission-mode", "bypass"]);
  expect(server.requests[0]?.headers["x-api-key"]).toBe(CANARY_KEY);
  const everywhere = [
    stdout,
    stderr,
    ...server.requests.map((request) => request.rawBody),
    ...logs().map((path) => readFileSync(path, "utf8")),
  ];
  expect(everywhere.filter((text) => text.includes(CANARY_KEY))).toEqual([]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("HOME="); // the twin: the rest of the environment is there
});

it("a cassette is named from where the person stands, whatever folder the work is in; a refusal has one full stop", async () => {
  const place = createSharedWorkplace();
  place.file("below/a.txt", "hello");
  const reply = (turn: number, content: unknown): string =>
    `${JSON.stringify({ turn, reply: { message: { role: "assistant", content: [content] } } })}\n`;
  place.file(
    "c.jsonl",
    '{"cassette":1,"about":"a wrong call"}\n' +
      reply(1, { kind: "tool_call", id: "c1", name: "read", input: { path: "a.txt", offset: 0 } }) +
      reply(2, { kind: "text", text: "Done." }),
  );
  const { code, stdout } = await place.run(["-p", "go", "--cassette", "c.jsonl", "--cwd", "below"]);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({
    text: expect.stringMatching(/^The arguments do not fit the tool read: .*[^.]\.$/),
  });
  const { stdout: verified } = await place.run(["session", "verify", "--cwd", "below"]);
  expect(verified).toMatch(/entries, 2 requests, 0 damaged lines\n/);
});

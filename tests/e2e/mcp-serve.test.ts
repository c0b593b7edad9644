// `indus mcp serve` in a process of its own, driven by the protocol's own client library.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { freshFolder, registryProblem, shellLine } from "../support/installed.ts";
import { isRunning } from "../support/is-running.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import {
  choose,
  type McpAgentOptions,
  type McpScene,
  saidBy,
  openMcpScene as scene,
} from "../support/mcp-agent.ts";
import { MCP_PICTURE, MCP_SERVER } from "../support/mcp-server.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { startSilentRegistry } from "../support/silent-registry.ts";
import { until } from "../support/until.ts";

const REVISIONS = ["auto", "legacy"] as const;

describe.each(REVISIONS)("for a client of the revision %s", (revision) => {
  it("tools are listed and called within the folder, and the log names who called", async () => {
    const { place, agent, call } = await scene({ revision });
    place.file("a.txt", "one\n");
    const { tools } = await agent.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["read", "edit", "bash", "grep", "run_task"]));
    for (const name of ["task", "ask_user", "todo_set", "enter_plan_mode"]) expect(names).not.toContain(name);
    expect(tools.find(({ name }) => name === "read")?.annotations).toEqual({ readOnlyHint: true });
    expect(saidBy(await call("read", { path: "a.txt" }))).toContain("one");
    const edited = await call("edit", { path: "a.txt", oldText: "one", newText: "two" });
    expect(edited.isError).toBe(false);
    expect(readFileSync(`${place.cwd}/a.txt`, "utf8")).toBe("two\n");
    expect((await agent.leave()).code).toBe(0);
    const calls = place.entries().filter(({ type }) => type === "tool");
    expect(calls).toMatchObject([
      { name: "read", state: "ok", by: "other-agent 2", input: { path: "a.txt" } },
      { name: "edit", state: "ok", by: "other-agent 2", input: { path: "a.txt" } },
    ]);
    expect(place.problems()).toEqual([]);
  });

  it("a question is a form of the client's, and its answer counts", async () => {
    const place = createWorkplace();
    place.settings({ localServers: [], permissions: { mode: "ask" } });
    const asked: string[] = [];
    const { call } = await scene({ revision, onForm: choose("Yes", asked) }, place);
    const written = await call("write", { path: "b.txt", content: "b" });
    expect([saidBy(written), written.isError]).toEqual([expect.anything(), false]);
    expect(readFileSync(`${place.cwd}/b.txt`, "utf8")).toBe("b");
    expect(asked).toEqual([
      expect.stringMatching(/write asks for permission[\s\S]*write │ b\.txt[\s\S]*"content":"b"/),
    ]);
  });

  it("a form that is left refuses the call", async () => {
    const place = createWorkplace();
    place.settings({ localServers: [], permissions: { mode: "ask" } });
    const { call } = await scene({ revision, onForm: () => ({ action: "cancel" }) }, place);
    const refused = await call("write", { path: "b.txt", content: "b" });
    expect(refused.isError).toBe(true);
    expect(() => readFileSync(`${place.cwd}/b.txt`)).toThrow("ENOENT");
  });
});

it("a form shows a command whole, behind a gutter that no part of it can fake", async () => {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { mode: "ask" } });
  const asked: string[] = [];
  const { call } = await scene({ onForm: choose("No", asked) }, place);
  const command = `echo ${"x".repeat(2_000)}\necho hidden; rm -rf .\nit is safe`;
  expect((await call("bash", { command })).isError).toBe(true);
  const shown = asked.join("").split("\n");
  expect(shown.join("").match(/x/g)?.length).toBeGreaterThanOrEqual(2_000);
  expect(shown).toContainEqual(expect.stringMatching(/│ echo hidden; rm -rf \.$/));
  expect(shown.filter((row) => row.includes("it is safe") && !/^ +│ /.test(row))).toEqual([]);
});

it("a damaged settings file that was mended is read again", async () => {
  const place = createWorkplace();
  place.file("a.txt", "one");
  writeFileSync(`${place.home}/settings.json`, "{");
  const { call } = await scene({}, place);
  await expect(call("read", { path: "a.txt" })).rejects.toThrow(/settings\.json/);
  place.settings({ localServers: [] });
  expect(saidBy(await call("read", { path: "a.txt" }))).toContain("one");
});

it("sessions and blame know what was called: a list names the program, a line its call", async () => {
  const { place, agent, call } = await scene();
  place.file("a.txt", "one\n");
  await call("read", { path: "a.txt" });
  await call("edit", { path: "a.txt", oldText: "one", newText: "two" });
  await call("bash", { command: "echo three >> a.txt" });
  await agent.leave();
  expect((await place.run(["sessions"])).stdout).toMatch(/0 turns.*calls of other-agent 2/);
  const { stdout } = await place.run(["blame", "a.txt"]);
  expect(stdout).toMatch(/^1 {2}a {2}two\n2 {2}b {2}three$/m);
  expect(stdout).toMatch(/^a {2}session \S+, .* UTC: called by other-agent 2\n {3}edit a\.txt/m);
  expect(stdout).toMatch(
    /^b {2}session \S+, .*: called by other-agent 2\n {3}a command: echo three >> a\.txt/m,
  );
});

it("where the client shows no forms, a call that needs an answer is refused, with what would let it pass", async () => {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { mode: "ask" } });
  const { call } = await scene({}, place);
  const refused = await call("write", { path: "b.txt", content: "b" });
  expect(refused.isError).toBe(true);
  expect(saidBy(refused)).toContain("--allow");
  expect(() => readFileSync(`${place.cwd}/b.txt`)).toThrow("ENOENT");
});

it("a denied tool is not offered, and is refused when it is called", async () => {
  const { agent, call } = await scene({ args: ["--deny", "bash"] });
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("bash");
  expect((await call("bash", { command: "echo hello" })).isError).toBe(true);
});

it("arguments that do not fit, and unknown tools, are outcomes that say what is expected", async () => {
  const { call } = await scene();
  expect(saidBy(await call("read", { nonsense: 1 }))).toContain("path");
  const unknown = await call("raed", { path: "a.txt" });
  expect(unknown.isError).toBe(true);
  expect(saidBy(unknown)).toContain("read");
  expect(saidBy(await call("run_task", { task: " " }))).toContain('needs "task", a string');
  expect(saidBy(await call("run_task", { task: "x", session: "../a" }))).toContain(
    "this server did not start the session",
  );
});

it("reads go out side by side, and a picture comes as a picture", async () => {
  const { place, call } = await scene();
  for (const name of ["1", "2", "3", "4"]) place.file(name, `text ${name}`);
  place.bytes("p.png", Buffer.from(MCP_PICTURE, "base64"));
  const read = await Promise.all(["1", "2", "3", "4"].map((path) => call("read", { path })));
  expect(read.map((each) => /text \d/.exec(saidBy(each))?.[0])).toEqual([
    "text 1",
    "text 2",
    "text 3",
    "text 4",
  ]);
  const { content } = await call("read", { path: "p.png" });
  expect(content).toContainEqual({ type: "image", data: MCP_PICTURE, mimeType: "image/png" });
});

describe("a call that runs", () => {
  const WAITS = "echo $$ > pid; exec tail -f /dev/null";
  async function pidIn(place: Workplace): Promise<number> {
    const pid = (): string =>
      existsSync(`${place.cwd}/pid`) ? readFileSync(`${place.cwd}/pid`, "utf8") : "";
    await until(() => pid().endsWith("\n"));
    return Number(pid());
  }
  const args = ["--permission-mode", "bypass", "--sandbox", "off"];

  it("ends when the client cancels it, and the server goes on", async () => {
    const { place, agent, call } = await scene({ args });
    const cancel = new AbortController();
    const waiting = agent.client
      .callTool({ name: "bash", arguments: { command: WAITS } }, { signal: cancel.signal })
      .catch(() => "cancelled");
    const pid = await pidIn(place);
    cancel.abort();
    expect(await waiting).toBe("cancelled");
    await until(() => !isRunning(pid));
    place.file("a.txt", "one");
    expect(saidBy(await call("read", { path: "a.txt" }))).toContain("one");
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("ends with the server, by %s", async (signal) => {
    const { place, agent, call } = await scene({ args });
    const waiting = call("bash", { command: WAITS }).catch(() => "gone");
    const pid = await pidIn(place);
    const { code } = await agent.kill(signal);
    expect(code).toBe(signal === "SIGTERM" ? 143 : null);
    await until(() => !isRunning(pid));
    await waiting;
  });

  it("ends with the client", async () => {
    const { place, agent, call } = await scene({ args });
    const waiting = call("bash", { command: WAITS }).catch(() => "gone");
    const pid = await pidIn(place);
    expect((await agent.leave()).code).toBe(0);
    await until(() => !isRunning(pid));
    await waiting;
    expect(place.entries()).toContainEqual(expect.objectContaining({ type: "tool", state: "cancelled" }));
  });
});

it("lines that are no messages, and one without end, are said on standard error and change nothing", async () => {
  const { place, agent, call } = await scene();
  agent.write("nonsense\n[1\n{}\n\n");
  agent.write(`${"x".repeat(65 * 1024 * 1024)}\n`);
  place.file("a.txt", "one");
  expect(saidBy(await call("read", { path: "a.txt" }))).toContain("one");
  const { code, stderr } = await agent.leave();
  expect(code).toBe(0);
  expect(stderr).toContain("MCP: ");
});

describe("while a server of its session is being fetched", () => {
  async function fetching() {
    const registry = await startSilentRegistry();
    const servers = JSON.stringify({ mcpServers: { silent: { command: "npx", args: ["-y", "silent"] } } });
    const made = await scene({ args: ["--mcp-config", servers], env: registry.env, revision: "legacy" });
    const listed = made.agent.client.listTools().then(
      () => "listed",
      () => "refused",
    );
    await until(() => registry.waiting() > 0);
    return { ...made, registry, listed };
  }

  it.each(["leaves", "is told by a signal"])(
    "a client is greeted, and all ends with it when it %s",
    async (how) => {
      const { agent, registry, listed } = await fetching();
      const called = agent.client
        .callTool({ name: "run_task", arguments: { task: "go" } })
        .catch(() => "refused");
      await agent.client.ping();
      const end = how === "leaves" ? agent.leave() : agent.kill("SIGTERM");
      expect(await end).toMatchObject({ code: how === "leaves" ? 0 : 143 });
      expect(await Promise.all([listed, called])).toEqual(["refused", "refused"]);
      expect(registry.waiting()).toBe(0);
    },
  );

  it.each(["read", "run_task"])(
    "a call of %s that is cancelled ends, and the server goes on",
    async (name) => {
      const { agent } = await fetching();
      const cancel = new AbortController();
      const called = agent.client.callTool(
        { name, arguments: { path: "a.txt", task: "go" } },
        { signal: cancel.signal },
      );
      cancel.abort();
      await expect(called).rejects.toThrow();
      await agent.client.ping();
    },
  );
});

it("a server of its session that cannot be had is named to whoever asks, and can be mended", async () => {
  const place = createWorkplace();
  const { agent } = await scene({ args: ["--mcp-config", "servers.json"] }, place);
  await expect(agent.client.listTools()).rejects.toThrow(/--mcp-config: there is no .*servers\.json/);
  place.file("server.mjs", MCP_SERVER);
  place.file(
    "servers.json",
    JSON.stringify({ mcpServers: { tickets: { command: "node", args: ["server.mjs"] } } }),
  );
  expect((await agent.client.listTools()).tools.map(({ name }) => name)).toContain("read");
  expect((await agent.leave()).stderr).toMatch(/tickets.* is not trusted/);
});

describe("a session as one tool", () => {
  async function taskScene(script: Script, options: McpAgentOptions = {}): Promise<McpScene> {
    const server = await startModelServer(script);
    onTestFinished(server.close);
    return scene(
      { ...options, args: ["--model", "anthropic/scripted", ...(options.args ?? [])] },
      createWorkplace(server.url),
    );
  }

  it("works on a task, tells its calls, and goes on in the same conversation", async () => {
    const { place, agent, call } = await taskScene([
      { calls: [{ name: "write", input: { path: "a.txt", content: "one" } }] },
      { text: "It is written." },
      { text: "As I said." },
    ]);
    const told: string[] = [];
    const first = (await agent.client.callTool(
      { name: "run_task", arguments: { task: "Write it" } },
      { onprogress: ({ message = "" }) => void told.push(message) },
    )) as CallToolResult;
    expect(told).toEqual(["write: a.txt"]);
    const [answer, named] = saidBy(first).split("\n");
    expect(answer).toBe("It is written.");
    const session = named?.replace("session: ", "") ?? "";
    expect(saidBy(await call("run_task", { task: "Again", session }))).toBe(
      `As I said.\nsession: ${session}`,
    );
    expect(place.logs()).toHaveLength(1);
    expect(place.problems()).toEqual([]);
  });

  it("asks through the client's form", async () => {
    const asked: string[] = [];
    const { place, call } = await taskScene(
      [{ calls: [{ name: "write", input: { path: "a.txt", content: "one" } }] }, { text: "Done." }],
      { args: ["--permission-mode", "ask"], onForm: choose("Yes", asked) },
    );
    expect(saidBy(await call("run_task", { task: "Write it" }))).toContain("Done.");
    expect(asked).toHaveLength(1);
    expect(readFileSync(`${place.cwd}/a.txt`, "utf8")).toBe("one");
  });

  it("without a model says what to do, and the other tools work", async () => {
    const { place, call } = await scene();
    place.file("a.txt", "one");
    expect(saidBy(await call("read", { path: "a.txt" }))).toContain("one");
    await expect(call("run_task", { task: "Write it" })).rejects.toThrow(/no model/i);
  });
});

describe("a client that is not ours", LONG_ONLY, () => {
  it("lists the tools and calls one", async (context) => {
    const folder = freshFolder("inspector");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const got = await shellLine(
      "npm install --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --prefix . @modelcontextprotocol/inspector@2.12.0",
      folder,
    );
    const problem = registryProblem(got);
    if (problem !== undefined) context.skip(problem);
    const place = createWorkplace();
    place.file("a.txt", "one\n");
    const env = { HOME: place.home, INDUS_HOME: place.home };
    const inspector = `"${folder}/node_modules/.bin/mcp-inspector" --cli "${builtCommand()}" mcp serve --method`;
    const listed = await shellLine(`${inspector} tools/list`, place.cwd, env);
    expect(listed).toMatchObject({ ok: true, stdout: expect.stringContaining('"run_task"') });
    const called = await shellLine(
      `${inspector} tools/call --tool-name read --tool-arg path=a.txt`,
      place.cwd,
      env,
    );
    expect(JSON.parse(called.stdout)).toMatchObject({ isError: false });
    expect(called.stdout).toContain("one");
  });
});

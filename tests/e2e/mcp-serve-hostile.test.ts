// Clients of `indus mcp serve` that break the rules, and folders that would make use of it.

import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { createWorkplace, type Workplace, type WorkplaceOptions } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { choose, openMcpScene, saidBy } from "../support/mcp-agent.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { until } from "../support/until.ts";

function askingPlace(): Workplace {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { mode: "ask" } });
  return place;
}

const calls = (place: Workplace) => place.entries().filter(({ type }) => type === "tool");

it("a line that is no message, and a request of another form, are answered with one sentence each", async () => {
  const place = createWorkplace();
  let process: ChildProcess | undefined;
  const ended = place.runAlone(["mcp", "serve"], {
    holdsStdin: true,
    onStart: (started) => {
      process = started;
    },
  });
  let stdout = "";
  process?.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const info = { capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const requests = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", ...info } },
    { id: 2, method: "tools/call", params: { name: 5 } },
    { id: 3, method: "tools/call", params: { name: "read", arguments: [1] } },
    { id: 4, method: "tools/call", params: "x" },
    { id: 5, method: "tools/list", params: { cursor: 5 } },
    { id: 6, method: "initialize", params: {} },
    { id: 7 },
    { jsonrpc: "1.0", id: 8, method: "ping" },
    { id: 9, method: "ping" },
  ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
  process?.stdin?.write(`${["hello", "[]", "5", ...requests].join("\n")}\n`);
  await until(() => stdout.split("\n").length > requests.length);
  process?.stdin?.end();
  const { stderr } = await ended;
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const errors = answers.flatMap(({ id, error }) => (error ? [[id, error.code, error.message]] : []));
  expect(errors.sort(([one], [other]) => one - other)).toEqual([
    [2, -32602, 'Invalid tools/call request: "params.name": expected string, found number'],
    [3, -32602, 'Invalid tools/call request: "params.arguments": expected record, found array'],
    [4, -32600, '"params" must be an object, found "x"'],
    [5, -32602, '"params.cursor": expected string, found number'],
    [
      6,
      -32602,
      '"params.protocolVersion": expected string, found nothing; "params.capabilities": expected object, found nothing; "params.clientInfo": expected object, found nothing',
    ],
    [7, -32600, '"method" must be a string, found nothing'],
    [8, -32600, 'expected "jsonrpc": "2.0", found "1.0"'],
  ]);
  const told = stderr.split("\n").filter((line) => line.startsWith("indus: MCP: "));
  expect(told.slice(0, 3)).toEqual([
    expect.stringMatching(/expected one JSON message per line, found "hello"/),
    expect.stringMatching(/found a batch/),
    expect.stringMatching(/expected an object, found "5"$/),
  ]);
  expect(stdout + stderr).not.toMatch(/invalid_union|"code": "invalid/);
});

it.each(["todo_set", "TodoWrite", "task"])(
  "a tool of a conversation is refused by any of its names: %s",
  async (name) => {
    const { place, agent, call } = await openMcpScene();
    const refused = await call(name, { todos: [] });
    expect(refused.isError).toBe(true);
    expect(saidBy(refused)).toContain("belongs to a conversation");
    await agent.leave();
    expect(calls(place)).toMatchObject([{ name, state: "refused" }]);
  },
);

it("it would run without the guard: the twin", LONG_ONLY, async () => {
  const guard = { file: "conductor/beside/other-calls.ts", guard: "without.has(feature)", instead: "false" };
  const place = createWorkplace(undefined, { command: commandWithout([guard]) });
  const { agent, call } = await openMcpScene({}, place);
  expect(saidBy(await call("todo_set", { todos: [] }))).not.toContain("belongs to a conversation");
  await agent.leave();
  expect(calls(place)).not.toMatchObject([{ state: "refused" }]);
});

it("a client's name is one line of what can be printed, and not longer than one", async () => {
  const name = `\u001b[2J\u001b]0;owned\u0007evil\nagent\u202e<script>${"x".repeat(100_000)}`;
  const { place, agent, call } = await openMcpScene({ name });
  place.file("a.txt", "one\n");
  await call("read", { path: "a.txt" });
  await call("edit", { path: "a.txt", oldText: "one", newText: "two" });
  await agent.leave();
  const [{ by = "" } = {}] = calls(place) as readonly { readonly by?: string }[];
  expect(by.length).toBeLessThanOrEqual(100);
  expect(by).not.toMatch(/[\u0000-\u001f\u202e]/);
  const shown = [(await place.run(["sessions"])).stdout, (await place.run(["blame", "a.txt"])).stdout];
  const written = /^Written: (.*)$/m.exec((await place.run(["export", "--format", "html"])).stdout)?.[1];
  const page = readFileSync(written ?? "", "utf8");
  expect(page).not.toContain("<script>x");
  for (const text of [...shown, page]) {
    expect(text).toContain("evil");
    expect(text).not.toMatch(/\u001b|\u202e/);
  }
});

describe.each([{ form: {} }, {}])("a client of an earlier revision with %j", (elicitation) => {
  const revision = "legacy";

  it("that answers a question with an error is refused, and the next call goes on", async () => {
    let asked = 0;
    const { place, call } = await openMcpScene(
      {
        ...{ revision, elicitation },
        onForm: (params) => {
          if (++asked === 1) throw new Error("no forms today");
          return choose("Yes")(params);
        },
      },
      askingPlace(),
    );
    expect((await call("write", { path: "a.txt", content: "a" })).isError).toBe(true);
    expect((await call("write", { path: "b.txt", content: "b" })).isError).toBe(false);
    expect(existsSync(`${place.cwd}/a.txt`)).toBe(false);
    expect(readFileSync(`${place.cwd}/b.txt`, "utf8")).toBe("b");
  });

  it("that cancels during a question ends the call and has its form taken back, and the next call goes on", async () => {
    const cancel = new AbortController();
    let asked = 0;
    let isTakenBack = false;
    const { place, agent, call } = await openMcpScene(
      {
        ...{ revision, elicitation },
        onForm: (params, takenBack) => {
          if (++asked > 1) return choose("Yes")(params);
          takenBack.addEventListener("abort", () => (isTakenBack = true));
          cancel.abort();
          return new Promise(() => undefined);
        },
      },
      askingPlace(),
    );
    const left = agent.client
      .callTool({ name: "write", arguments: { path: "a.txt", content: "a" } }, { signal: cancel.signal })
      .catch(() => "cancelled");
    expect(await left).toBe("cancelled");
    await until(() => isTakenBack);
    expect((await call("write", { path: "b.txt", content: "b" })).isError).toBe(false);
    expect(existsSync(`${place.cwd}/a.txt`)).toBe(false);
  });
});

it("an answer that no form offered is a no: another number, another spelling, another kind", async () => {
  const answers: (string | number | boolean)[] = ["99", "-1", "0x0", " 0", "0.0", "", 0, true];
  const left = [...answers];
  const { place, call } = await openMcpScene(
    { onForm: () => ({ action: "accept", content: { answer: left.pop() ?? "0" } }) },
    askingPlace(),
  );
  for (const _ of answers) {
    expect((await call("write", { path: "a.txt", content: "a" })).isError).toBe(true);
    expect(existsSync(`${place.cwd}/a.txt`)).toBe(false);
  }
  expect((await call("write", { path: "a.txt", content: "a" })).isError).toBe(false);
});

it("of a thousand calls at once, those beyond 64 are refused at once, and the rest work", async () => {
  const { place, call } = await openMcpScene();
  place.file("a.txt", "one");
  const ends = await Promise.allSettled(Array.from({ length: 1_000 }, () => call("read", { path: "a.txt" })));
  const served = ends.filter((end) => end.status === "fulfilled");
  expect(served.length).toBeGreaterThanOrEqual(64);
  expect(served.every(({ value }) => saidBy(value).includes("one"))).toBe(true);
  for (const end of ends)
    if (end.status === "rejected") expect(String(end.reason)).toContain("64 calls are already running");
  expect(saidBy(await call("read", { path: "a.txt" }))).toContain("one");
});

describe("a task", () => {
  async function taskScene(script: Script, args: readonly string[] = [], options: WorkplaceOptions = {}) {
    const server = await startModelServer(script);
    onTestFinished(server.close);
    const place = createWorkplace(server.url, options);
    return openMcpScene({ args: ["--model", "anthropic/scripted", ...args] }, place);
  }

  it("does not go on in a session that a person began, by its id or a part of it", async () => {
    const { place, call } = await taskScene([{ text: "A secret." }, { text: "Told." }]);
    await place.run(["-p", "--model", "anthropic/scripted", "Remember a secret"]);
    const id = place.logs()[0]?.split("/").at(-1)?.replace(".jsonl", "") ?? "";
    for (const session of [id, id.slice(0, 4), "..", "2"]) {
      const refused = await call("run_task", { task: "Tell me", session });
      expect(refused.isError).toBe(true);
      expect(saidBy(refused)).toContain("this server did not start the session");
    }
  });

  it("would go on there without the guard: the twin", LONG_ONLY, async () => {
    const guard = { file: "parts/mcp/serve/run-task.ts", guard: "!begun.has(session)", instead: "false" };
    const command = commandWithout([guard]);
    const { place, call } = await taskScene([{ text: "A secret." }, { text: "Told." }], [], { command });
    await place.run(["-p", "--model", "anthropic/scripted", "Remember a secret"]);
    const session = place.logs()[0]?.split("/").at(-1)?.replace(".jsonl", "");
    expect(saidBy(await call("run_task", { task: "Tell me", session }))).toBe(`Told.\nsession: ${session}`);
  });

  it("that runs when the client leaves is ended and its log is whole", async () => {
    const { place, agent, call } = await taskScene(
      [{ calls: [{ name: "bash", input: { command: "echo $$ > pid; exec tail -f /dev/null" } }] }],
      ["--permission-mode", "bypass", "--sandbox", "off"],
    );
    const waiting = call("run_task", { task: "Wait" }).catch(() => "gone");
    const pid = (): string =>
      existsSync(`${place.cwd}/pid`) ? readFileSync(`${place.cwd}/pid`, "utf8") : "";
    await until(() => pid().endsWith("\n"));
    expect((await agent.leave()).code).toBe(0);
    expect(isRunning(Number(pid()))).toBe(false);
    await waiting;
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });
});

it("secrets in arguments are hidden in the log and in what is told", async () => {
  const place = createWorkplace();
  const secret = ["sk", "ant", "api03", "2f9c81e7d64b4a0c9b7e"].join("-");
  const { agent, call } = await openMcpScene({ env: { MY_API_KEY: secret } }, place);
  const said: CallToolResult = await call("bash", { command: `echo ${secret}` });
  expect(saidBy(said)).not.toContain(secret);
  await agent.leave();
  expect(readFileSync(place.logs().at(-1) ?? "", "utf8")).not.toContain(secret);
});

// The process examples: they conform, and do what they say, spoken to by the host's own end of the protocol.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "indusagi/core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS, type Peer } from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { createPeer } from "../../packages/induscode/src/addons/process/protocol/peer.ts";
import { LONG_ONLY } from "../../tests/support/long-form.ts";
import { isInstalled, lacks } from "../../tests/support/needs.ts";
import { describeParams, HOST_RANGE } from "./checks.ts";
import { runConformance } from "./conformance.ts";
import type { ProgramUnderTest } from "./contract.ts";
import { readProgram } from "./read-program.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/addons");
const signal = AbortSignal.timeout(60_000);

/** The addon with the host's end, and what it reported to the person. */
async function start({ argv: [command = "", ...args], cwd }: ProgramUnderTest) {
  const child = spawn(command, args, { cwd, env: {}, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told: string[] = [];
  const peer = createPeer({
    limits: DEFAULT_LIMITS,
    write: (line) => child.stdin.write(line),
    handle: (method, params) => {
      told.push(`${method}: ${(params as JsonObject).text}`);
      return {};
    },
    onBreach: (breach) => expect.unreachable(breach.message),
  });
  child.stdout.on("data", (chunk: Buffer) => peer.receive(chunk));
  const registration = await peer.request("describe", describeParams(HOST_RANGE), { signal });
  const runCommand = (name: string, text: string) =>
    peer.request("command", { name, args: text, cwd: "/ws" }, { signal });
  return { peer, told, registration, command: runCommand };
}

async function failuresOf(program: ProgramUnderTest): Promise<readonly string[]> {
  const { results } = await runConformance(program, { times: 30 });
  return results.flatMap(({ name, outcome, detail }) => (outcome === "failed" ? [`${name}: ${detail}`] : []));
}

describe("examples/addons/call-budget (a shell script)", () => {
  let program: ProgramUnderTest;
  beforeAll(async () => {
    program = await readProgram(join(EXAMPLES, "call-budget"));
  });

  const event = (peer: Peer, handler: number, payload: JsonObject) =>
    peer.request(
      "event",
      { handler, event: handler === 0 ? "turn:start" : "tool:before", payload },
      { signal },
    );
  const call = (peer: Peer, args: JsonObject = { command: "ls" }) =>
    event(peer, 1, { name: "bash", callId: "c", args });

  it("conforms", async () => {
    expect(await failuresOf(program)).toEqual([]);
  });

  it("stops what exceeds the budget, says so once, and begins anew with the next turn", async () => {
    const { peer, told, command } = await start(program);
    await command("budget", "2");
    expect([await call(peer), await call(peer)]).toEqual([{}, {}]);
    const stop = { stop: true, reason: expect.stringContaining("has used its 2 tool calls") };
    expect([await call(peer), await call(peer)]).toEqual([stop, stop]);
    await event(peer, 0, { sessionId: "s" });
    expect(await call(peer)).toEqual({});
    await command("budget", "");
    await command("budget", 'lots"');
    await command("budget", "999999999999");
    expect(told).toEqual([
      "progress: from now on a turn may make 2 tool calls",
      "alert: the turn has used its 2 tool calls",
      "progress: a turn may make 2 tool calls; this one has made 1",
      "progress: /budget takes a number, as in /budget 50",
      "progress: /budget takes a number, as in /budget 50",
    ]);
  });

  it("is not fooled by a tool call whose arguments look like the protocol", async () => {
    const { peer, command } = await start(program);
    await command("budget", "1");
    await call(peer);
    const forged = {
      params: { handler: 0, event: "turn:start" },
      id: 9,
      method: "dispose",
      text: '"params":{"handler":0,',
    };
    expect(await call(peer, forged)).toMatchObject({ stop: true });
    expect(await call(peer)).toMatchObject({ stop: true });
  });

  it.skipIf(lacks("strace", isInstalled("strace")))(
    "starts no process, so that it runs where it may start none",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "indus-trace-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const trace = join(folder, "trace");
      const lines = [
        { id: 1, method: "describe", params: describeParams(HOST_RANGE) },
        {
          id: 2,
          method: "event",
          params: { handler: 1, event: "tool:before", payload: { name: "bash", callId: "c", args: {} } },
        },
        { id: 3, method: "command", params: { name: "budget", args: "0", cwd: "/" } },
        {
          id: 4,
          method: "event",
          params: { handler: 1, event: "tool:before", payload: { name: "bash", callId: "c", args: {} } },
        },
        { id: 5, method: "nothing", params: {} },
        { id: 6, method: "dispose", params: {} },
      ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const calls = "clone,clone3,fork,vfork,execve";
      const run = (script: readonly string[], input: string) =>
        spawnSync("strace", ["-f", "-e", `trace=${calls}`, "-o", trace, ...script], {
          input,
          encoding: "utf8",
        });
      const { stdout } = run(program.argv, lines.join(""));
      expect(stdout.split("\n")).toHaveLength(lines.length + 2); // an answer each, and the alert
      const started = () => readFileSync(trace, "utf8").match(/\b(?:clone3?|v?fork|execve)\(/g)?.length;
      expect(started()).toBe(1); // the execve that started the script itself
      run(["/bin/sh", "-c", "echo $(true)"], ""); // the twin: a script that does start one
      expect(started()).toBeGreaterThan(1);
    },
  );
});

it("the template of a process addon conforms", LONG_ONLY, async () => {
  const templates = join(import.meta.dirname, "../../packages/induscode/assets/addon-templates");
  expect(await failuresOf(await readProgram(join(templates, "process/my-addon")))).toEqual([]);
});

describe.skipIf(lacks("C++", isInstalled("c++")))("examples/addons/dry-run (C++)", LONG_ONLY, () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-dry-run-"));
  let program: ProgramUnderTest;
  beforeAll(async () => {
    cpSync(join(EXAMPLES, "dry-run"), folder, { recursive: true });
    const { status, stderr } = spawnSync(join(folder, "build.sh"), { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    program = await readProgram(folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("conforms", async () => {
    expect(await failuresOf(program)).toEqual([]);
  });

  it("holds back what could change something while it is on, and tells what", async () => {
    const { peer, told, command } = await start(program);
    const enter = (tool: string, args: JsonObject) =>
      peer.request("enter", { interceptor: 0, tool, callId: "c", args }, { signal });
    const edit = { path: 'sub/\u{1f600}\u2028 "x".ts', edits: [[], [1.5e3, null, true], {}] };
    expect(await enter("edit", edit)).toEqual({});
    await command("dry-run", "on");
    expect(await enter("read", edit)).toEqual({});
    expect(await enter("edit", edit)).toMatchObject({
      stop: true,
      reason: expect.stringMatching(/^dry run: edit was not/),
    });
    expect(await enter("bash", { command: "make\nrm -rf build" })).toMatchObject({ stop: true });
    await command("dry-run", "off");
    expect(await enter("bash", { command: "make" })).toEqual({});
    expect(told).toEqual([
      "progress: dry run: what could change something is held back until /dry-run off",
      "progress: tool calls run again; held back: 2",
      'progress:   edit sub/\u{1f600}\u2028 "x".ts',
      "progress:   bash make",
    ]);
  });

  it("refuses a line that is no JSON, and lives", async () => {
    const bad = [
      "{",
      "[1,]",
      '{"a":"\\u12"}',
      "nul",
      '{"a":1}x',
      "[".repeat(5_000),
      '"\u0001"',
      "1e999",
      "-",
      '{"id":1.5,"method":"x"}',
    ];
    const [command = "", ...args] = program.argv;
    const { stdout, status } = spawnSync(command, args, { input: `${bad.join("\n")}\n`, encoding: "utf8" });
    const codes = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { error: { code: number } }).error.code);
    expect(codes).toEqual([...Array(9).fill(-32700), -32601]);
    expect(status).toBe(0);
  });
});

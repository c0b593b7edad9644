// The examples of this folder's two kinds do what their pages say, and the built module matches its source.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, sourceAt } from "../../../../../tests/support/test-folder.ts";
import {
  DESCRIBE,
  type Message,
  startProgram,
  type TestRunner,
} from "../../../../../tests/support/test-runner.ts";
import { readManifest } from "../kinds/declarative-loader.ts";
import { describeModule } from "../kinds/module.ts";
import { describeWasm } from "../kinds/wasm.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const isNamed =
  (method: string) =>
  (message: Message): boolean =>
    message.method === method;
const toolCall = (name: string, args: object): object => ({
  handler: 0,
  event: "tool:before",
  payload: { name, callId: "c", args },
});

describe("careful-shell", () => {
  async function start(): Promise<TestRunner> {
    const path = join(root, "examples/addons/careful-shell.ts");
    const addon = await describeModule(
      { ...sourceAt(path), root: path },
      { home: createFolder(), compiler: TEST_COMPILER },
    );
    expect(addon).toMatchObject({ version: "1.0.0", capabilities: [{ required: false }], warnings: [] });
    const runner = startProgram(await addon.program({ hash: "", grants: [] }));
    expect(await runner.request("describe", DESCRIBE)).toMatchObject({
      result: {
        id: "careful-shell",
        handlers: [{ event: "tool:before", kind: "gate" }],
        interceptors: [{ match: "bash", enter: true }],
        commands: [{ name: "standup" }],
        tools: [{ name: "clock" }],
      },
    });
    return runner;
  }

  test("its gate stops a forced push, and nothing else", async () => {
    const runner = await start();
    const gate = async (name: string, args: object): Promise<unknown> =>
      (await runner.request("event", toolCall(name, args))).result;
    expect(await gate("bash", { command: "cd x && git push origin --force" })).toMatchObject({ stop: true });
    expect(await gate("bash", { command: "git push -f" })).toMatchObject({ stop: true });
    expect(await gate("bash", { command: "git push origin main" })).toEqual({});
    expect(await gate("write", { command: "git push --force" })).toEqual({});
    expect(await gate("bash", {})).toEqual({});
  });

  test("its interceptor keeps install scripts from running", async () => {
    const runner = await start();
    const enter = async (command: string): Promise<unknown> =>
      (
        await runner.request("enter", {
          interceptor: 0,
          tool: "bash",
          callId: "c",
          args: { command, cwd: "x" },
        })
      ).result;
    expect(await enter("npm ci")).toEqual({ args: { command: "npm ci --ignore-scripts", cwd: "x" } });
    expect(await enter("npm install --ignore-scripts left-pad")).toEqual({});
    expect(await enter("npm test")).toEqual({});
  });

  test("its tool tells the time, its command what was committed", async () => {
    const runner = await start();
    const { result } = await runner.request("tool", { name: "clock", callId: "c", args: {}, cwd: "/" });
    const [{ text }] = (result as { content: [{ text: string }] }).content;
    expect(Math.abs(Date.parse(text) - Date.now())).toBeLessThan(60_000);
    const id = runner.send("command", { name: "standup", args: "monday", cwd: "/" });
    const asked = await runner.message(isNamed("exec"));
    expect(asked.params).toEqual({ command: "git log --oneline --all", args: ["--since=monday"] });
    runner.write(
      JSON.stringify({
        jsonrpc: "2.0",
        id: asked.id,
        result: { stdout: "1a2b done\n", stderr: "", code: 0 },
      }),
    );
    expect(await runner.answerTo(id)).toMatchObject({ result: {} });
    expect(runner.messages.find(isNamed("progress"))).toMatchObject({ params: { id, text: "1a2b done" } });
  });
});

describe("secret-scan", () => {
  const folder = join(root, "examples/addons/secret-scan");

  async function start(): Promise<TestRunner> {
    const source = { ...sourceAt(folder), root: folder };
    const { descriptor, warnings } = await readManifest(source);
    expect(warnings).toEqual([]);
    const addon = await describeWasm(source, descriptor);
    const runner = startProgram(await addon.program({ hash: "", grants: [] }));
    expect(await runner.request("describe", DESCRIBE)).toMatchObject({ result: { protocol: 1 } });
    return runner;
  }

  const KEY = `AKIA${"A1".repeat(8)}`;

  test("its gates stop what looks like a secret, in a call and in a line", async () => {
    const runner = await start();
    const stops = async (params: object): Promise<unknown> => (await runner.request("event", params)).result;
    expect(await stops(toolCall("write", { text: `a "quoted" \\ ${KEY}` }))).toEqual({
      stop: true,
      reason: "the arguments of write hold what looks like an access key of AWS",
    });
    expect(
      await stops({ handler: 1, event: "input:submit", payload: { text: `use ghp_${"x".repeat(36)}` } }),
    ).toEqual({
      stop: true,
      reason: "your line holds what looks like a token of GitHub",
    });
    expect(
      await stops(toolCall("write", { text: "AKIA is a prefix, AKIA123 is too short, ünïcode 🎉 too" })),
    ).toEqual({});
    expect(
      await stops(
        toolCall("write", { deep: { nested: ["}", { "]": `-----BEGIN RSA ${"PRIVATE"} KEY-----` }] } }),
      ),
    ).toMatchObject({ stop: true });
  });

  test("two thousand calls, and forty large ones, do not use up its 16 MB", LONG_ONLY, async () => {
    const runner = await start();
    const large = toolCall("write", { text: "x".repeat(500_000) });
    for (let at = 0; at < 40; at += 1)
      expect(await runner.request("event", large)).toMatchObject({ result: {} });
    const ids = Array.from({ length: 2_000 }, () => runner.send("event", toolCall("read", { path: "a" })));
    expect(await runner.answerTo(ids.at(-1) ?? 0)).toMatchObject({ result: {} });
  });

  test("its command looks into a file through the host", async () => {
    const runner = await start();
    const scan = async (answer: object): Promise<Message> => {
      const seen = runner.messages.length;
      const id = runner.send("command", { name: "scan-secrets", args: "a b.txt", cwd: "/" });
      const asked = await runner.message(
        (each) => each.method === "readFile" && runner.messages.indexOf(each) >= seen,
      );
      expect(asked.params).toEqual({ path: "a b.txt" });
      runner.write(JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...answer }));
      return runner.answerTo(id);
    };
    expect(await scan({ result: { text: KEY } })).toMatchObject({ result: {} });
    expect(await scan({ error: { code: -32001, message: "no grant" } })).toMatchObject({
      error: { message: "no grant" },
    });
    expect(runner.messages.filter(isNamed("progress"))).toMatchObject([
      { params: { text: "a b.txt holds what looks like an access key of AWS" } },
    ]);
  });

  test("the committed module is, byte for byte, what its source makes", LONG_ONLY, () => {
    const fresh = createFolder();
    const built = spawnSync(process.execPath, ["scripts/build-wasm.mjs", fresh], {
      cwd: root,
      encoding: "utf8",
    });
    expect(built).toMatchObject({ status: 0, stderr: "" });
    const bytes = readFileSync(join(fresh, "secret-scan.wasm"));
    expect(bytes.equals(readFileSync(join(folder, "secret-scan.wasm")))).toBe(true);
  });
});

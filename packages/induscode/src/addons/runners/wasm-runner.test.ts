// The WebAssembly runner over real pipes: its calls, the host's answers, traps, limits.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFolder, sourceAt } from "../../../../../tests/support/test-folder.ts";
import {
  DESCRIBE,
  type Message,
  startProgram,
  type TestRunner,
} from "../../../../../tests/support/test-runner.ts";
import { compileReply } from "../../../../../tests/support/test-wasm.ts";
import { goesOnHolding } from "../../../../../tests/support/until.ts";
import { describeWasm } from "../kinds/wasm.ts";
import { parseManifest } from "../source/manifest.ts";

const MANIFEST = `id = "w"\nversion = "1"\n[run]\nwasm = "w.wasm"\n`;

function folderOf(bytes: Uint8Array): string {
  const folder = createFolder({ "manifest.toml": MANIFEST });
  writeFileSync(join(folder, "w.wasm"), bytes);
  return folder;
}

async function start(bytes: Uint8Array, manifest: string = MANIFEST): Promise<TestRunner> {
  const folder = folderOf(bytes);
  const { descriptor } = await parseManifest(manifest, "manifest.toml");
  const addon = await describeWasm({ ...sourceAt(folder), root: folder }, descriptor);
  return startProgram(await addon.program({ hash: "", grants: [] }));
}

const startReply = async (reply: string): Promise<TestRunner> => start(await compileReply(reply));
const isNamed =
  (method: string) =>
  (message: Message): boolean =>
    message.method === method;
const COMMAND = { name: "c", args: "", cwd: "/" };
const EVENT = { handler: 0, event: "tool:before", payload: { text: "grüße" } };

test("a call is acknowledged, handed over as it came, and answered in one line", async () => {
  const runner = await startReply(`return result(message, '{\\n "seen": ' + message + "}");`);
  const { result } = await runner.request("describe", DESCRIBE);
  expect(result).toEqual({ seen: { jsonrpc: "2.0", id: 1, method: "describe", params: DESCRIBE } });
  expect(await runner.request("event", EVENT)).toMatchObject({ result: { seen: { params: EVENT } } });
  expect(runner.messages.map(({ method, id }) => method ?? id)).toEqual(["ack", 1, "ack", 2]);
});

test("what the module keeps in memory is there in the next call", async () => {
  const runner = await startReply(
    `count++; return result(message, count.toString()); } let count = 0; function unused(): void {`,
  );
  const answers = [
    await runner.request("event", EVENT),
    await runner.request("event", EVENT),
    await runner.request("event", EVENT),
  ];
  expect(answers.map(({ result }) => result)).toEqual([1, 2, 3]);
});

describe("host_call", () => {
  const ASK = `return result(message, call('{"jsonrpc":"2.0","id":"mine","method":"readFile","params":{"path":"ü"}}'));`;

  test("a request waits for the host's answer, under the module's own id", async () => {
    const runner = await startReply(ASK);
    const id = runner.send("command", COMMAND);
    const asked = await runner.message(isNamed("readFile"));
    expect(asked).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "readFile",
      during: id,
      params: { path: "ü" },
    });
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "ok" } }));
    expect(await runner.answerTo(id)).toMatchObject({ result: { id: "mine", result: { text: "ok" } } });
  });

  test("a refused request waits for the host's answer as well", async () => {
    const runner = await startReply(ASK);
    const id = runner.send("command", COMMAND);
    await runner.message(isNamed("readFile"));
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32001, message: "no" } }));
    expect(await runner.answerTo(id)).toMatchObject({
      result: { id: "mine", error: { code: -32001, message: "no" } },
    });
  });

  test("a notification goes out, and nothing comes back", async () => {
    const runner = await startReply(
      `const answer = call('{"jsonrpc":"2.0","method":"log","params":{"text":"l"}}'); return result(message, answer.length.toString());`,
    );
    expect(await runner.request("event", EVENT)).toMatchObject({ result: 0 });
    expect(runner.messages.find(isNamed("log"))).toEqual({
      jsonrpc: "2.0",
      method: "log",
      params: { text: "l" },
    });
  });

  test("what comes while it waits is acknowledged, kept in order, and can be cancelled", async () => {
    const runner = await startReply(
      `if (message.includes('"method":"event"')) return result(message, '"event"'); ${ASK}`,
    );
    const command = runner.send("command", COMMAND);
    await runner.message(isNamed("readFile"));
    const [first, second, third] = [
      runner.send("event", EVENT),
      runner.send("event", EVENT),
      runner.send("event", EVENT),
    ];
    await runner.message(({ method, params }) => method === "ack" && (params as { id: number }).id === third);
    runner.notify("cancel", { id: second });
    expect(await runner.answerTo(second)).toMatchObject({ error: { code: -32800 } });
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: 99, result: {} }));
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
    await runner.answerTo(third);
    const answered = runner.messages.filter(({ method }) => method === undefined).map(({ id }) => id);
    expect(answered).toEqual([second, command, first, third]);
  });

  test("a cancelled call is told while it waits for the host", async () => {
    const runner = await startReply(ASK);
    const id = runner.send("command", COMMAND);
    await runner.message(isNamed("readFile"));
    runner.notify("cancel", { id });
    expect(await runner.answerTo(id)).toMatchObject({ error: { code: -32800 } });
    // The answer comes too late, and nobody waits for it.
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
    runner.send("command", COMMAND);
    expect(
      await runner.message((message) => message.method === "readFile" && message.id === 2),
    ).toBeDefined();
  });

  test("a host call that is no message of the protocol fails the call", async () => {
    const runner = await startReply(`call("nonsense"); return 0;`);
    expect(await runner.request("event", EVENT)).toMatchObject({
      error: {
        code: -32603,
        message: "host_call takes one JSON-RPC 2.0 request or notification, got something else",
      },
    });
  });
});

describe("a module that fails", () => {
  test.each([
    ["traps", `unreachable(); return 0;`, /^the module trapped: unreachable$/],
    [
      "runs its stack over",
      `return deep(1); } function deep(n: u64): u64 { return deep(n + 1) + 1;`,
      /^the module trapped: /,
    ],
    ["uses more than its memory", `while (heap.alloc(60000) != 0) {} return 0;`, /^the module trapped: /],
    [
      "answers with what lies outside its memory",
      `return <u64>0xffffffff00000010;`,
      /^it passed 16 bytes at 4294967295, beyond its memory of \d+$/,
    ],
    [
      "answers with more than a message",
      `return <u64>0x00000001ffffffff;`,
      /^it passed 4294967295 bytes; at most 8388608 are accepted$/,
    ],
    ["answers nothing", `return 0;`, /^the module did not answer event$/],
    [
      "answers no JSON",
      `return pack("nonsense");`,
      /^the module's answer is not a JSON-RPC 2\.0 answer with the id 1$/,
    ],
    [
      "answers another call",
      `return pack('{"jsonrpc":"2.0","id":4711,"result":{}}');`,
      /^the module's answer is not a JSON-RPC/,
    ],
  ])("because it %s: the answer says so, and the process lives", async (_, reply, message) => {
    const runner = await startReply(reply);
    expect(await runner.request("event", EVENT)).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(message) },
    });
    expect(await runner.request("dispose")).toMatchObject({ result: {} });
  });

  test("with an error of its own has that error passed on", async () => {
    const runner = await startReply(
      `return pack('{"jsonrpc":"2.0","id":' + idOf(message) + ',"error":{"code":-32602,"message":"mine"}}');`,
    );
    expect(await runner.request("event", EVENT)).toMatchObject({ error: { code: -32602, message: "mine" } });
  });
});

describe("the process", () => {
  test("checks the module itself, for the file may have changed since", async () => {
    const folder = folderOf(await compileReply("return 0;"));
    const { descriptor } = await parseManifest(MANIFEST, "manifest.toml");
    const addon = await describeWasm({ ...sourceAt(folder), root: folder }, descriptor);
    writeFileSync(join(folder, "w.wasm"), await compileReply("return 0;", []));
    const runner = startProgram(await addon.program({ hash: "", grants: [] }));
    expect(await runner.request("describe", DESCRIBE)).toMatchObject({
      error: { message: expect.stringContaining("its memory has no maximum"), data: { kind: "load" } },
    });
  });

  test("ends with dispose and with its input", async () => {
    const one = await startReply("return 0;");
    expect(await one.request("dispose")).toMatchObject({ result: {} });
    expect(await one.ended).toEqual({ code: 0, signal: null });
    const other = await startReply("return 0;");
    await other.request("event", EVENT);
    other.end();
    expect(await other.ended).toEqual({ code: 0, signal: null });
  });

  test("answers a line that is no message with an error, and goes on", async () => {
    const runner = await startReply(`return result(message, "1");`);
    runner.write("{nonsense");
    runner.write("17");
    expect(await runner.request("event", EVENT)).toMatchObject({ result: 1 });
    expect(runner.messages.slice(0, 2)).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  test("an endless loop ends with the process, which is the host's to end", async () => {
    const runner = await startReply(`while (true) {}`);
    const id = runner.send("event", EVENT);
    await runner.message(isNamed("ack"));
    runner.notify("cancel", { id });
    await goesOnHolding(() => expect(runner.messages.some((message) => message.id === id)).toBe(false));
    runner.kill();
    expect(await runner.ended).toEqual({ code: null, signal: "SIGKILL" });
  });
});

describe("describeWasm", () => {
  const bytes = compileReply("return 0;");

  test("says what is known before anything runs", async () => {
    const folder = folderOf(await bytes);
    const { descriptor } = await parseManifest(`${MANIFEST}memory-mb = 16`, "manifest.toml");
    const addon = await describeWasm({ ...sourceAt(folder), root: folder }, descriptor);
    expect(addon).toMatchObject({
      runtime: "wasm",
      id: "w",
      hasDeclaredId: true,
      version: "1",
      capabilities: [],
      warnings: [],
    });
    expect(addon.runs).toBe(`the WebAssembly module ${folder}/w.wasm`);
    const program = await addon.program({ hash: "", grants: [] });
    expect(program.argv.at(-1)).toBe("256");
    expect(program.maxMemoryBytes).toBe((16 + 256) * 1024 * 1024);
    expect(program.readable).not.toContain(folder);
  });

  test.each([
    ["a module that cannot be used", `${MANIFEST}memory-mb = 16`, [], /its memory has no maximum/],
    [
      "more memory than a module may have",
      `${MANIFEST}memory-mb = 2048`,
      undefined,
      /"memory-mb" of a WebAssembly module may be at most 1024, got 2048/,
    ],
    ["an entry that leads out", MANIFEST.replace("w.wasm", "../w.wasm"), undefined, /cannot be used/],
    [
      "a manifest of another kind",
      `id = "w"\n[run]\nmodule = "a.js"`,
      undefined,
      /its manifest has no \[run\] wasm/,
    ],
  ])("refuses %s", async (_, manifest, options, message) => {
    const folder = folderOf(options ? await compileReply("return 0;", options) : await bytes);
    const { descriptor } = await parseManifest(manifest, "manifest.toml");
    await expect(describeWasm({ ...sourceAt(folder), root: folder }, descriptor)).rejects.toThrow(message);
  });
});

// The module runner over real pipes: every method, what is printed, what fails, how it ends.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, sourceAt } from "../../../../../tests/support/test-folder.ts";
import {
  DESCRIBE,
  type Message,
  startProgram,
  type TestRunner,
} from "../../../../../tests/support/test-runner.ts";
import { describeModule } from "../kinds/module.ts";
import type { CommandContext, HandlerContext, ToolRunContext } from "../kit/index.ts";
import { DEFAULT_LIMITS } from "../process/protocol/contract.ts";

/** Starts a single-file addon. */
async function start(text: string, name = "addon.ts"): Promise<TestRunner> {
  const path = join(createFolder({ [name]: text }), name);
  const addon = await describeModule(
    { ...sourceAt(path), root: path },
    { home: createFolder(), compiler: TEST_COMPILER },
  );
  return startProgram(await addon.program({ hash: "", grants: [] }));
}

/** Like {@link start}, and the addon has registered. */
async function registered(text: string, name?: string): Promise<TestRunner> {
  const runner = await start(text, name);
  expect(await runner.request("describe", DESCRIBE)).toHaveProperty("result");
  return runner;
}

const isNamed =
  (method: string) =>
  (message: Message): boolean =>
    message.method === method;

/** What was sent under these names, in order. */
function sent({ messages }: TestRunner, ...methods: readonly string[]): readonly unknown[] {
  return messages.flatMap(({ method, params }) =>
    methods.includes(String(method)) ? [[method, params]] : [],
  );
}

const ok = (id: number, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result });
const EVENT = { handler: 0, event: "tool:before", payload: { name: "bash", callId: "c", args: { a: 1 } } };
const COMMAND = { name: "go", args: " now ", cwd: "/workspace" };

describe("describe", () => {
  test("answers what an addon registered, in its order", async () => {
    const runner = await start(`
      import { type AddonSurface, gate, observe, stop } from "induscode/addons";
      export const id = "mine";
      export const version = "1.2.3";
      export function register(surface: AddonSurface): void {
        surface.on("tool:before", gate(() => stop("no"), { onFailure: "block" }));
        surface.on("session:start", observe(() => {}));
        surface.interceptTool("bash", { enter: () => undefined });
        surface.addCommand("hello", { summary: "says hi", argumentHint: "[name]", run() {} });
        surface.addTool({ name: "t", description: "d", parameters: { type: "object" }, run: () => "x" });
        surface.addTask({ id: "k", description: "watches", activation: "onDemand", graceMs: 5, run() {} });
      }`);
    const { result } = await runner.request("describe", DESCRIBE);
    expect(result).toEqual({
      protocol: 1,
      id: "mine",
      version: "1.2.3",
      handlers: [
        { event: "tool:before", kind: "gate", onFailure: "block" },
        { event: "session:start", kind: "observe" },
      ],
      interceptors: [{ match: "bash", enter: true, exit: false }],
      commands: [{ name: "hello", summary: "says hi", argumentHint: "[name]" }],
      tools: [{ name: "t", description: "d", parameters: { type: "object" } }],
      tasks: [{ id: "k", description: "watches", activation: "onDemand", graceMs: 5 }],
    });
    expect(runner.messages[0]).toEqual({ jsonrpc: "2.0", method: "ack", params: { id: 1 } });
  });

  const body = `surface.addCommand("c", { summary: "s", run() {} });`;
  test.each(
    rows(
      [
        ["a named register", "a.js", `export function register(surface) { ${body} }`, {}],
        ["an asynchronous one", "a.js", `export async function register(surface) { await 1; ${body} }`, {}],
        [
          "a default function",
          "a.mjs",
          `export default (surface) => { ${body} };\nexport const id = "x";`,
          { id: "x" },
        ],
        [
          "a default object, its register a method",
          "a.js",
          `export default { id: "x", version: "2", register(surface) { if (this.id !== "x") throw 1; ${body} } };`,
          { id: "x", version: "2" },
        ],
        [
          "an object called manifest",
          "a.js",
          `export const manifest = { id: "x", register(surface) { ${body} } };`,
          { id: "x" },
        ],
        [
          "CommonJS",
          "a.cjs",
          `module.exports = { version: "3", register(surface) { ${body} } };`,
          { version: "3" },
        ],
        [
          "CommonJS in TypeScript",
          "a.cts",
          `export = { id: "x", register(surface: any) { ${body} } };`,
          { id: "x" },
        ],
        [
          "on_failure, as Python addons spell it",
          "a.js",
          `export const on_failure = "block";\nexport const register = (surface) => { ${body} };`,
          { onFailure: "block" },
        ],
        [
          "what is no text as id and version",
          "a.js",
          `export const id = 5, version = {};\nexport const register = (surface) => { ${body} };`,
          {},
        ],
      ],
      theFirst,
    ),
  )("takes %s", async (_, name, text, named) => {
    const runner = await start(text, name);
    const { result } = await runner.request("describe", DESCRIBE);
    const commands = [{ name: "c", summary: "s" }];
    const none = { handlers: [], interceptors: [], tools: [], tasks: [] };
    expect(result).toEqual({ protocol: 1, ...named, ...none, commands });
  });

  test.each(
    rows(
      [
        ["an import that throws", `throw new Error("boom");`, "load", /^boom \(a\.mjs, line 1\)$/],
        ["JavaScript that is none", `export function (`, "load", /./],
        [
          "a module without register",
          `export const a = 1, b = 2;`,
          "load",
          /it exports no register: .*; it exports a, b$/,
        ],
        [
          "a register that throws",
          `export function register() { throw new Error("boom"); }`,
          "register",
          /^boom \(a\.mjs, line 1\)$/,
        ],
        [
          "one that throws no error",
          `export function register() { throw { toString() { throw 1; } }; }`,
          "register",
          /^a thrown object$/,
        ],
        [
          "one that rejects",
          `export async function register() { throw new Error("later"); }`,
          "register",
          /^later \(a\.mjs, line 1\)$/,
        ],
        [
          "a gate with a misspelt option",
          `import { gate } from "induscode/addons";\nexport const register = (s) => s.on("tool:before", gate(() => {}, { on_failure: "block" }));`,
          "register",
          /^gate: "on_failure" is not an option; expected onFailure \(a\.mjs, line 2\)$/,
        ],
        [
          "a rejection that nothing handles while it registers",
          `export async function register() { Promise.reject(new Error("boom")); await new Promise(() => {}); }`,
          "register",
          /^an unhandled rejection: boom/,
        ],
        [
          "a timer that throws while it registers",
          `export async function register() { setTimeout(() => { throw new Error("boom"); }); await new Promise(() => {}); }`,
          "register",
          /^an uncaught error: boom/,
        ],
      ],
      theFirst,
    ),
  )("answers %s with an error that says which step failed", async (_, text, kind, message) => {
    const runner = await start(text, "a.mjs");
    const { error } = await runner.request("describe", DESCRIBE);
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(message), data: { kind } });
  });

  test.each(
    rows(
      [
        [
          "an event that is none",
          `s.on("tool:never", () => {})`,
          { kind: "hook", name: "tool:never" },
          /^on: the event must be one of session:start, .*; got "tool:never" \(a\.mjs, line 1\)$/,
        ],
        [
          "a handler that is a bare function",
          `s.on("tool:before", () => {})`,
          { kind: "hook", name: "tool:before" },
          /^on\("tool:before"\): the handler must be made by observe\(run\), transform\(run\) or gate\(run\); got a function \(a\.mjs, line 1\)$/,
        ],
        [
          "a gate that fails in a way that is none",
          `s.on("tool:before", { kind: "gate", run() {}, onFailure: "blok" })`,
          { kind: "hook", name: "tool:before" },
          /^on\("tool:before"\): onFailure of a gate must be "allow" or "block"; got "blok" /,
        ],
        [
          "a command without summary",
          `s.addCommand("c", { run() {} })`,
          { kind: "command", name: "c" },
          /^addCommand\("c"\): it takes \{ summary, run \}/,
        ],
        [
          "a tool without schema",
          `s.addTool({ name: "t", description: "d", run() {} })`,
          { kind: "tool", name: "t" },
          /^addTool\("t"\): /,
        ],
        [
          "a tool whose fields throw",
          `s.addTool({ name: "t", get parameters() { throw new Error("mine"); } })`,
          { kind: "tool", name: "t" },
          /^mine \(a\.mjs, line 1\)$/,
        ],
        [
          "a tool that holds itself",
          `const o = {}; o.o = o; s.addTool({ name: "t", description: "d", parameters: o, run() {} })`,
          { kind: "tool", name: "t" },
          /^it cannot be sent: it contains itself, or is nested more than 190 levels deep$/,
        ],
        [
          "a tool with a function in its schema",
          `s.addTool({ name: "t", description: "d", parameters: { parse() {} }, run() {} })`,
          { kind: "tool", name: "t" },
          /^it cannot be sent: parameters\/parse is a function, which JSON does not have$/,
        ],
        [
          "a tool that a message has no room for",
          `s.addTool({ name: "t", description: "d", parameters: { x: Array(99_000).fill({}) }, run() {} })`,
          { kind: "tool", name: "t" },
          /^it cannot be sent: with it, what the addon registers would be too large for one message$/,
        ],
        [
          "a task with a number that JSON lacks",
          `s.addTask({ id: "k", description: "d", graceMs: 1n, run() {} })`,
          { kind: "task", name: "k" },
          /^it cannot be sent: graceMs is a bigint, which JSON does not have$/,
        ],
        [
          "a task without id",
          `s.addTask({ description: "d", run() {} })`,
          { kind: "task", name: "without a name" },
          /^addTask: the id must be a non-empty string, got nothing \(a\.mjs, line 1\)$/,
        ],
        [
          "a stage without halves",
          `s.interceptTool("bash", {})`,
          { kind: "hook", name: "intercept:bash" },
          /^interceptTool\("bash"\): the stage must have a function enter, exit or both; got an object with no fields \(a\.mjs, line 1\)$/,
        ],
      ],
      theFirst,
    ),
  )("leaves out %s, by name, and nothing else", async (_, call, part, reason) => {
    const text = `export const register = (s) => { ${call}; s.addCommand("go", { summary: "s", run() {} }); };`;
    const runner = await start(text, "a.mjs");
    const { result } = await runner.request("describe", DESCRIBE);
    expect(result).toMatchObject({
      commands: [{ name: "go", summary: "s" }],
      tools: [],
      handlers: [],
      skipped: [{ ...part, reason: expect.stringMatching(reason) }],
    });
  });

  test("names the author's own line in the stack of compiled TypeScript", async () => {
    const runner = await start(
      `interface Padding {\n  a: string;\n}\nexport function register(): void {\n  throw new Error("here");\n}`,
    );
    const { error } = await runner.request("describe", DESCRIBE);
    expect(error).toHaveProperty("data.stack", expect.stringMatching(/addon\.ts:5:9/));
  });

  test("refuses a host of another protocol, a second describe and a call before it", async () => {
    const runner = await start(`export function register() {}`, "a.mjs");
    expect(await runner.request("event", EVENT)).toMatchObject({
      error: { code: -32600, message: "event came before describe" },
    });
    expect(await runner.request("describe", { ...DESCRIBE, protocol: { min: 2, max: 3 } })).toMatchObject({
      error: { code: -32602, message: "this addon speaks protocol 1; the host speaks 2 to 3" },
    });
    expect(await runner.request("describe", DESCRIBE)).toHaveProperty("result");
    expect(await runner.request("event", {})).toMatchObject({
      error: { code: -32602, message: "params.handler is missing" },
    });
    expect(await runner.request("describe", DESCRIBE)).toMatchObject({ error: { code: -32600 } });
    expect(await runner.request("toString")).toMatchObject({ error: { code: -32601 } });
  });

  test("a call that comes while it registers waits for it", async () => {
    const runner = await start(
      `import { gate, stop } from "induscode/addons";
       export async function register(s) { await new Promise((done) => setTimeout(done, 50)); s.on("tool:before", gate(() => stop("late"))); }`,
      "a.mjs",
    );
    runner.send("describe", DESCRIBE);
    expect(await runner.request("event", EVENT)).toMatchObject({ result: { stop: true, reason: "late" } });
  });

  test("nothing may be asked of the host, and nothing recorded once register has ended", async () => {
    const runner = await registered(
      `export async function register(s) {
         s.host.log("in register");
         s.addCommand("go", { summary: "s", run() { s.addCommand("late", { summary: "s", run() {} }); } });
         try { await s.host.readFile("x"); } catch (error) { s.host.log(error.name + " " + error.kind); }
       }`,
      "a.mjs",
    );
    expect(sent(runner, "log", "readFile")).toEqual([
      ["log", { text: "in register" }],
      ["log", { text: "HostRefused unavailable" }],
    ]);
    expect(await runner.request("command", COMMAND)).toMatchObject({
      error: {
        message:
          "the addon has already registered: record everything before register returns (a.mjs, line 3)",
      },
    });
  });
});

describe("event", () => {
  const handlers = (...made: readonly string[]): Promise<TestRunner> =>
    registered(
      `import { gate, observe, stop, transform } from "induscode/addons";
       export function register(s) { for (const h of [${made.join(",")}]) s.on("tool:before", h); }`,
      "a.mjs",
    );

  test.each(
    rows(
      [
        ["an observer", "observe((p) => p)", {}],
        [
          "a transform",
          "transform((p) => ({ ...p, args: { b: 2 } }))",
          { payload: { name: "bash", callId: "c", args: { b: 2 } } },
        ],
        ["a transform that answers nothing", "transform(() => {})", {}],
        ["a gate that stops", `gate(() => stop("why"))`, { stop: true, reason: "why" }],
        ["a gate that lets pass", "gate(() => undefined)", {}],
        [
          "an asynchronous gate",
          `gate(async (p) => { await 1; return stop(p.name); })`,
          { stop: true, reason: "bash" },
        ],
      ],
      theFirst,
    ),
  )("%s", async (_, handler, result) => {
    const runner = await handlers(handler);
    expect(await runner.request("event", EVENT)).toEqual({ jsonrpc: "2.0", id: 2, result });
  });

  test.each(
    rows(
      [
        ["throws", "gate(() => { throw new Error('mine') })", "mine (a.mjs, line 2)"],
        ["rejects", "gate(async () => { throw new Error('mine') })", "mine (a.mjs, line 2)"],
        [
          "answers what is no decision",
          "gate(() => true)",
          'a gate returns { stop: true, reason: "…" }, or nothing; it returned a boolean',
        ],
        [
          "answers a stop that is neither true nor false",
          "gate(() => ({ stop: 'yes', reason: 'r' }))",
          'a gate returns { stop: true, reason: "…" }, or nothing; "stop" must be true or false, it is a string',
        ],
        [
          "answers a reason without a stop",
          "gate(() => ({ reason: 'r' }))",
          'a gate returns { stop: true, reason: "…" }, or nothing; "stop" is missing',
        ],
        [
          "answers what is no payload",
          "transform(() => [1])",
          "a transform returns the payload to pass on; it returned a list",
        ],
        [
          "answers what is no JSON",
          "transform((p) => ({ ...p, args: 1n }))",
          "its answer cannot be sent: Do not know how to serialize a BigInt",
        ],
        [
          "changes its payload in place",
          "transform((p) => { p.args.command = 'x'; })",
          "Cannot add property command, object is not extensible (a.mjs, line 2)",
        ],
        [
          "answers more than a message holds",
          "transform((p) => ({ ...p, name: 'é'.repeat(5e6) }))",
          "its answer cannot be sent: it has more than the 8388608 bytes that the host accepts in one message",
        ],
        [
          "answers what is nested too deep",
          "transform((p) => ({ ...p, args: { deep: JSON.parse('['.repeat(300) + ']'.repeat(300)) } }))",
          "its answer cannot be sent: a message may be nested at most 200 deep",
        ],
        [
          "answers more values than a message holds",
          "transform((p) => ({ ...p, args: { many: Array(300_000).fill(1) } }))",
          "its answer cannot be sent: a message may contain at most 200000 values",
        ],
      ],
      theFirst,
    ),
  )("a handler that %s is an error answer, and the next call works", async (_, handler, message) => {
    const runner = await handlers(handler, `gate(() => stop("still here"))`);
    expect(await runner.request("event", EVENT)).toMatchObject({ error: { code: -32603, message } });
    expect(await runner.request("event", { ...EVENT, handler: 1 })).toMatchObject({
      result: { reason: "still here" },
    });
  });

  test("one that is not registered is refused", async () => {
    const runner = await handlers("observe(() => {})");
    const answer = await runner.request("event", { ...EVENT, handler: 7 });
    expect(answer).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("no handler 7 of tool:before") },
    });
    expect(await runner.request("event", { ...EVENT, event: "turn:end" })).toHaveProperty("error");
  });

  test("is acknowledged before the handler runs, so that one that blocks is not unresponsive", async () => {
    const runner = await handlers(
      "observe(() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); })",
    );
    const id = runner.send("event", EVENT);
    await runner.message(({ method, params }) => method === "ack" && (params as { id: number }).id === id);
    expect(runner.messages.some((message) => message.id === id)).toBe(false);
    expect(await runner.answerTo(id)).toHaveProperty("result");
  });
});

describe("an interceptor", () => {
  const stage = (text: string): Promise<TestRunner> =>
    registered(`export function register(s) { s.interceptTool("*", ${text}); }`, "a.mjs");
  const CALL = { interceptor: 0, tool: "read", callId: "c", args: { path: "a" } };
  const RESULT = { content: [{ kind: "text", text: "old" }] };

  test("its first half changes the arguments, stops the call, or does nothing", async () => {
    const runner = await stage(
      `{ enter: ({ args, tool }) => args.path === "a" ? { args: { path: tool } } : args.path === "b" ? { stop: true, reason: "r" } : undefined }`,
    );
    const enter = async (path: string): Promise<unknown> =>
      (await runner.request("enter", { ...CALL, args: { path } })).result;
    expect([await enter("a"), await enter("b"), await enter("c")]).toEqual([
      { args: { path: "read" } },
      { stop: true, reason: "r" },
      {},
    ]);
    expect(await runner.request("exit", { ...CALL, result: RESULT })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test("its second half sees the result and the error, and may replace them", async () => {
    const runner = await stage(
      `{ exit: async ({ result, error }) => error === undefined ? undefined : { content: [...result.content, { kind: "text", text: error }], isError: false } }`,
    );
    expect(await runner.request("exit", { ...CALL, result: RESULT })).toMatchObject({ result: {} });
    const answer = await runner.request("exit", {
      ...CALL,
      result: { ...RESULT, isError: true },
      error: "bad",
    });
    expect(answer.result).toEqual({
      result: {
        content: [
          { kind: "text", text: "old" },
          { kind: "text", text: "bad" },
        ],
        isError: false,
      },
    });
  });

  test("cannot change the given arguments or result in place", async () => {
    const runner = await stage(
      `{ enter: (call) => { call.args.path = "x"; }, exit: ({ result }) => { result.content.push(0); } }`,
    );
    expect(await runner.request("enter", CALL)).toMatchObject({
      error: { message: expect.stringContaining("Cannot assign to read only property 'path'") },
    });
    expect(await runner.request("exit", { ...CALL, result: RESULT })).toMatchObject({
      error: { message: expect.stringContaining("object is not extensible") },
    });
  });

  test("an answer that is neither a change nor a stop is an error", async () => {
    const runner = await stage(`{ enter: () => ({ arguments: {} }) }`);
    expect(await runner.request("enter", CALL)).toMatchObject({
      error: { message: "enter returns { args }, a gate's decision, or nothing; it returned neither" },
    });
  });
});

describe("exit", () => {
  test.each(
    rows(
      [
        ["42", "it returned a number"],
        ["true", "it returned a boolean"],
        ["[1]", "it returned a list"],
        ['{ text: "x" }', "it returned an object without content"],
        [
          '{ content: ["x"] }',
          "it returned an object whose content is neither a string nor a list of blocks",
        ],
      ],
      theFirst,
    ),
  )("refuses %s: only a tool result may replace a result", async (answer, found) => {
    const runner = await registered(
      `export function register(s) { s.interceptTool("*", { exit: () => (${answer}) }); }`,
      "a.mjs",
    );
    const params = {
      interceptor: 0,
      tool: "t",
      callId: "c",
      args: {},
      result: { content: [], isError: false },
    };
    expect(await runner.request("exit", params)).toMatchObject({
      error: { message: `exit returns { content }, a string instead, or nothing; ${found}` },
    });
  });
});

describe("tool", () => {
  const CALL = { name: "t", callId: "c", args: { n: 2 }, cwd: "/workspace" };
  test.each(
    rows(
      [
        ["a text", `({ n }) => "n" + n`, { content: [{ kind: "text", text: "n2" }] }],
        [
          "a result",
          `() => ({ content: [{ kind: "json", value: [1] }], isError: true })`,
          { content: [{ kind: "json", value: [1] }], isError: true },
        ],
        [
          "another value",
          `async (_, { cwd, callId }) => ({ cwd, callId })`,
          { content: [{ kind: "json", value: { cwd: "/workspace", callId: "c" } }] },
        ],
        ["nothing", `() => {}`, { content: [] }],
        [
          "what only looks like a result",
          `() => ({ content: ["x"] })`,
          { content: [{ kind: "json", value: { content: ["x"] } }] },
        ],
      ],
      theFirst,
    ),
  )("answers %s", async (_, run, result) => {
    const runner = await registered(
      `export function register(s) { s.addTool({ name: "t", description: "d", parameters: {}, run: ${run} }); }`,
      "a.mjs",
    );
    expect(await runner.request("tool", CALL)).toEqual({ jsonrpc: "2.0", id: 2, result });
    expect(await runner.request("tool", { ...CALL, name: "u" })).toMatchObject({ error: { code: -32602 } });
  });
});

describe("command", () => {
  const command = (run: string): Promise<TestRunner> =>
    registered(`export function register(s) { s.addCommand("go", { summary: "s", run: ${run} }); }`, "a.mjs");

  test("says, prints, asks the host, and ends with its answer", async () => {
    const runner = await command(`async ({ args, cwd, handles, say }) => {
      console.log("printed %s", args);
      say("said in " + cwd);
      const { stdout, code } = await handles.exec("git log", ["-1"]);
      process.stdout.write("half ");
      process.stdout.write(stdout + code + "\\n");
      console.log("two\\nlines");
    }`);
    const id = runner.send("command", COMMAND);
    const asked = await runner.message(isNamed("exec"));
    expect(asked.params).toEqual({ command: "git log", args: ["-1"] });
    runner.write(ok(Number(asked.id), { stdout: "out", stderr: "", code: 0 }));
    expect(await runner.answerTo(id)).toEqual({ jsonrpc: "2.0", id, result: {} });
    expect(sent(runner, "progress", "log")).toEqual([
      ["progress", { id, text: "printed now" }],
      ["progress", { id, text: "said in /workspace" }],
      ["progress", { id, text: "half out0\ntwo\nlines" }],
    ]);
    expect(runner.messages.at(-1)).toEqual({ jsonrpc: "2.0", id, result: {} });
  });

  test("handles ask the host; what it refuses is a HostRefused with its kind", async () => {
    const runner = await command(`async ({ handles, say }) => {
      await handles.setModel("m");
      await handles.setThinking("high");
      await handles.sendMessage("hi");
      if (handles.render !== undefined) say("draws");
    }`);
    const id = runner.send("command", COMMAND);
    for (const [method, params] of [
      ["setModel", { name: "m" }],
      ["setThinking", { level: "high" }],
    ] as const) {
      const asked = await runner.message(isNamed(method));
      expect(asked.params).toEqual(params);
      runner.write(ok(Number(asked.id), {}));
    }
    const { id: asked } = await runner.message(isNamed("sendMessage"));
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: asked, error: { code: -32002, message: "not now" } }));
    expect(await runner.answerTo(id)).toMatchObject({
      error: { message: "not now", data: { stack: expect.stringContaining("HostRefused") } },
    });
    expect(sent(runner, "progress")).toEqual([]);
  });
});

describe("what is printed", () => {
  test("outside a command goes to the log, whatever writes it; a command's own prints stay apart", async () => {
    const runner = await registered(
      `import { observe } from "induscode/addons";
       const heard = Promise.withResolvers();
       console.log("at import");
       export function register(s) {
         console.info("in register");
         s.on("tool:before", observe(() => {
           console.log("in a handler");
           heard.resolve();
         }));
         s.addCommand("go", { summary: "s", async run() {
           console.log("before");
           await heard.promise;
           console.log("after");
           setTimeout(() => console.log("when it has ended"), 30);
         } });
       }`,
      "a.mjs",
    );
    const id = runner.send("command", COMMAND);
    await runner.request("event", EVENT);
    await runner.answerTo(id);
    await runner.message(
      ({ params }) => (params as { text?: string } | undefined)?.text === "when it has ended",
    );
    expect(sent(runner, "progress", "log")).toEqual([
      ["log", { text: "at import\nin register" }],
      ["progress", { id, text: "before" }],
      ["log", { text: "in a handler" }],
      ["progress", { id, text: "after" }],
      ["log", { text: "when it has ended" }],
    ]);
    expect(runner.stderr()).toBe("");
  });

  test("ten thousand lines in one go are a few messages, in order and whole", async () => {
    const runner = await registered(
      `export function register(s) { s.addCommand("go", { summary: "s", run() { for (let i = 0; i < 10000; i++) console.log("line " + i); } }); }`,
      "a.mjs",
    );
    await runner.request("command", COMMAND);
    const texts = sent(runner, "progress").map((each) => (each as [string, { text: string }])[1].text);
    expect(texts.length).toBeLessThan(10);
    expect(texts.join("\n").replaceAll("\n", "")).toBe(
      Array.from({ length: 10000 }, (_, at) => `line ${at}`).join(""),
    );
  });
});

describe("the host's services", () => {
  test("are requests with the protocol's parameters, and answers become values", async () => {
    const runner = await registered(
      `export function register(s) { s.addCommand("go", { summary: "s", async run({ say }) {
         await s.host.alert("a"); await s.host.notify("n"); s.host.diagnostic("info", "d"); s.host.log("l");
         say(await s.host.readFile("r.txt")); await s.host.writeFile("w.txt", "text");
         say(JSON.stringify(await s.host.fetch("https://h/p", { method: "POST", body: "b" })));
         say(await s.host.secret("TOKEN"));
       } }); }`,
      "a.mjs",
    );
    const id = runner.send("command", COMMAND);
    const fetched = { status: 200, headers: {}, text: "page" };
    const results = { readFile: { text: "file" }, fetch: fetched, secret: { value: "v" } } as const;
    for (const method of ["alert", "notify", "readFile", "writeFile", "fetch", "secret"]) {
      const { id: asked } = await runner.message(isNamed(method));
      runner.write(ok(Number(asked), results[method as keyof typeof results] ?? {}));
    }
    await runner.answerTo(id);
    expect(
      sent(
        runner,
        "alert",
        "notify",
        "diagnostic",
        "log",
        "readFile",
        "writeFile",
        "fetch",
        "secret",
        "progress",
      ),
    ).toEqual([
      ["alert", { text: "a" }],
      ["notify", { text: "n" }],
      ["diagnostic", { severity: "info", text: "d" }],
      ["log", { text: "l" }],
      ["readFile", { path: "r.txt" }],
      ["progress", { id, text: "file" }],
      ["writeFile", { path: "w.txt", text: "text" }],
      ["fetch", { url: "https://h/p", method: "POST", body: "b" }],
      ["progress", { id, text: JSON.stringify(fetched) }],
      ["secret", { id: "TOKEN" }],
      ["progress", { id, text: "v" }],
    ]);
  });

  test("each error code of the protocol is a refusal of its kind", async () => {
    const kinds = {
      [-32001]: "denied",
      [-32002]: "unavailable",
      [-32003]: "limit",
      [-32600]: "params",
      [-32601]: "params",
      [-32602]: "params",
      [-32800]: "cancelled",
      [-32603]: "failed",
      [-1]: "failed",
    };
    const runner = await registered(
      `import { HostRefused } from "induscode/addons";
       export function register(s) { s.addTool({ name: "t", description: "d", parameters: {}, async run({ code }) {
         try { await s.host.secret(code); } catch (error) { return [error instanceof HostRefused, error.kind, error.message]; }
       } }); }`,
      "a.mjs",
    );
    for (const [code, kind] of Object.entries(kinds)) {
      const id = runner.send("tool", { name: "t", callId: "c", args: { code }, cwd: "/" });
      const asked = await runner.message(
        ({ params }) => (params as { id?: unknown } | undefined)?.id === code,
      );
      const error = { code: Number(code), message: "because" };
      runner.write(JSON.stringify({ jsonrpc: "2.0", id: asked.id, error }));
      const content = [{ kind: "json", value: [true, kind, "because"] }];
      expect(await runner.answerTo(id)).toMatchObject({ result: { content } });
    }
  });

  test("a refusal that nobody handles is a warning in the report, and ends nothing", async () => {
    const runner = await registered(
      `import { observe } from "induscode/addons";
       export function register(s) { s.on("tool:before", observe(() => { s.host.alert("hi"); })); }`,
      "a.mjs",
    );
    await runner.request("event", EVENT);
    const { id: asked } = await runner.message(isNamed("alert"));
    runner.write(JSON.stringify({ jsonrpc: "2.0", id: asked, error: { code: -32001, message: "no grant" } }));
    await runner.message(isNamed("diagnostic"));
    expect(sent(runner, "diagnostic")).toEqual([
      ["diagnostic", { severity: "warning", text: "the host refused: no grant" }],
    ]);
    expect(await runner.request("event", EVENT)).toHaveProperty("result");
  });
});

describe("a task", () => {
  const RUN = `async ({ signal }) => {
    console.log("runs");
    await new Promise((done) => signal.addEventListener("abort", done, { once: true }));
    console.log("ends");
  }`;
  test("runs until it is stopped; a second start meanwhile is refused", async () => {
    const runner = await registered(
      `export function register(s) { s.addTask({ id: "k", description: "d", run: ${RUN} }); }`,
      "a.mjs",
    );
    const id = runner.send("task/start", { id: "k" });
    expect(await runner.request("task/start", { id: "k" })).toMatchObject({
      error: { code: -32002, message: "the task k is already running" },
    });
    expect(await runner.request("task/stop", { id: "k" })).toMatchObject({ result: {} });
    expect(await runner.answerTo(id)).toMatchObject({ result: {} });
    expect(sent(runner, "log")).toEqual([
      ["log", { text: "runs" }],
      ["log", { text: "ends" }],
    ]);
    expect(await runner.request("task/stop", { id: "k" })).toMatchObject({ result: {} });
  });
});

describe("what the types of a context promise", () => {
  // An extra or missing key in a type does not compile here.
  const handler: Record<keyof HandlerContext, true> = { signal: true };
  const tool: Record<keyof ToolRunContext, true> = { signal: true, callId: true, cwd: true, progress: true };
  const command: Record<keyof CommandContext, true> = {
    ...{ signal: true, args: true, cwd: true, handles: true, say: true },
  };
  const TELLS = (keys: object): string =>
    `(context) => ${JSON.stringify(Object.keys(keys))}.map((key) => key + " " + (context[key] !== undefined)).join(", ")`;

  test("is there in each place (twin: the key session, which is the host's own, is not)", async () => {
    const runner = await registered(
      `import { gate, stop } from "induscode/addons";
       const handler = ${TELLS({ ...handler, session: true })}, tool = ${TELLS(tool)}, command = ${TELLS(command)};
       export function register(s) {
         s.on("tool:before", gate((p, context) => stop(handler(context))));
         s.interceptTool("bash", {
           enter: (c, context) => stop(handler(context)),
           exit: (c, context) => handler(context),
         });
         s.addTool({ name: "t", description: "d", parameters: { type: "object" }, run: (a, context) => tool(context) });
         s.addCommand("go", { summary: "s", run: (context) => context.say(command(context)) });
         s.addTask({ id: "k", description: "d", run: (context) => s.host.log(handler(context)) });
       }`,
      "a.mjs",
    );
    const stage = { interceptor: 0, tool: "bash", callId: "c", args: {} };
    const result = { content: [], isError: false };
    const answers = JSON.stringify([
      await runner.request("event", EVENT),
      await runner.request("enter", stage),
      await runner.request("exit", { ...stage, result }),
      await runner.request("tool", { name: "t", callId: "c", args: {}, cwd: "/workspace" }),
      await runner.request("command", COMMAND),
      await runner.request("task/start", { id: "k" }),
      ...sent(runner, "progress", "log"),
    ]);
    expect(answers.match(/signal true, session false/g)).toHaveLength(4);
    expect(answers).toContain("signal true, callId true, cwd true");
    expect(answers).toContain("signal true, args true, cwd true, handles true, say true");
  });
});

describe("cancel", () => {
  const waiting = (body: string): Promise<TestRunner> =>
    registered(
      `import { gate } from "induscode/addons";
       export function register(s) { s.on("tool:before", gate((p, context) => new Promise((done) => { ${body} }))); }`,
      "a.mjs",
    );

  test("fires the signal of that call, which may still answer", async () => {
    const runner = await waiting(`context.signal.onabort = () => done({ stop: true, reason: "cut short" });`);
    const [first, second] = [runner.send("event", EVENT), runner.send("event", EVENT)];
    await runner.message(
      ({ method, params }) => method === "ack" && (params as { id: number }).id === second,
    );
    runner.notify("cancel", { id: first });
    expect(await runner.answerTo(first)).toMatchObject({ result: { reason: "cut short" } });
    expect(runner.messages.some((message) => message.id === second)).toBe(false);
  });

  test("a handler that does not look at it is answered for", async () => {
    const runner = await waiting("");
    const id = runner.send("event", EVENT);
    runner.notify("cancel", { id });
    expect(await runner.answerTo(id)).toMatchObject({ error: { code: -32800 } });
  });

  test("of a call that has its answer, or of none, does nothing", async () => {
    const runner = await registered(`export function register() {}`, "a.mjs");
    runner.notify("cancel", { id: 1 });
    runner.notify("cancel", { id: 99 });
    runner.notify("cancel", undefined);
    runner.notify("unheard", {});
    expect(await runner.request("nothing")).toMatchObject({ error: { code: -32601 } });
    expect(runner.messages.filter((message) => message.id === 1)).toHaveLength(1);
  });
});

describe("what is no message", () => {
  test.each(
    rows(
      [
        ["no JSON", "{nonsense", { id: null, error: { code: -32700, message: "the line is not JSON" } }],
        ["no object", "17", { id: null, error: { code: -32600 } }],
        [
          "no id that is one",
          `{"jsonrpc":"2.0","id":{},"method":"describe"}`,
          { id: null, error: { code: -32600 } },
        ],
        ["neither method nor id", `{"jsonrpc":"2.0"}`, { id: null, error: { code: -32600 } }],
      ],
      theFirst,
    ),
  )("%s is answered as such, and the next call works", async (_, line, answer) => {
    const runner = await registered(`export function register() {}`, "a.mjs");
    runner.write(line);
    runner.write("");
    runner.write(ok(4711, "an answer that nobody asked for"));
    expect(await runner.message((message) => message.id === null)).toMatchObject(answer);
    expect(await runner.request("task/stop", { id: "x" })).toMatchObject({ result: {} });
  });

  test("the longest line of Python's runner is the host's", () => {
    const wire = readFileSync(
      new URL("../../../python/induscode/addons/process/wire.py", import.meta.url),
      "utf8",
    );
    const [, factors = ""] = /^MAX_FRAME_BYTES = ([\d *]+)$/m.exec(wire) ?? [];
    const bytes = factors.split("*").reduce((product, factor) => product * Number(factor), 1);
    expect(bytes).toBe(DEFAULT_LIMITS.maxFrameBytes);
  });
});

describe("the end", () => {
  const BUSY = `
    setInterval(() => {}, 1000);
    export function register(s) {
      s.addTask({ id: "k", description: "d", run: () => new Promise(() => {}) });
      s.addCommand("go", { summary: "s", run: () => { setImmediate(() => { throw new Error("later"); }); } });
      s.addCommand("reject", { summary: "s", run: () => { Promise.reject(new Error("nobody")); } });
    }`;

  test("dispose is answered, and the process ends in spite of timers and tasks", async () => {
    const runner = await registered(BUSY, "a.mjs");
    runner.send("task/start", { id: "k" });
    expect(await runner.request("dispose")).toMatchObject({ result: {} });
    expect(await runner.ended).toEqual({ code: 0, signal: null });
  });

  test("the end of its input ends the process as well", async () => {
    const runner = await registered(BUSY, "a.mjs");
    runner.end();
    expect(await runner.ended).toEqual({ code: 0, signal: null });
  });

  test.each(
    rows(
      [
        ["an uncaught error", "go", /because of an uncaught error: later \(a\.mjs, line \d+\)$/],
        [
          "an unhandled rejection",
          "reject",
          /because of an unhandled rejection: nobody \(a\.mjs, line \d+\)$/,
        ],
      ],
      theFirst,
    ),
  )("%s is told and ends the process", async (_, name, text) => {
    const runner = await registered(BUSY, "a.mjs");
    runner.send("command", { ...COMMAND, name });
    expect(await runner.ended).toEqual({ code: 1, signal: null });
    expect(runner.messages.slice(-2)).toMatchObject([
      { method: "log", params: { text: expect.stringMatching(/ {4}at .*a\.mjs:\d/) } },
      { method: "diagnostic", params: { severity: "error", text: expect.stringMatching(text) } },
    ]);
  });
});

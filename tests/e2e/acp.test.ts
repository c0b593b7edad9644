// `indus acp` in a process of its own, driven by the protocol's own client library.

import type { ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { deferred } from "indusagi/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Editor, type EditorOptions, openEditor } from "../support/acp-editor.ts";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, modelEnvironment, type Workplace } from "../support/indus.ts";
import { freshFolder, registryProblem, shellLine } from "../support/installed.ts";
import { isRunning } from "../support/is-running.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { startSilentRegistry } from "../support/silent-registry.ts";
import { openTerminal } from "../support/terminal.ts";
import { until, untilHolds } from "../support/until.ts";

const { session } = methods.agent;

interface Scene {
  readonly place: Workplace;
  readonly editor: Editor;
  readonly id: string;
  readonly requests: readonly { readonly rawBody: string }[];
}

async function scene(
  script: Script,
  options: EditorOptions = {},
  files: Record<string, string> = {},
): Promise<Scene> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  for (const [path, text] of Object.entries(files)) place.file(path, text);
  const editor = await openEditor(place, options);
  onTestFinished(async () => void (await editor.leave()));
  const { sessionId } = await editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [] });
  return { place, editor, id: sessionId, requests: server.requests };
}

const text = (said: string) => [{ type: "text" as const, text: said }];

it("a task is read, edited and answered, and the process ends with its editor", async () => {
  const { place, editor, id } = await scene(
    [
      { thinking: "I look first.", calls: [{ name: "read", input: { path: "a.txt" } }] },
      { calls: [{ name: "edit", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
      { calls: [{ name: "todo_set", input: { items: [{ id: "1", text: "edit it", status: "done" }] } }] },
      { text: "It says two now." },
    ],
    {},
    { "a.txt": "one\n" },
  );
  const end = await editor.agent.request(session.prompt, { sessionId: id, prompt: text("Make it two") });
  expect(end).toMatchObject({ stopReason: "end_turn" });
  expect(readFileSync(`${place.cwd}/a.txt`, "utf8")).toBe("two\n");
  expect(editor.said()).toBe("It says two now.");
  const thoughts = editor
    .of("agent_thought_chunk")
    .map(({ content }) => ("text" in content ? content.text : ""));
  expect(thoughts.join("")).toBe("I look first.");
  const path = `${place.cwd}/a.txt`;
  expect(editor.of("tool_call")).toMatchObject([
    { title: "read a.txt", kind: "read", status: "pending", locations: [{ path }] },
    { kind: "edit", locations: [{ path }] },
    { kind: "think" },
  ]);
  const contents = editor.of("tool_call_update").flatMap(({ content }) => content ?? []);
  expect(contents).toContainEqual({ type: "diff", path, oldText: "one", newText: "two" });
  expect(editor.of("plan")).toEqual([
    { sessionUpdate: "plan", entries: [{ content: "edit it", priority: "medium", status: "completed" }] },
  ]);
  expect(await editor.leave()).toMatchObject({ code: 0, stderr: "" });
  expect(place.problems()).toEqual([]);
});

it("a person who starts it is told what it waits for", async () => {
  const place = createWorkplace("http://127.0.0.1:9");
  const terminal = openTerminal({ console: "rich", place, url: "http://127.0.0.1:9", args: ["acp"] });
  await terminal.waitFor(/waiting for an editor/);
  terminal.type("\x04");
  expect(await terminal.left).toBe(0);
});

describe("an editor", () => {
  it("is told what the agent can, and only that", async () => {
    const { editor } = await scene([]);
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "indus", version: "0.1.0" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, fork: {}, delete: {}, close: {} },
      },
    });
    expect(editor.initialized.authMethods?.map(({ id }) => id)).toEqual(["keys"]);
    expect(editor.initialized.agentCapabilities?.promptCapabilities).not.toHaveProperty("audio");
  });

  it.each([
    ["Yes", "completed", "made"],
    [undefined, "failed", "cancelled"],
    ["No", "failed", "made"],
  ] as const)("is asked about a command and answers %s", async (answer, status, how) => {
    const { editor, id, place } = await scene(
      [{ calls: [{ name: "bash", input: { command: "mkfifo made" } }] }, { text: "made" }],
      { onPermission: () => answer },
    );
    const end = await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    expect(end).toMatchObject({ stopReason: how === "made" ? "end_turn" : "cancelled" });
    expect(editor.said()).toBe(how === "made" ? "made" : "");
    expect(editor.asked).toMatchObject([
      {
        sessionId: id,
        toolCall: { title: "mkfifo made", kind: "execute", rawInput: { command: "mkfifo made" } },
      },
    ]);
    const [call] = editor.of("tool_call");
    expect(editor.asked[0]?.toolCall.toolCallId).toBe(call?.toolCallId);
    expect(editor.asked[0]?.options.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["allow_once", "allow_always", "reject_once"]),
    );
    const states = editor.of("tool_call_update").flatMap((update) => update.status ?? []);
    expect(states.at(-1)).toBe(status);
    expect(place.entries().some((entry) => entry.type === "tool" && entry.state === "ok")).toBe(
      status === "completed",
    );
  });

  it.each<readonly [string, object, object]>([
    ["edit", { oldText: "b\n", newText: "c\nd\n" }, { oldText: "b", newText: "c\nd" }],
    ["write", { content: "new\n" }, { oldText: "b", newText: "new" }],
  ])("is shown what %s would change, with the question about it", async (name, input, diff) => {
    const call = { name, input: { path: "a.txt", ...input } };
    const read = { name: "read", input: { path: "a.txt" } };
    const { editor, id, place } = await scene([{ calls: [read] }, { calls: [call] }, { text: "done" }], {
      args: ["--permission-mode", "ask"],
    });
    const path = place.file("a.txt", "b\n");
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    expect(editor.asked).toMatchObject([
      { toolCall: { kind: "edit", content: [{ type: "diff", path, ...diff }, { type: "content" }] } },
    ]);
  });

  it("may answer a question for the whole session", async () => {
    const call = { calls: [{ name: "bash", input: { command: "mkfifo made; rm made" } }] };
    const { editor, id } = await scene([call, call, { text: "done" }], {
      onPermission: ({ options }) => options.find(({ name }) => name.includes("in this session"))?.name,
    });
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    expect(editor.asked).toHaveLength(1);
    expect(editor.said()).toBe("done");
  });

  it("answers the model's own question in a form, or by a choice where it has no forms", async () => {
    const call = { name: "ask_user", input: { question: "Which?", choices: ["red", "blue"] } };
    const script: Script = ({ rawBody }) =>
      rawBody.includes("chose: blue") ? { text: "blue it is" } : { calls: [call] };
    const form = await scene(script, {
      capabilities: { elicitation: { form: {} } },
      onElicitation: () => ({ action: "accept", content: { answer: "1" } }),
    });
    await form.editor.agent.request(session.prompt, { sessionId: form.id, prompt: text("ask") });
    expect(form.editor.said()).toBe("blue it is");
    const choice = await scene(script, { onPermission: () => "blue" });
    await choice.editor.agent.request(session.prompt, { sessionId: choice.id, prompt: text("ask") });
    expect(choice.editor.said()).toBe("blue it is");
  });

  it("switches the mode, the model and the thinking, and is told", async () => {
    const { editor, id, place, requests } = await scene([{ text: "ok" }]);
    const sessionId = id;
    await editor.agent.request(session.setMode, { sessionId, modeId: "plan" });
    await editor.until(({ sessionUpdate }) => sessionUpdate === "current_mode_update");
    expect(editor.of("current_mode_update")).toMatchObject([{ currentModeId: "plan" }]);
    const wrong = { sessionId, modeId: "yolo" };
    await expect(editor.agent.request(session.setMode, wrong)).rejects.toThrow(
      /unknown mode "yolo"; expected/,
    );
    const set = (configId: string, value: string) =>
      editor.agent.request(session.setConfigOption, { sessionId, configId, value });
    await set("mode", "acceptEdits");
    const { configOptions } = await set("thinking", "high");
    expect(configOptions).toMatchObject([
      { id: "mode", currentValue: "acceptEdits", category: "mode" },
      { id: "model", currentValue: "anthropic/scripted" },
      { id: "thinking", currentValue: "high" },
    ]);
    await set("model", "anthropic/other");
    await expect(set("model", "nowhere/x")).rejects.toThrow(/nowhere/);
    await expect(set("colour", "red")).rejects.toThrow(/unknown option "colour"/);
    await editor.agent.request(session.prompt, { sessionId, prompt: text("go") });
    expect(JSON.parse(requests[0]?.rawBody ?? "")).toMatchObject({ model: "other" });
    expect(place.entries().flatMap((entry) => (entry.type === "mode" ? [entry.mode] : []))).toEqual([
      "plan",
      "acceptEdits",
    ]);
  });

  it("offers commands, and runs what is typed", async () => {
    const { editor, id } = await scene(
      [{ text: "sum" }],
      {},
      {
        ".indus/commands/sum.md": "---\ndescription: adds\nargument-hint: numbers\n---\nAdd $ARGUMENTS",
      },
    );
    await editor.until(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
    const [offered] = editor.of("available_commands_update");
    expect(offered?.availableCommands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["compact", "sum"]),
    );
    const prompt = (typed: string) =>
      editor.agent.request(session.prompt, { sessionId: id, prompt: text(typed) });
    expect(await prompt("/status")).toMatchObject({ stopReason: "end_turn" });
    expect(editor.said()).toContain(id);
    expect(editor.said()).toContain("sandbox  not used in the mode acceptEdits"); // whatever the machine has
    await prompt("/sum 1 2");
    expect(editor.said()).toMatch(/sum$/);
    await prompt("/sume");
    expect(editor.said()).toContain("Did you mean /sum");
  });

  it("sends files, pictures and links; what cannot be sent is said", async () => {
    const { editor, id, place, requests } = await scene([{ text: "seen" }], {}, { "b.txt": "linked text\n" });
    const dot =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await editor.agent.request(session.prompt, {
      sessionId: id,
      prompt: [
        { type: "text", text: "look at " },
        { type: "resource_link", uri: `file://${place.cwd}/b.txt`, name: "b.txt" },
        { type: "resource", resource: { uri: `file://${place.cwd}/new%20one.ts`, text: "unsaved()" } },
        { type: "image", mimeType: "image/png", data: dot },
        { type: "image", mimeType: "image/png", data: "bm8gcGljdHVyZQ==" },
      ],
    });
    const body = requests[0]?.rawBody ?? "";
    expect(body).toContain("linked text");
    expect(body).toContain('<file path=\\"new one.ts\\">\\nunsaved()');
    expect(body).toContain(dot);
    expect(editor.said()).toContain("not sent: the picture is neither text nor a PNG");
  });

  it.each([
    ["no block", []],
    ["a blank text", text(" \n")],
    ["a picture that is none", [{ type: "image", mimeType: "image/png", data: "AAAA" } as const]],
  ])("is told that there is nothing to send in %s, and the session goes on", async (_, prompt) => {
    const { editor, id, requests } = await scene([{ text: "seen" }]);
    await expect(editor.agent.request(session.prompt, { sessionId: id, prompt })).rejects.toThrow(
      /there is nothing to send/,
    );
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    expect(requests).toHaveLength(1);
  });

  it("has its unsaved text read and edited, and hears of what is written", async () => {
    const buffers = new Map<string, string>();
    const { editor, id, place, requests } = await scene(
      [
        { calls: [{ name: "read", input: { path: "a.txt" } }] },
        { calls: [{ name: "edit", input: { path: "a.txt", oldText: "typed", newText: "edited" } }] },
        { text: "done" },
      ],
      { capabilities: { fs: { readTextFile: true, writeTextFile: true } }, buffers },
      { "a.txt": "saved\n" },
    );
    const path = `${place.cwd}/a.txt`;
    buffers.set(path, "saved\ntyped\n");
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    expect(requests[1]?.rawBody).toContain("typed");
    expect(buffers.get(path)).toBe("saved\nedited\n");
    expect(readFileSync(path, "utf8")).toBe("saved\nedited\n");
  });

  it("that does not take what is written is named to the model and to the person", async () => {
    const { editor, id, place, requests } = await scene(
      [{ calls: [{ name: "write", input: { path: "a.txt", content: "new" } }] }, { text: "done" }],
      {
        capabilities: { fs: { readTextFile: true, writeTextFile: true } },
        onFile(does) {
          if (does === "write") throw new Error("the buffer is locked");
        },
      },
    );
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    const said = "was written to disk, but the editor did not accept the new text";
    expect(readFileSync(`${place.cwd}/a.txt`, "utf8")).toBe("new");
    expect(requests[1]?.rawBody).toContain(said);
    expect(JSON.stringify(editor.of("tool_call_update"))).toContain(said);
  });

  it("is not asked for a file that may not be read, and gets nothing that may not be written", async () => {
    const buffers = new Map<string, string>();
    const { editor, id, place } = await scene(
      [
        { calls: [{ name: "read", input: { path: ".env" } }] },
        { calls: [{ name: "write", input: { path: ".env", content: "x" } }] },
        { text: "done" },
      ],
      {
        capabilities: { fs: { readTextFile: true, writeTextFile: true } },
        buffers,
        args: ["--deny", "read(**/.env)", "--deny", "write(**/.env)"],
      },
      { ".env": "SECRET=1\n" },
    );
    buffers.set(`${place.cwd}/.env`, "SECRET=typed");
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    expect(buffers.get(`${place.cwd}/.env`)).toBe("SECRET=typed");
    expect(JSON.stringify(place.entries())).not.toContain("typed");
  });
});

describe("sessions", () => {
  it("are listed, loaded with what was said, resumed without, forked, closed and deleted", async () => {
    const { editor, id, place } = await scene(({ rawBody }) => ({
      text: rawBody.includes("later line") ? "answer to 2" : "answer to 1",
    }));
    const sessionId = id;
    const where = { cwd: place.cwd, mcpServers: [] };
    await editor.agent.request(session.prompt, { sessionId, prompt: text("first line") });
    await editor.agent.request(session.close, { sessionId });
    await expect(editor.agent.request(session.prompt, { sessionId, prompt: text("x") })).rejects.toThrow(
      /is not open|not found/i,
    );
    const { sessions } = await editor.agent.request(session.list, { cwd: place.cwd });
    expect(sessions).toMatchObject([
      { sessionId, cwd: place.cwd, title: expect.stringContaining("irst line") },
    ]);
    expect((await editor.agent.request(session.list, {})).sessions).toHaveLength(1);

    editor.updates.length = 0;
    await editor.agent.request(session.load, { sessionId, ...where });
    expect(editor.of("user_message_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "first line" },
    ]);
    expect(editor.said()).toBe("answer to 1");
    editor.updates.length = 0;
    await editor.agent.request(session.resume, { sessionId, ...where });
    expect(editor.said()).toBe("");
    await editor.agent.request(session.prompt, { sessionId, prompt: text("later line") });
    expect(editor.said()).toBe("answer to 2");

    const fork = await editor.agent.request(session.fork, { sessionId, ...where });
    expect(fork.sessionId).not.toBe(sessionId);
    await editor.agent.request(session.delete, { sessionId });
    const left = (await editor.agent.request(session.list, { cwd: place.cwd })).sessions;
    expect(left.map((each) => each.sessionId)).not.toContain(sessionId);
    await expect(editor.agent.request(session.load, { sessionId: "gone", ...where })).rejects.toThrow(
      /"gone" not found/,
    );
    const planted = place.file("planted.jsonl", readFileSync(place.logs()[0] ?? "", "utf8"));
    for (const path of [planted, "./planted.jsonl", "planted.jsonl", "", ".."])
      for (const way of [session.load, session.resume, session.fork])
        await expect(editor.agent.request(way, { sessionId: path, ...where })).rejects.toThrow(/not found/);
  });

  it("are listed without a time where their log states none of a calendar", async () => {
    const { editor, id, place } = await scene([{ text: "fine" }]);
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go") });
    await editor.agent.request(session.close, { sessionId: id });
    const [log = ""] = place.logs();
    writeFileSync(log, readFileSync(log, "utf8").replaceAll(/"at":\d+/g, '"at":1e300'));
    const { sessions } = await editor.agent.request(session.list, { cwd: place.cwd });
    expect(sessions).toMatchObject([{ sessionId: id, updatedAt: null }]);
  });

  it("run side by side, and each is told under its own id", async () => {
    const { editor, id, place } = await scene(({ rawBody }) => ({
      text: rawBody.includes("blue") ? "blue" : "red",
    }));
    const other = await editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [] });
    await Promise.all([
      editor.agent.request(session.prompt, { sessionId: id, prompt: text("say blue") }),
      editor.agent.request(session.prompt, { sessionId: other.sessionId, prompt: text("say red") }),
    ]);
    expect([editor.said(id), editor.said(other.sessionId)]).toEqual(["blue", "red"]);
  });

  it("that still open when the editor leaves are opened and closed", async () => {
    const place = createWorkplace("http://127.0.0.1:9");
    const lines = [
      { id: 0, method: methods.agent.initialize, params: { protocolVersion: 1, clientCapabilities: {} } },
      { id: 1, method: session.new, params: { cwd: place.cwd, mcpServers: [] } },
    ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const args = ["acp", "--model", "anthropic/scripted"];
    expect(await place.runAlone(args, { stdin: lines.join("") })).toMatchObject({ code: 0, stderr: "" });
  });

  it("without a model are refused with what to do", async () => {
    const place = createWorkplace();
    const editor = await openEditor(place, { model: undefined });
    onTestFinished(async () => void (await editor.leave()));
    const opened = editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [] });
    await expect(opened).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining("indus auth login"),
    });
  });

  it("in a folder that is not there, or that holds the home, are refused", async () => {
    const { editor, place } = await scene([]);
    const open = (cwd: string) => editor.agent.request(session.new, { cwd, mcpServers: [] });
    await expect(open("/no/such/folder")).rejects.toThrow(
      /working directory \/no\/such\/folder cannot be used/,
    );
    await expect(open(dirname(place.cwd))).rejects.toThrow(/inside the working directory/);
  });
});

describe("MCP servers of an editor", () => {
  const words = { words: "hello" };
  const script: Script = ({ rawBody }) =>
    rawBody.includes("tool_result")
      ? { text: "done" }
      : { calls: [{ name: "mcp__tickets__say", input: words }] };
  const opened = async (options: EditorOptions) => {
    const server = await startModelServer(script);
    onTestFinished(server.close);
    const place = createWorkplace(server.url);
    place.file("server.mjs", MCP_SERVER);
    const editor = await openEditor(place, options);
    onTestFinished(async () => void (await editor.leave()));
    // What may be a secret is the editor's: nobody has to set a variable for it.
    const env = [{ name: "TICKET_TOKEN", value: "sk-live-0123456789abcdef0123" }];
    const tickets = { name: "tickets", command: "node", args: ["server.mjs"], env };
    const answer = await editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [tickets] });
    const { sessionId } = answer as { readonly sessionId: string };
    await editor.agent.request(session.prompt, { sessionId, prompt: text("go") });
    return { editor, place };
  };

  it("are confined addons like any, once they are trusted", async () => {
    const { place } = await opened({ args: ["--grant", "tickets", "--permission-mode", "bypass"] });
    expect(JSON.stringify(place.entries())).toContain("it says hello");
  });

  it.each([
    ["Trust it", true],
    ["Skip it", false],
    [undefined, false],
  ])("are asked about, and run only after a yes: %s", async (answer, runs) => {
    const { editor, place } = await opened({
      args: ["--permission-mode", "bypass"],
      onPermission: () => answer,
    });
    expect(editor.asked).toMatchObject([
      { toolCall: { title: expect.stringMatching(/Trust the addon tickets/) } },
    ]);
    expect(JSON.stringify(place.entries()).includes("it says hello")).toBe(runs);
    expect(editor.said()).toContain(runs ? "tickets to this session" : "tickets was not added");
  });
});

it("ends at once when the editor goes while a server of a session is being fetched", async () => {
  const registry = await startSilentRegistry();
  const place = createWorkplace("http://127.0.0.1:9");
  const editor = await openEditor(place, { env: registry.env });
  const silent = { name: "silent", command: "npx", args: ["-y", "silent"], env: [] };
  const opening = editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [silent] });
  const answered = opening.then(
    () => "opened",
    () => "refused",
  );
  await until(() => registry.waiting() > 0);
  expect(await editor.leave()).toMatchObject({ code: 0 });
  expect(await answered).toBe("refused");
  expect(registry.waiting()).toBe(0);
});

describe("cancelling", () => {
  it("ends a prompt whose files are still being read, and no task begins", async () => {
    const reading = deferred<void>();
    const { editor, id, place, requests } = await scene(
      [{ text: "fine" }],
      {
        capabilities: { fs: { readTextFile: true } },
        async onFile() {
          reading.resolve();
          await new Promise(() => undefined);
        },
      },
      { "a.txt": "x" },
    );
    const link = { type: "resource_link" as const, name: "a.txt", uri: `file://${place.cwd}/a.txt` };
    const asked = editor.agent.request(session.prompt, { sessionId: id, prompt: [...text("look"), link] });
    await reading.promise;
    await editor.agent.notify(session.cancel, { sessionId: id });
    expect(await asked).toMatchObject({ stopReason: "cancelled" });
    expect(requests).toHaveLength(0);
    await editor.agent.request(session.prompt, { sessionId: id, prompt: text("go on") });
    expect(requests).toHaveLength(1);
  });

  it("ends a stream, a command and a question, and the session goes on", async () => {
    const { editor, id } = await scene(
      ({ rawBody }) =>
        rawBody.includes("talk on")
          ? { text: "long answer", trouble: { kind: "silence", after: 1 } }
          : rawBody.includes("and now")
            ? { text: "still here" }
            : { calls: [{ name: "bash", input: { command: "mkfifo never" } }] },
      { onPermission: () => new Promise<string>(() => undefined) },
    );
    const sessionId = id;
    const asked = editor.agent.request(session.prompt, { sessionId, prompt: text("question") });
    await editor.until(({ sessionUpdate }) => sessionUpdate === "tool_call");
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await asked).toMatchObject({ stopReason: "cancelled" });
    await editor.agent.notify(session.cancel, { sessionId: "unknown" });
    expect(await editor.agent.request(session.prompt, { sessionId, prompt: text("and now") })).toMatchObject({
      stopReason: "end_turn",
    });
    expect(editor.said()).toBe("still here");
  });
});

/** The protocol without a library: what no editor should do. */
function rawEditor(place: Workplace) {
  const lines: {
    id?: number;
    error?: { code: number; message: string };
    result?: unknown;
    method?: string;
  }[] = [];
  const heard = new EventEmitter();
  let child: ChildProcess | undefined;
  let rest = "";
  const ended = place.runAlone(["acp", "--model", "anthropic/scripted"], {
    holdsStdin: true,
    onStart(started) {
      child = started;
      started.stdin?.on("error", () => undefined);
      started.stdout?.on("data", (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) lines.push(JSON.parse(part));
        heard.emit("line");
      });
    },
  });
  onTestFinished(async () => {
    child?.stdin?.end();
    await ended;
  });
  const write = (text: string): void => void child?.stdin?.write(text);
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = async (id: number | null) => {
    for (;;) {
      const found = lines.find((line) => line.id === id && line.method === undefined);
      if (found) return found;
      await once(heard, "line");
    }
  };
  const call = (id: number, method: string, params: unknown) => {
    send({ id, method, params });
    return answerTo(id);
  };
  return { write, send, call, answerTo, lines, ended, process: () => child };
}

describe("an editor that breaks the protocol", () => {
  it("gets an error for each, and the connection stays", async () => {
    const server = await startModelServer([{ text: "fine" }]);
    onTestFinished(server.close);
    const place = createWorkplace(server.url);
    const editor = rawEditor(place);
    const hello = { protocolVersion: 1, clientCapabilities: {} };
    expect(await editor.call(1, "initialize", hello)).toMatchObject({ result: { protocolVersion: 1 } });
    expect(await editor.call(2, "no/such/method", {})).toMatchObject({ error: { code: -32601 } });
    expect((await editor.call(3, "session/new", { cwd: 7 })).error).toEqual({
      code: -32602,
      message:
        'Invalid params: "cwd": expected string, found number; "mcpServers": expected array, found nothing',
    });
    for (const [id, method, params, message] of [
      [
        4,
        "session/prompt",
        { prompt: [] },
        /^session "x" is not open: session\/load and session\/resume open one/,
      ],
      [41, "session/set_mode", { modeId: "ask" }, /^session "x" is not open: /],
      [42, "session/delete", {}, /^there is no session "x": session\/list names those that are kept$/],
    ] as const)
      expect(await editor.call(id, method, { sessionId: "x", ...params })).toMatchObject({
        error: { code: -32002, message: expect.stringMatching(message) },
      });
    editor.write('this is not JSON\n[]\n{"jsonrpc":"2.0","id":{},"method":"x"}\n');
    editor.write('{"jsonrpc":"2.0","id":5,"method":"session/list",');
    editor.write('"params":{}}\n'); // a line in two halves
    expect(await editor.answerTo(5)).toMatchObject({ result: { sessions: [] } });
    expect(editor.lines.filter(({ id }) => id === null).map(({ error }) => error)).toEqual([
      {
        code: -32700,
        message: expect.stringMatching(/^expected one JSON message per line, found "this is not JSON"/),
      },
      { code: -32700, message: "expected one message per line, found a batch: send its messages one by one" },
      { code: -32600, message: expect.stringMatching(/^"id" must be an integer or a string of at most/) },
    ]);
    editor.send({ id: 99, result: "to a question that was never asked" });
    const opened = await editor.call(6, "session/new", { cwd: place.cwd, mcpServers: [] });
    const { sessionId } = opened.result as { sessionId: string };
    const both = [7, 8].map((id) =>
      editor.call(id, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] }),
    );
    const answers = await Promise.all(both);
    expect(answers).toMatchObject([
      { result: { stopReason: "end_turn" } },
      { error: { code: -32600, message: expect.stringContaining("a task is running") } },
    ]);
  });

  it("with a message that is too long is told so", LONG_ONLY, async () => {
    const place = createWorkplace("http://127.0.0.1:9");
    const editor = rawEditor(place);
    await editor.call(1, "initialize", { protocolVersion: 1 });
    editor.write(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"`);
    for (let sent = 0; sent < 70; sent++) editor.write("x".repeat(1024 * 1024));
    editor.write('"}}\n');
    const refused = await editor.answerTo(null);
    expect(refused).toMatchObject({
      error: { code: -32700, message: expect.stringContaining("67108864 bytes") },
    });
    expect(await editor.call(3, "session/list", {})).toMatchObject({ result: { sessions: [] } });
  });

  it.each(["SIGTERM", "stdin"] as const)(
    "and leaves by %s in a command takes everything with it",
    async (how) => {
      const server = await startModelServer([
        { calls: [{ name: "bash", input: { command: "echo $$ > pid; sleep 600" } }] },
      ]);
      onTestFinished(server.close);
      const place = createWorkplace(server.url);
      place.settings({ localServers: [], permissions: { allow: ["bash"] }, sandbox: "off" });
      const editor = rawEditor(place);
      await editor.call(1, "initialize", { protocolVersion: 1 });
      const opened = await editor.call(2, "session/new", { cwd: place.cwd, mcpServers: [] });
      const { sessionId } = opened.result as { sessionId: string };
      editor.send({
        id: 3,
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text: "go" }] },
      });
      const pidFile = `${place.cwd}/pid`;
      await untilHolds(() => expect(readFileSync(pidFile, "utf8")).toMatch(/^\d+\n$/));
      if (how === "stdin") editor.process()?.stdin?.end();
      else editor.process()?.kill(how);
      expect(await editor.ended).toMatchObject({ code: how === "stdin" ? 0 : 143 });
      const pid = Number(readFileSync(pidFile, "utf8"));
      await until(() => !isRunning(pid));
      expect(place.problems()).toEqual([]);
    },
  );
});

describe("a client that is not ours", LONG_ONLY, () => {
  it("sends a prompt, answers a question and goes on by its own session", async (context) => {
    const server = await startModelServer(({ rawBody }) =>
      rawBody.includes("make it") && !rawBody.includes("tool_result")
        ? { calls: [{ name: "bash", input: { command: "mkfifo made" } }] }
        : { text: "acpx was here" },
    );
    onTestFinished(server.close);
    const folder = freshFolder("acpx");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const got = await shellLine(
      "npm install --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --prefix . acpx@0.19.1",
      folder,
    );
    const problem = registryProblem(got);
    if (problem !== undefined) context.skip(problem);
    const place = createWorkplace(server.url);
    const env = { ...modelEnvironment(server.url), HOME: place.home, INDUS_HOME: place.home };
    const agent = `${builtCommand()} acp --model anthropic/scripted`;
    const line = `"${folder}/node_modules/.bin/acpx" --agent "${agent}" --approve-all --format text exec "make it"`;
    const said = await shellLine(line, place.cwd, env);
    expect(said).toMatchObject({ ok: true, stdout: expect.stringContaining("acpx was here") });
    expect(said.stdout).toContain("mkfifo made");
    expect(place.problems()).toEqual([]);
  });
});

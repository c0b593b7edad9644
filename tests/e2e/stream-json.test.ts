// `--output-format stream-json` and `--input-format stream-json` in a process of its own: by lines, and by the public library of the agent
// whose programs speak this form.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, modelEnvironment, type Workplace } from "../support/indus.ts";
import { freshFolder, MACHINE_PATH, registryProblem, shellLine } from "../support/installed.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { startSilentRegistry } from "../support/silent-registry.ts";
import { until } from "../support/until.ts";

type Line = Readonly<Record<string, unknown>>;

const MODEL = ["--model", "anthropic/scripted"];
const STREAM = ["--output-format", "stream-json", "--verbose", ...MODEL];

async function workplace(script: Script): Promise<Workplace> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  return createWorkplace(server.url);
}

/** A program that writes and reads lines; `answer` replies to what it is asked. */
function program(
  place: Workplace,
  args: readonly string[],
  answer?: (request: Line) => object | undefined,
  env: Readonly<Record<string, string>> = {},
) {
  const lines: Line[] = [];
  const heard = new PassThrough();
  let write = (_text: string): void => undefined;
  let end = (): void => undefined;
  let kill = (_signal: NodeJS.Signals): void => undefined;
  const send = (message: object): void => write(`${JSON.stringify(message)}\n`);
  const ended = place.runAlone([...STREAM, "--input-format", "stream-json", ...args], {
    ...{ holdsStdin: true, env },
    onStart(child) {
      write = (text) => void child.stdin?.write(text);
      end = () => void child.stdin?.end();
      kill = (signal) => void child.kill(signal);
      let rest = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        const parts = (rest + chunk.toString()).split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts.map((part) => JSON.parse(part) as Line)) {
          lines.push(line);
          const reply = line.type === "control_request" ? answer?.(line.request as Line) : undefined;
          if (reply)
            send({
              type: "control_response",
              response: { subtype: "success", request_id: line.request_id, response: reply },
            });
        }
        heard.emit("line");
      });
    },
  });
  const until = async (isIt: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const found = lines.find(isIt);
      if (found) return found;
      await once(heard, "line");
    }
  };
  const ask = async (id: string, request: object): Promise<unknown> => {
    send({ type: "control_request", request_id: id, request });
    return (await until(({ response }) => (response as Line | undefined)?.request_id === id)).response;
  };
  const say = (text: string): void => send({ type: "user", message: { role: "user", content: text } });
  const results = (): readonly Line[] => lines.filter(({ type }) => type === "result");
  return {
    lines,
    send,
    say,
    write: (text: string) => write(text),
    ask,
    until,
    results,
    leave: () => {
      end();
      return ended;
    },
    /** Closes its end and goes on to listen. */
    close: () => end(),
    kill: (signal: NodeJS.Signals) => {
      kill(signal);
      return ended;
    },
  };
}

function withRule(offered: unknown, ruleContent: string): object {
  return { ...(offered as object), rules: [{ toolName: "Bash", ruleContent }] };
}

const READS = [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "It says hello." }];

describe("one task", () => {
  it("is written as init, answers, results of calls and a result", async () => {
    const place = await workplace(READS);
    place.file("a.txt", "hello\n");
    const { code, stdout, stderr } = await place.run(["-p", "what does it say?", ...STREAM]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(lines.map(({ type }) => type)).toEqual(["system", "assistant", "user", "assistant", "result"]);
    expect(lines[0]).toMatchObject({ subtype: "init", cwd: place.cwd, model: "anthropic/scripted" });
    expect(lines[0].tools).toEqual(expect.arrayContaining(["Bash", "Read", "Edit"]));
    expect(lines[1].message.content).toMatchObject([
      { type: "tool_use", name: "Read", input: { file_path: "a.txt" } },
    ]);
    expect(lines[2].message.content).toMatchObject([
      { type: "tool_result", tool_use_id: lines[1].message.content[0].id, is_error: false },
    ]);
    expect(lines[4]).toMatchObject({
      subtype: "success",
      is_error: false,
      num_turns: 2,
      result: "It says hello.",
    });
    expect(new Set(lines.map((line) => line.session_id)).size).toBe(1);
  });

  it.each([
    ["json", /^\{"type":"result".*"result":"It says hello\.".*\}\n$/],
    ["text", /^It says hello\.\n$/],
  ])("is written as %s alone where that is wanted", async (format, expected) => {
    const place = await workplace(READS);
    place.file("a.txt", "hello\n");
    const { code, stdout } = await place.run(["-p", "go", "--output-format", format, ...MODEL]);
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  it("sends pieces of answers where they are wanted", async () => {
    const place = await workplace([{ thinking: "hm", text: "abc" }]);
    const { stdout } = await place.run(["-p", "go", ...STREAM, "--include-partial-messages"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .flatMap(({ type, event }) => (type === "stream_event" ? [event] : []));
    const text = events.flatMap(({ delta }) => (delta?.type === "text_delta" ? [delta.text] : [])).join("");
    expect(text).toBe("abc");
    expect([events[0].type, events.at(-1).type]).toEqual(["message_start", "message_stop"]);
  });

  it("is its words, then what is piped in; only the words attach files", async () => {
    const place = await workplace(() => ({ text: "ok" }));
    place.file("a.txt", "hello\n");
    const sent = async (words: string, stdin: string) => {
      expect(await place.run(["-p", words, ...STREAM], { stdin })).toMatchObject({ code: 0, stderr: "" });
      const user = place.entries().find(({ type }) => type === "user");
      return user?.type === "user" ? user.content : [];
    };
    expect(await sent("look", "piped @a.txt")).toEqual([{ kind: "text", text: "look\n\npiped @a.txt" }]);
    expect(await sent("look at @a.txt", "piped")).toEqual([
      { kind: "text", text: "look at @a.txt\n\npiped" },
      { kind: "text", text: expect.stringContaining("hello") },
    ]);
  });

  it("goes on though flags of its program do not apply, and says which", async () => {
    const place = await workplace([{ text: "ok" }]);
    const { code, stderr, stdout } = await place.run([
      ...[
        "-p",
        "go",
        "--output-format",
        "text",
        ...MODEL,
        "--setting-sources=user,project",
        "--no-such-thing",
      ],
      ...["--allowedTools", "Bash(git log:*),Read", "Nonsense("],
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "ok\n" });
    expect(stderr).toContain("unknown flag --no-such-thing, which is ignored");
    expect(stderr).toContain("--setting-sources has no effect: ");
    expect(stderr).toContain(`--allowed-tools Nonsense( has no effect: "Nonsense(" is not a permission rule`);
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
  });

  it.each(["Bash(git log", "Bash (git log:*)", "Bash(git log --format=%(refname))"])(
    "lets pass no more than is written: --allowedTools %j",
    async (rule) => {
      const place = await workplace([
        { calls: [{ name: "bash", input: { command: "touch made" } }] },
        { text: "ok" },
      ]);
      await place.run(["-p", "go", ...STREAM, "--permission-mode", "default", "--allowedTools", rule]);
      expect(existsSync(join(place.cwd, "made"))).toBe(false);
      const denied = await place.run(["-p", "go", ...STREAM, "--disallowedTools", "Bash(touch"]);
      expect(denied).toMatchObject({ code: 2, stdout: "" });
      expect(denied.stderr).toContain("It is meant to forbid something, so it cannot be ignored");
    },
  );

  it.each([
    ["Read", "refused"],
    ["", "refused"],
    ["Read,Bash", "ok"],
    ["default", "ok"],
    [undefined, "ok"], // the twin
  ])("has no other built-in tools than --tools %j: a command is %s", async (tools, state) => {
    const call = { name: "bash", input: { command: "mkfifo made; cat a.txt" } };
    const place = await workplace([{ calls: [call] }, { text: "done" }]);
    place.file("a.txt", "text");
    const args = [...STREAM, "--permission-mode", "bypassPermissions"];
    const { code, stderr } = await place.run([
      ...["-p", "go", ...args, ...(tools === undefined ? [] : [`--tools=${tools}`])],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ state });
    expect(existsSync(join(place.cwd, "made"))).toBe(state === "ok");
  });

  it.each([
    [[], [], "failed"],
    [["--grant", "tickets"], [{ name: "tickets", status: "connected" }], "ok"],
  ])("has the MCP servers that the program names, once they are trusted: %j", async (grant, there, state) => {
    const call = { name: "mcp__tickets__say", input: { words: "hello" } };
    const place = await workplace([{ calls: [call] }, { text: "done" }]);
    place.file("server.mjs", MCP_SERVER);
    const servers = { tickets: { command: "node", args: ["server.mjs"] }, own: { type: "sdk", name: "own" } };
    const { code, stderr, stdout } = await place.run([
      ...["-p", "go", ...STREAM, "--permission-mode", "bypassPermissions", ...grant],
      ...["--mcp-config", JSON.stringify({ mcpServers: servers })],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ subtype: "init", mcp_servers: there });
    expect(/tickets.* is not trusted.*pass --grant tickets/.test(stderr)).toBe(state !== "ok");
    expect(stderr).toContain("servers that live in the program have no effect");
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ state });
  });

  it.each([
    ["--output-format takes text, json, stream-json", ["--output-format", "xml"]],
    ["--permission-mode takes default", ["--output-format", "text", "--permission-mode", "yolo"]],
    ["--model needs a value", ["--output-format", "text", "--model"]],
    ["no task given", ["--output-format", "stream-json"]],
  ])("is refused with %j", async (problem, args) => {
    const { code, stderr } = await createWorkplace("http://127.0.0.1:9").run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});

describe("a program", () => {
  it("says hello, sends tasks one after the other, and its results come in order", async () => {
    const place = await workplace(({ rawBody }) => ({ text: rawBody.includes("line two") ? "two" : "one" }));
    const { ask, say, results, leave, lines } = program(place, []);
    expect(await ask("h1", { subtype: "initialize" })).toMatchObject({
      subtype: "success",
      response: {
        commands: expect.arrayContaining([expect.objectContaining({ name: "compact" })]),
        agents: expect.arrayContaining([{ name: "reviewer", description: expect.stringMatching(/./) }]),
      },
    });
    say("line one");
    say("line two");
    expect(await leave()).toMatchObject({ code: 0, stderr: "" });
    expect(results()).toMatchObject([{ result: "one" }, { result: "two" }]);
    expect(lines.filter(({ subtype }) => subtype === "init")).toHaveLength(2);
    expect(place.problems()).toEqual([]);
  });

  it.each([
    ["allows it", { behavior: "allow", updatedInput: { command: "mkfifo made" } }, "ok", 0],
    ["refuses it", { behavior: "deny", message: "not today" }, "refused", 1],
    ["changes it", { behavior: "allow", updatedInput: { command: "rm -rf /" } }, "refused", 1],
  ])("is asked about a call and %s", async (_how, answer, state, denials) => {
    const place = await workplace([
      { calls: [{ name: "bash", input: { command: "mkfifo made" } }] },
      { text: "done" },
    ]);
    const asked: Line[] = [];
    const args = ["--permission-prompt-tool", "stdio", "--permission-mode", "default"];
    const { say, leave, results, until } = program(place, args, (request) => {
      asked.push(request);
      return answer;
    });
    say("go");
    await until(({ type }) => type === "result");
    await leave();
    expect(asked).toMatchObject([
      {
        subtype: "can_use_tool",
        tool_name: "Bash",
        input: { command: "mkfifo made" },
        tool_use_id: expect.any(String),
      },
    ]);
    expect(results()[0]).toMatchObject({ result: "done" });
    expect(results()[0]?.permission_denials).toHaveLength(denials);
    const outcome = place.entries().find(({ type }) => type === "tool");
    expect(outcome).toMatchObject({ state });
    if (state === "refused")
      expect(JSON.stringify(outcome)).toMatch(/not today|changed the call's arguments/);
  });

  it.each([
    ["as it was offered", (offered: unknown) => offered, 1],
    ["with a wider rule", (offered: unknown) => withRule(offered, "mkfifo:*"), 2],
    ["with a narrower rule", (offered: unknown) => withRule(offered, "mkfifo other"), 2],
  ])("takes a rule for the session %s", async (_how, changed, questions) => {
    const call = { name: "bash", input: { command: "mkfifo made || true" } };
    const place = await workplace([{ calls: [call] }, { calls: [call] }, { text: "done" }]);
    let asked = 0;
    const args = ["--permission-prompt-tool", "stdio", "--permission-mode", "default"];
    const { say, leave, until } = program(place, args, (request) => {
      asked += 1;
      const [offered] = request.permission_suggestions as readonly unknown[];
      return { behavior: "allow", updatedPermissions: [changed(offered)] };
    });
    say("go");
    await until(({ type }) => type === "result");
    await leave();
    expect(asked).toBe(questions);
  });

  it("interrupts a task, changes mode and model, and is told what it cannot have", async () => {
    const place = await workplace(({ rawBody }) =>
      rawBody.includes("talk on")
        ? { text: "abc", trouble: { kind: "silence", after: 1 } }
        : { text: "fine" },
    );
    const { ask, say, until, results, leave, write } = program(place, ["--include-partial-messages"]);
    say("talk on");
    await until(({ type }) => type === "stream_event");
    expect(await ask("c1", { subtype: "interrupt" })).toMatchObject({ subtype: "success" });
    await until(({ type }) => type === "result");
    expect(results()[0]).toMatchObject({ is_error: true, subtype: "error_during_execution" });
    expect(await ask("c2", { subtype: "set_permission_mode", mode: "plan" })).toMatchObject({
      subtype: "success",
    });
    expect(await ask("c3", { subtype: "set_model", model: "nowhere/x" })).toMatchObject({ subtype: "error" });
    expect(await ask("c4", { subtype: "make_coffee" })).toMatchObject({
      subtype: "error",
      error: expect.stringContaining("make_coffee"),
    });
    write("not JSON\n");
    write('{"type":"odd"}\n');
    const { code, stderr } = await leave();
    expect(code).toBe(1); // the last task had no answer
    expect(stderr).toContain("a line is not JSON");
    expect(stderr).toContain('a message of the type "odd" is not read');
  });

  it.each(["{broken", "[1]", '"words"'])(
    "that sends %s, which is no message, has that as a result, and a run that failed",
    async (line) => {
      const place = await workplace([{ text: "one" }, { text: "two" }]);
      const { write, say, leave, results } = program(place, []);
      say("first");
      write(`${line}\n`);
      say("second");
      expect(await leave()).toMatchObject({ code: 1, stderr: expect.stringContaining("a line is not") });
      expect(results()).toMatchObject([
        { result: "one" },
        { is_error: true, end: "faulted", result: expect.stringContaining(line) },
        { result: "two" },
      ]);
      const alone = program(place, []);
      alone.write(`${line}\n`);
      expect((await alone.leave()).code).toBe(1);
      expect(alone.results()).toMatchObject([{ is_error: true, result: expect.stringContaining(line) }]);
    },
  );

  it.each(["before", "after"])(
    "that is stopped %s its input ends has the tasks that wait dropped",
    async (when) => {
      const place = await workplace(() => ({ text: "abc", trouble: { kind: "silence", after: 1 } }));
      const { say, until, results, close, kill } = program(place, ["--include-partial-messages"]);
      for (const text of ["talk on", "second", "third"]) say(text);
      if (when === "after") close();
      await until(({ type }) => type === "stream_event");
      const { code, stderr } = await kill("SIGTERM");
      expect(code).toBe(143);
      expect(results()).toHaveLength(1);
      expect(stderr).toContain("2 tasks are not run: a signal ended the session");
      expect(place.entries().filter(({ type }) => type === "user")).toHaveLength(1);
      expect(place.problems()).toEqual([]);
    },
  );

  it.each([
    "",
    [],
    [{ type: "image", source: { type: "base64", data: "###" } }],
    [{ type: "text", text: " " }],
  ])("that sends a message without content has it as the result, in its order: %j", async (content) => {
    const place = await workplace([{ text: "one" }, { text: "two" }]);
    const { send, say, leave, results } = program(place, []);
    say("first");
    send({ type: "user", message: { role: "user", content } });
    say("second");
    expect(await leave()).toMatchObject({ code: 0, stderr: expect.stringContaining("without content") });
    const [{ session_id, usage } = {}] = results();
    expect(session_id).toMatch(/./);
    expect(results()).toMatchObject([
      { result: "one" },
      {
        ...{ is_error: true, end: "faulted", result: "a user message without content is not read" },
        ...{ session_id, usage },
      },
      { result: "two", session_id },
    ]);
  });

  it.each(["text", "json"])("that dies is noticed where only the end is wanted, as %s", async (format) => {
    const requests: unknown[] = [];
    const place = await workplace((request) => {
      requests.push(request);
      return { text: "abc", trouble: { kind: "silence", after: 1 } };
    });
    let child: ChildProcess | undefined;
    const args = ["--input-format", "stream-json", "--output-format", format, ...MODEL];
    const ended = place.runAlone(args, {
      holdsStdin: true,
      onStart(started) {
        child = started;
        started.stdin?.write(`${JSON.stringify({ type: "user", message: { content: "go" } })}\n`);
      },
    });
    await until(() => requests.length > 0);
    for (const pipe of [child?.stdout, child?.stderr, child?.stdin]) pipe?.destroy();
    expect((await ended).code).toBe(1);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
    expect(place.problems()).toEqual([]);
  });

  it("that closes its end and listens on has its answer, where only the end is wanted", async () => {
    const answered = Promise.withResolvers<void>();
    const place = await workplace([{ text: "fine", trouble: { kind: "held", until: answered.promise } }]);
    let stderr = "";
    const ended = place.runAlone(["--input-format", "stream-json", ...MODEL], {
      stdin: `${JSON.stringify({ type: "user", message: { content: "go" } })}\n`,
      onStart: (child) => child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk)),
    });
    const said = "indus: standard input is closed; the task continues to its end\n";
    await until(() => stderr !== "");
    answered.resolve();
    expect(await ended).toEqual({ code: 0, stdout: "fine\n", stderr: said });
  });

  it("that wants to leave by a command is told how it does", async () => {
    const place = await workplace([]);
    const { say, leave, results, ask, until } = program(place, []);
    say("/quit");
    await until(({ type }) => type === "result");
    expect(await ask("r1", { subtype: "run", line: "/quit" })).toMatchObject({
      response: { said: expect.stringContaining("must close the session's input") },
    });
    expect((await leave()).code).toBe(0);
    expect(results()).toMatchObject([{ result: expect.stringContaining("must close the session's input") }]);
  });

  it("is told that words of its command line are not sent, and has an answer to a request that asks nothing, and is told of answers to nothing", async () => {
    const place = await workplace([{ text: "Hello." }]);
    const { send, until, leave } = program(place, ["-p", "do this"]);
    send({ type: "control_request", request_id: "r1" });
    expect(await until(({ type }) => type === "control_response")).toMatchObject({
      response: { subtype: "error", request_id: "r1", error: expect.stringContaining('"request" must be') },
    });
    send({ type: "control_response", response: { subtype: "success", request_id: "none", response: {} } });
    send({ type: "control_request", request: { subtype: "interrupt" } });
    const why = 'a control_request is not answered: expected "request_id" to be a text, found nothing';
    expect(await until(({ type }) => type === "result")).toMatchObject({ is_error: true, errors: [why] });
    send({ type: "user", message: { role: "user", content: "hello" } });
    expect(await until(({ result }) => result === "Hello.")).toMatchObject({
      type: "result",
      is_error: false,
    });
    const { stderr } = await leave();
    expect(stderr).toContain('"do this" is not sent: with --input-format stream-json');
    expect(stderr).toContain('an answer to the request "none" is not used: no such request is open');
  });

  it("may send any character in a line, and no other JSON than objects", async () => {
    const place = await workplace([{ text: "fi\u2028ne" }]);
    const { write, leave, results } = program(place, []);
    write('"hello"\n[1]\n7\n');
    write(JSON.stringify({ type: "user", message: { content: "a\u2028b\u2029c\u0085d" } })); // no line break
    const { code, stderr } = await leave();
    expect(code).toBe(1); // what those lines were to do is not done
    expect(results().map(({ is_error }) => is_error)).toEqual([true, true, true, false]);
    expect(results().at(-1)).toMatchObject({ result: "fi\u2028ne" });
    expect(stderr.trimEnd().split("\n")).toEqual(
      ['"hello"', "[1]", "7"].map((found) =>
        expect.stringContaining(`a line is not a message: expected an object, found ${found}`),
      ),
    );
    expect(place.entries().find(({ type }) => type === "user")).toMatchObject({
      content: [{ text: "a\u2028b\u2029c\u0085d" }],
    });
  });

  it.each([
    ["dontAsk", "from the start", 0, "refused"],
    ["dontAsk", "from a request on", 0, "refused"],
    ["default", "from the start", 1, "ok"], // the twin
  ])("in the mode %s %s it is asked %d times", async (mode, when, times, state) => {
    const place = await workplace([
      { calls: [{ name: "bash", input: { command: "mkfifo made" } }] },
      { text: "done" },
    ]);
    let asked = 0;
    const isAtStart = when === "from the start";
    const args = ["--permission-prompt-tool", "stdio", "--permission-mode", isAtStart ? mode : "default"];
    const { say, ask, leave, until, lines } = program(place, args, () => {
      asked += 1;
      return { behavior: "allow" };
    });
    if (!isAtStart)
      expect(await ask("m", { subtype: "set_permission_mode", mode })).toMatchObject({ response: { mode } });
    say("go");
    await until(({ type }) => type === "result");
    const { stderr } = await leave();
    expect(asked).toBe(times);
    expect(stderr.includes("nobody is asked")).toBe(isAtStart && mode === "dontAsk");
    expect(lines.find(({ subtype }) => subtype === "init")).toMatchObject({ permissionMode: mode });
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ state });
    expect(existsSync(join(place.cwd, "made"))).toBe(state === "ok");
  });

  it("that leaves in the middle of a question leaves no task behind", async () => {
    const place = await workplace([
      { calls: [{ name: "bash", input: { command: "mkfifo made" } }] },
      { text: "done" },
    ]);
    const args = ["--permission-prompt-tool", "stdio", "--permission-mode", "default"];
    const { say, until, leave } = program(place, args);
    say("go");
    await until(({ type }) => type === "control_request");
    expect(await leave()).toMatchObject({ code: 0 });
    expect(JSON.stringify(place.entries())).toContain("the program is gone");
    expect(place.problems()).toEqual([]);
  });
});

describe("while a server of the session is being fetched", () => {
  const SERVERS = JSON.stringify({ mcpServers: { silent: { command: "npx", args: ["-y", "silent"] } } });
  const CONFIG = ["--mcp-config", SERVERS];

  async function fetching(input: readonly object[]) {
    const registry = await startSilentRegistry();
    const place = await workplace(() => ({ text: "never" }));
    const driver = program(place, CONFIG, undefined, registry.env);
    for (const message of input) driver.send(message);
    await until(() => registry.waiting() > 0);
    return { ...driver, place, registry };
  }
  const HELLO = { type: "control_request", request_id: "h1", request: { subtype: "initialize" } };
  const ENDS = { ...HELLO, request: { ...HELLO.request, atEnd: "interrupt" } };
  const TASK = { type: "user", message: { role: "user", content: "go" } };

  it.each([
    ["without a task", [HELLO], { code: 0 }],
    ["whose task ends with it", [ENDS, TASK], { code: 1, stderr: /1 task is not run: the program is gone/ }],
  ] as const)("ends at once with a program %s", async (_which, input, { code, ...said }) => {
    const { leave, registry } = await fetching(input);
    const end = await leave();
    expect(end.code).toBe(code);
    if ("stderr" in said) expect(end.stderr).toMatch(said.stderr);
    expect(registry.waiting()).toBe(0);
  });

  it("ends at once by a signal, and says what is not run", async () => {
    const { kill, registry, results, place } = await fetching([TASK]);
    const end = await kill("SIGTERM");
    expect(end).toMatchObject({
      code: 143,
      stderr: expect.stringContaining("1 task is not run: a signal ended the session"),
    });
    expect([results(), registry.waiting(), place.logs()]).toEqual([[], 0, []]);
  });

  it("an interruption ends the task, and the program goes on", async () => {
    const { ask, results, leave, registry, until: line } = await fetching([TASK]);
    expect(await ask("i1", { subtype: "interrupt" })).toMatchObject({ subtype: "success" });
    await line(({ type }) => type === "result");
    expect(results()).toMatchObject([
      { is_error: true, end: "aborted", errors: ["The task was interrupted."] },
    ]);
    expect(registry.waiting()).toBeGreaterThan(0); // for the next task
    expect(await leave()).toMatchObject({ code: 1 });
    expect(registry.waiting()).toBe(0);
  });

  it.each([
    ["stream-json", ["--output-format", "stream-json"]],
    ["text", []],
    ["json", ["--json"]],
  ])("a task of the command line, written as %s, ends at once by a signal", async (_form, args) => {
    const registry = await startSilentRegistry();
    const place = await workplace([]);
    let child: ChildProcess | undefined;
    const ended = place.runAlone(["-p", "go", ...MODEL, ...CONFIG, ...args], {
      env: registry.env,
      onStart: (started) => (child = started),
    });
    await until(() => registry.waiting() > 0);
    child?.kill("SIGTERM");
    await ended;
    expect([child?.exitCode ?? child?.signalCode, registry.waiting()]).toEqual([
      expect.toBeOneOf([143, "SIGTERM"]),
      0,
    ]);
  });
});

describe("the public library for this form", LONG_ONLY, () => {
  it("runs its quick start: text, a call that is asked about, resume, an answer in a form", async (context) => {
    const folder = freshFolder("agent-library");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const install =
      "npm install --ignore-scripts --omit=optional --no-audit --no-fund --prefer-offline --fetch-retries=1";
    const got = await shellLine(`${install} --prefix . @anthropic-ai/claude-agent-sdk@0.3.332`, folder);
    const problem = registryProblem(got);
    if (problem !== undefined) context.skip(problem);
    const server = await startModelServer(({ rawBody }) =>
      rawBody.includes("in a form")
        ? { text: '{"ok":true}' }
        : rawBody.includes("tool_result")
          ? { text: "made it" }
          : { calls: [{ name: "bash", input: { command: "mkfifo made" } }] },
    );
    onTestFinished(server.close);
    const place = createWorkplace(server.url);
    writeFileSync(
      `${folder}/quick.mjs`,
      `import { query } from "@anthropic-ai/claude-agent-sdk";
const options = { pathToClaudeCodeExecutable: ${JSON.stringify(builtCommand())}, cwd: ${JSON.stringify(place.cwd)}, model: "anthropic/scripted", env: process.env };
const asked = [];
const canUseTool = async (name, input) => { asked.push([name, input]); return { behavior: "allow", updatedInput: input }; };
let first, second;
for await (const message of query({ prompt: "make it", options: { ...options, permissionMode: "default", canUseTool } }))
  if (message.type === "result") first = message;
const outputFormat = { type: "json_schema", schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } };
for await (const message of query({ prompt: "in a form", options: { ...options, resume: first.session_id, outputFormat } }))
  if (message.type === "result") second = message;
console.log(JSON.stringify({ asked, result: first.result, ok: second.structured_output, same: first.session_id === second.session_id }));
`,
    );
    const env = {
      ...modelEnvironment(server.url),
      HOME: place.home,
      INDUS_HOME: place.home,
      PATH: MACHINE_PATH,
    };
    const ran = await shellLine("node quick.mjs 2>/dev/null", folder, env);
    expect(JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "")).toEqual({
      asked: [["Bash", { command: "mkfifo made" }]],
      result: "made it",
      ok: { ok: true },
      same: true,
    });
    expect(place.problems()).toEqual([]);
  });
});

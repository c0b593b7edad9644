// `indus serve` in a process of its own, driven over its pipes and its socket.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";
import { connectAt, type ServeClient, serveAtSocket, serveOverStdio } from "../support/serve-client.ts";
import { startSilentRegistry } from "../support/silent-registry.ts";
import { until } from "../support/until.ts";

async function placeFor(script: Script): Promise<Workplace> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  return createWorkplace(server.url);
}

const text = (said: string) => [{ kind: "text", text: said }];
const call = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });

/** Says how a connection to a socket went. */
const CONNECTS = `require("node:net").connect(process.argv[1])
  .on("connect", () => { process.stdout.write("connected"); process.exit(); })
  .on("error", ({ code }) => process.stdout.write(code));`;

/** A command runs unasked, and its number is the one that this process knows it by. */
const FREE = ["--permission-mode", "bypass", "--sandbox", "off"];

const SLEEPS = call("echo $$ > pid; exec sleep 1000");

/** The number of the process that {@link SLEEPS} became, once it sleeps. */
async function sleeping(place: Workplace): Promise<number> {
  const file = join(place.cwd, "pid");
  const pid = (): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
  await until(() => pid() > 0 && readFileSync(`/proc/${pid()}/comm`, "utf8") === "sleep\n");
  return pid();
}

async function opened(client: ServeClient, place: Workplace): Promise<string> {
  const { id } = await client.request("sessions/open", { cwd: place.cwd });
  return String(id);
}

/** A server at the socket, and a first client with an open session. */
async function socketScene(script: Script, args: readonly string[] = []) {
  const place = await placeFor(script);
  const server = await serveAtSocket(place, args);
  onTestFinished(async () => {
    server.child.kill("SIGTERM");
    await server.ended;
  });
  const client = await connectAt(server.path);
  onTestFinished(client.leave);
  return { place, server, client, session: await opened(client, place) };
}

function stdioScene(place: Workplace, args: readonly string[] = []) {
  const client = serveOverStdio(place, args);
  onTestFinished(async () => {
    client.leave();
    await client.ended;
  });
  return client;
}

const numbers = (client: ServeClient): readonly unknown[] =>
  client.events().flatMap(({ n }) => (n === undefined ? [] : [n]));

describe("over stdin and stdout", () => {
  it("a task runs to its end and is told as it happens, and the process ends with its client", async () => {
    const place = await placeFor([call("echo hello"), { text: "It said hello." }]);
    const client = stdioScene(place);
    const session = await opened(client, place);
    await client.request("subscribe", { session, from: 0 });
    const end = await client.request("submit", { session, content: text("say hello") });
    expect(end).toEqual({ kind: "complete", text: "It said hello.", stop: "complete" });
    const log = place.entries().map(({ n }) => n);
    expect(numbers(client)).toEqual(log);
    expect(client.told("ended")).toEqual([{ session, end }]);
    client.leave();
    expect(await client.ended).toMatchObject({ code: 0, stderr: "" });
    expect(place.problems()).toEqual([]);
  });

  it("a client that leaves ends its task and the commands of that", async () => {
    const place = await placeFor([SLEEPS]);
    const client = stdioScene(place, FREE);
    const session = await opened(client, place);
    void client.request("submit", { session, content: text("wait") }).catch(() => undefined);
    const pid = await sleeping(place);
    client.leave();
    expect((await client.ended).code).toBe(0);
    await until(() => !isRunning(pid));
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });

  it("what can be chosen, asked and moved is answered", async () => {
    const place = await placeFor([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const client = stdioScene(place);
    const session = await opened(client, place);
    const at = (more: object = {}) => ({ session, ...more });
    expect(await client.request("setMode", at({ mode: "plan" }))).toMatchObject({ mode: "plan" });
    expect(await client.request("setThinking", at({ thinking: "high" }))).toMatchObject({ thinking: "high" });
    expect(await client.request("setMode", at({ mode: "acceptEdits" }))).toMatchObject({
      mode: "acceptEdits",
    });
    expect(await client.request("setModel", at({ model: "anthropic/other" }))).toMatchObject({
      model: "anthropic/other",
    });
    await expect(client.request("setModel", at({ model: "nowhere/x" }))).rejects.toThrow(/-32000 .*nowhere/);
    await expect(client.request("setMode", at({ mode: "yolo" }))).rejects.toThrow(
      /unknown mode "yolo"; expected read-only/,
    );
    expect(await client.request("models", at())).toMatchObject({ current: "anthropic/other" });
    expect(await client.request("permissions", at())).toMatchObject({
      mode: "acceptEdits",
      report: expect.stringContaining("Permission mode: acceptEdits"),
    });
    const { commands } = await client.request("commands", at());
    expect(commands).toContainEqual(expect.objectContaining({ name: "compact" }));
    expect(await client.request("run", at({ line: "/status" }))).toMatchObject({
      said: expect.stringContaining(session),
    });
    expect(await client.request("run", at({ line: "/sttus" }))).toMatchObject({ kind: "unknown" });
    for (const said of ["first", "second"]) await client.request("submit", at({ content: text(said) }));
    const copy = await client.request("sessions/fork", at());
    expect(copy.id).not.toBe(session);
    const { left, state } = await client.request("rewind", at({ back: 1 }));
    expect(left).toBe("second");
    expect(state).toMatchObject({ before: [session] });
    // By its first id it is found still.
    expect(await client.request("submit", at({ content: text("again") }))).toMatchObject({ text: "three" });
    const listed = await client.request("sessions/list", { cwd: place.cwd });
    expect(listed.sessions).toHaveLength(3);
    expect(await client.request("sessions/close", at())).toEqual({ problems: [] });
    await expect(client.request("session/state", at())).rejects.toThrow(/-32001 session "[^"]*" is not open/);
    const back = await client.request("sessions/resume", at({ cwd: place.cwd }));
    expect(back).toMatchObject({ id: session, busy: false });
  });

  it.each([
    ["half a line", '{"jsonrpc":"2.0",\n', -32700, /expected one JSON message per line/],
    ["no JSON", "hello\n", -32700, /expected one JSON message per line, found/],
    ["no UTF-8", Buffer.from([0xff, 0xfe, 0x0a]), -32700, /expected UTF-8/],
    ["a batch", "[]\n", -32700, /found a batch/],
    ["no version", '{"id":7,"method":"status"}\n', -32600, /expected "jsonrpc": "2.0", found nothing/],
    [
      "a wrong id",
      '{"jsonrpc":"2.0","id":{},"method":"status"}\n',
      -32600,
      /"id" must be an integer or a string/,
    ],
    ["no method", '{"jsonrpc":"2.0","id":7}\n', -32600, /"method" must be a string, found nothing/],
    ["a text", '"hello"\n', -32700, /expected an object, found/],
    [
      "wrong params",
      '{"jsonrpc":"2.0","id":7,"method":"status","params":[]}\n',
      -32600,
      /"params" must be an object/,
    ],
    [
      "an unknown method",
      '{"jsonrpc":"2.0","id":7,"method":"statsu"}\n',
      -32601,
      /unknown method "statsu"; expected status, /,
    ],
    [
      "a missing parameter",
      '{"jsonrpc":"2.0","id":7,"method":"steer","params":{"session":"x"}}\n',
      -32602,
      /steer: params.content is missing/,
    ],
    [
      "a parameter of another type",
      '{"jsonrpc":"2.0","id":7,"method":"sessions/open","params":{"cwd":1}}\n',
      -32602,
      /params.cwd must be string, found integer/,
    ],
    [
      "an unknown parameter",
      '{"jsonrpc":"2.0","id":7,"method":"sessions/close","params":{"session":"x","sesion":"y"}}\n',
      -32602,
      /params.sesion is unknown; the known fields are session/,
    ],
    [
      "a path for a session",
      '{"jsonrpc":"2.0","id":7,"method":"sessions/resume","params":{"session":"./a.jsonl","cwd":"/"}}\n',
      -32602,
      /params.session must match/,
    ],
    [
      "an unknown session",
      '{"jsonrpc":"2.0","id":7,"method":"interrupt","params":{"session":"x"}}\n',
      -32001,
      /session "x" is not open: no session is open/,
    ],
    [
      "a folder that is none",
      '{"jsonrpc":"2.0","id":7,"method":"sessions/open","params":{"cwd":"/no/such"}}\n',
      -32000,
      /working directory \/no\/such cannot be used/,
    ],
    [
      "a folder by a relative path",
      '{"jsonrpc":"2.0","id":7,"method":"sessions/open","params":{"cwd":"."}}\n',
      -32000,
      /must be an absolute path; got "\."/,
    ],
    [
      "a mode that is none",
      '{"jsonrpc":"2.0","id":7,"method":"sessions/open","params":{"cwd":"/","mode":"yolo"}}\n',
      -32000,
      /unknown permission mode "yolo"; expected read-only, plan, ask, acceptEdits, auto, bypass/,
    ],
  ] as const)(
    "%s is an error that says so, and the connection stays",
    async (_what, bytes, code, message) => {
      const client = stdioScene(createWorkplace());
      client.raw(bytes);
      await until(() => client.messages.length > 0);
      expect(client.messages[0]?.error).toEqual({ code, message: expect.stringMatching(message) });
      expect(await client.request("status")).toMatchObject({ protocol: 1, sessions: [] });
    },
  );

  it("what cannot be sent, or gone back to, is refused, and leaves nothing in the log", async () => {
    const place = await placeFor([{ text: "one" }, { text: "two" }]);
    const client = stdioScene(place);
    const session = await opened(client, place);
    const submit = (content: object) => client.request("submit", { session, content });
    await submit(text("first"));
    for (const [content, why] of [
      [text(" "), "block 0 of the prompt cannot be sent: its text is blank"],
      [
        [{ kind: "image", mediaType: "image/png", data: "aGk=" }],
        "block 0 .*: its data is no picture in base64",
      ],
    ] as const) {
      const message = expect.stringMatching(why);
      expect(await submit(content)).toMatchObject({ kind: "faulted", fault: { kind: "config", message } });
      await expect(client.request("steer", { session, content })).rejects.toThrow(/-32602 steer: block 0/);
    }
    await expect(client.request("jump", { session, to: 9999 })).rejects.toThrow("has no entry 9999");
    expect(await submit(text("second"))).toMatchObject({ text: "two" });
    const types = place.entries().map(({ type }) => type);
    expect(types.filter((type) => ["user", "queued", "jump"].includes(type))).toEqual(["user", "user"]);
    expect(place.problems()).toEqual([]);
  });

  it.each(['"id":7,"result":{}', '"id":null,"error":{"code":-32600,"message":"no"}'])(
    "an answer to nothing is said on its side, and is not answered: %s",
    async (fields) => {
      const client = serveOverStdio(createWorkplace());
      client.raw(`{"jsonrpc":"2.0",${fields}}\n`);
      await client.request("status");
      expect(client.messages.map(({ id }) => id)).toEqual([1]);
      client.leave();
      expect((await client.ended).stderr).toContain("received an answer that matches no request");
    },
  );

  it("a last line needs no line break", async () => {
    const client = serveOverStdio(createWorkplace());
    client.raw('{"jsonrpc":"2.0","id":7,"method":"status"}');
    client.leave();
    await client.ended;
    expect(client.messages).toMatchObject([{ id: 7, result: { protocol: 1 } }]);
  });

  it("a line of 100 MB is refused, and a flood of requests is answered, each", async () => {
    const client = stdioScene(createWorkplace());
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    for (let at = 0; at < 100; at++) client.raw(piece);
    client.raw("\n");
    await until(() => client.messages.length > 0);
    expect(client.messages[0]?.error?.message).toMatch(/^a line of more than 67108864 bytes/);
    const answers = await Promise.allSettled(Array.from({ length: 2000 }, () => client.request("status")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["fulfilled"]));
  });
});

describe("at a socket", () => {
  it("a session goes on when its client leaves, and one that comes back gets what it missed, once", async () => {
    const { place, server, client, session } = await socketScene([
      call("until test -e go; do sleep 0.05; done; echo gone"),
      { text: "Done." },
    ]);
    await client.request("subscribe", { session, from: 0 });
    void client.request("submit", { session, content: text("wait") }).catch(() => undefined);
    await until(() => client.events().some(({ type }) => type === "tool_start"));
    const before = numbers(client);
    client.leave();
    place.file("go", "");
    const again = await connectAt(server.path);
    onTestFinished(again.leave);
    const from = Number(before.at(-1)) + 1;
    await again.request("subscribe", { session, from });
    await until(async () => (await again.request("session/state", { session })).busy === false);
    await until(() => numbers(again).at(-1) === place.entries().at(-1)?.n);
    expect([...before, ...numbers(again)]).toEqual(place.entries().map(({ n }) => n));
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "complete" });
  });

  it("clients that die, send half a line or read nothing leave it as it was", async () => {
    const { place, server, client, session } = await socketScene([
      { text: "word ".repeat(1000) },
      { text: "ok" },
    ]);
    await client.request("submit", { session, content: text("talk") });
    const [dies, halves, deaf] = await Promise.all([1, 2, 3].map(() => connectAt(server.path)));
    if (!dies || !halves || !deaf) throw new Error("not connected");
    dies.raw('{"jsonrpc":"2.0","id":1,"method":"status"}\n');
    dies.leave();
    halves.raw('{"jsonrpc":"2.0","id":1,"meth');
    halves.leave();
    const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params: { session, from: 0 } })}\n`;
    deaf.pause();
    deaf.raw(line.repeat(2000));
    expect(await client.request("submit", { session, content: text("go on") })).toMatchObject({ text: "ok" });
    deaf.leave();
    await until(async () => (await client.request("status")).clients === 1);
    expect(place.problems()).toEqual([]);
  });

  it("several clients see one session; the first answer to a question counts", async () => {
    const { place, server, client, session } = await socketScene([call("mkfifo made"), { text: "made" }]);
    const other = await connectAt(server.path);
    onTestFinished(other.leave);
    for (const each of [client, other]) await each.request("subscribe", { session });
    const end = client.request("submit", { session, content: text("go") });
    await until(() => other.told("question").length > 0 && client.told("question").length > 0);
    const [asked] = other.told("question");
    expect(asked).toMatchObject({ id: 1, question: { kind: "permission", permission: { tool: "bash" } } });
    // A client that comes later is asked as well.
    const late = await connectAt(server.path);
    onTestFinished(late.leave);
    await late.request("subscribe", { session, from: 0 });
    expect(late.told("question")).toEqual([asked]);
    const wrong = { session, id: 1, answer: { kind: "choice", choice: 0 } };
    await expect(client.request("answer", wrong)).rejects.toThrow(
      /-32602 the answer to this question must be one of once, session, no.*found choice/,
    );
    const yes = { session, id: 1, answer: { kind: "once" } };
    await other.request("answer", yes);
    await expect(client.request("answer", yes)).rejects.toThrow(/-32001 question 1 was answered already/);
    await expect(client.request("answer", { ...yes, id: 9 })).rejects.toThrow(/question 9 was never asked/);
    expect(await end).toMatchObject({ kind: "complete", text: "made" });
    expect(client.told("answered")).toEqual([{ session, id: 1 }]);
    expect(numbers(client)).toEqual(numbers(other));
    expect(numbers(late)).toEqual(place.entries().map(({ n }) => n));
    await expect(client.request("submit", { session, content: text("x") })).resolves.toMatchObject({
      kind: expect.stringMatching(/complete|faulted/),
    });
  });

  it.each([
    ["a tool", [call("exec sleep 1000")], "tool_start"],
    ["a question", [call("mkfifo made")], "question"],
    ["a stream", [{ text: "begin", trouble: { kind: "silence", after: 1 } }], "delta"],
  ] as const)("a task in %s is aborted at once", async (_where, script, sign) => {
    const { client, session } = await socketScene(script as Script);
    await client.request("subscribe", { session });
    const end = client.request("submit", { session, content: text("go") });
    await until(() => client.told(sign).length > 0 || client.events().some(({ type }) => type === sign));
    await client.request("interrupt", { session });
    expect(await end).toEqual({ kind: "aborted" });
  });

  it("a second server is refused, a socket of a dead one is taken over, and no command outlives it", async () => {
    const { place, server, client, session } = await socketScene([SLEEPS], FREE);
    await expect(serveAtSocket(place)).rejects.toThrow(
      /indus serve is already running: .* is in use by process \d+\. indus attach shows/,
    );
    void client.request("submit", { session, content: text("wait") }).catch(() => undefined);
    const pid = await sleeping(place);
    server.child.kill("SIGKILL");
    await server.ended;
    await until(() => !isRunning(pid));
    expect(existsSync(server.path)).toBe(true);
    const next = await serveAtSocket(place);
    onTestFinished(async () => {
      next.child.kill("SIGTERM");
      await next.ended;
    });
    const other = await connectAt(next.path);
    onTestFinished(other.leave);
    expect(await other.request("sessions/resume", { session, cwd: place.cwd })).toMatchObject({
      id: session,
    });
  });

  it("it lies in a folder that its owner alone can enter, and in no other one", async () => {
    const place = createWorkplace();
    const folder = join(place.home, "serve");
    const refused = () => place.runAlone(["serve", "--socket", "--idle", "0.001"]);
    // Without the check it would be there.
    expect(await refused()).toMatchObject({ code: 0, stdout: `${join(folder, "serve.sock")}\n` });
    chmodSync(folder, 0o755);
    expect((await refused()).stderr).toMatch(
      /serve can be entered by other users \(mode 755\)\. Run chmod 700/,
    );
    writeFileSync(join(folder, "serve.sock"), "");
    expect((await place.runAlone(["attach"])).stderr).toMatch(/can be entered by other users/);
    chmodSync(folder, 0o700);
    const elsewhere = join(dirname(place.home), "elsewhere");
    renameSync(folder, elsewhere);
    symlinkSync(elsewhere, folder);
    expect((await refused()).stderr).toMatch(/serve is a link or a file.*: expected a folder/);
  });

  it.skipIf(lacks("root", process.getuid?.() === 0))(
    "another user cannot connect (twin: where the folder is open they can, and neither a server nor a client uses it)",
    async () => {
      const place = createWorkplace();
      const runtime = mkdtempSync("/tmp/indus-run-"); // the folder of the tests may be closed to others itself
      onTestFinished(() => rmSync(runtime, { recursive: true }));
      chmodSync(runtime, 0o755);
      const env = { XDG_RUNTIME_DIR: runtime };
      const server = await serveAtSocket(place, [], env);
      const other = () =>
        spawnSync(process.execPath, ["-e", CONNECTS, server.path], { uid: 65_534, gid: 65_534, cwd: "/" });
      expect(other().stdout.toString()).toBe("EACCES");
      chmodSync(dirname(server.path), 0o755);
      chmodSync(server.path, 0o666);
      expect(other().stdout.toString()).toBe("connected");
      const attached = await place.runAlone(["attach"], { env });
      expect(attached).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/can be entered by other users/),
      });
      server.child.kill("SIGTERM");
      await server.ended;
      const next = await place.runAlone(["serve", "--socket"], { env });
      expect(next).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/Run chmod 700 on it/),
      });
    },
  );

  it("it lies in the runtime folder where there is one, and ends when nobody needs it", async () => {
    const place = createWorkplace();
    const runtime = join(dirname(place.home), "run");
    mkdirSync(runtime, { mode: 0o700 });
    const end = await place.runAlone(["serve", "--socket", "--idle", "0.001"], {
      env: { XDG_RUNTIME_DIR: runtime },
    });
    expect(end.stdout).toMatch(new RegExp(`^${runtime}/indus/serve-[0-9a-f]{12}\\.sock\n$`));
    expect(end).toMatchObject({
      code: 0,
      stderr: "indus: serve ends: no connection, task or background work for 0.001 minutes\n",
    });
    expect(existsSync(end.stdout.trim())).toBe(false);
  });
});

it("ends at once when its client goes while a server of a session is being fetched", async () => {
  const registry = await startSilentRegistry();
  const servers = JSON.stringify({ mcpServers: { silent: { command: "npx", args: ["-y", "silent"] } } });
  const place = createWorkplace("http://127.0.0.1:9");
  const client = serveOverStdio(place, ["--mcp-config", servers], registry.env);
  const answered = client.request("sessions/open", { cwd: place.cwd }).then(
    () => "opened",
    () => "refused",
  );
  await until(() => registry.waiting() > 0);
  client.leave();
  expect(await client.ended).toMatchObject({ code: 0 });
  expect(await answered).toBe("refused");
});

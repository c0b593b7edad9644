// Every front that a program drives over pipes, under the same faults of that program: it dies, stops in the middle of a line, sends a line
// of 100 MB, asks for what is not there, under ids that are none, and answers twice. What a front does beyond that is in its own file.

import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace, type Finished, type Workplace } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { until } from "../support/until.ts";

type Message = Readonly<Record<string, unknown>> & { readonly params?: never; readonly result?: never };

/** What a program sends to a front, and how it reads what comes back. */
interface Front {
  readonly name: string;
  readonly args: readonly string[];
  /** What opens a connection; each has an answer. */
  readonly hello: (place: Workplace) => readonly object[];
  /** Gives a task to the session that was opened. */
  readonly task: (id: number, session: string) => object;
  /** A request that is answered at any time, and one for something that is not there. */
  readonly probe: (id: unknown) => object;
  readonly unknown: (id: unknown) => object;
  /** An answer to a request that nobody made. */
  readonly stray: (id: unknown) => object;
  /** The id of the request that a message answers. */
  readonly idOf: (message: Message) => unknown;
  readonly isError: (message: Message) => boolean;
  /** A yes and then a no to the question that a message is, if it is one. */
  readonly answers: (message: Message, session: string) => readonly object[] | undefined;
  /** Whether a message is the end of the task with this id. */
  readonly isEnd: (message: Message, id: number) => boolean;
}

const rpc = (id: unknown, method: string, params: object = {}): object => ({
  ...{ jsonrpc: "2.0", id, method, params },
});
const reply = (id: unknown, result: object): object => ({ jsonrpc: "2.0", id, result });
const isReply = (message: Message): boolean => message.method === undefined;
const text = (words: string): readonly object[] => [{ type: "text", text: words }];

const OF_RPC = {
  stray: (id: unknown) => reply(id, {}),
  idOf: (message: Message) => (isReply(message) ? message.id : undefined),
  isError: (message: Message) => message.error !== undefined,
  isEnd: (message: Message, id: number) => isReply(message) && message.id === id,
};

const control = (id: unknown, request: object): object => ({
  ...{ type: "control_request", request_id: id, request },
});
const responseOf = ({ response }: Message) => response as Readonly<Record<string, unknown>> | undefined;

interface Form {
  readonly requestedSchema: {
    readonly properties: { readonly answer: { readonly oneOf: readonly { const: string; title: string }[] } };
  };
}

const FRONTS: readonly Front[] = [
  {
    ...{ name: "acp", args: ["acp"], ...OF_RPC },
    hello: ({ cwd }) => [
      rpc(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
      rpc(2, "session/new", { cwd, mcpServers: [] }),
    ],
    task: (id, sessionId) => rpc(id, "session/prompt", { sessionId, prompt: text("go") }),
    probe: (id) => rpc(id, "session/list"),
    unknown: (id) => rpc(id, "session/nonsense"),
    answers({ method, id, params }) {
      if (method !== "session/request_permission") return undefined;
      const [first] = (params as unknown as { readonly options: readonly { readonly optionId: string }[] })
        .options;
      return [
        reply(id, { outcome: { outcome: "selected", optionId: first?.optionId } }),
        reply(id, { outcome: { outcome: "cancelled" } }),
      ];
    },
  },
  {
    ...{ name: "serve", args: ["serve"], ...OF_RPC },
    hello: ({ cwd }) => [rpc(1, "status"), rpc(2, "sessions/open", { cwd })],
    task: (id, session) => rpc(id, "submit", { session, content: [{ kind: "text", text: "go" }] }),
    probe: (id) => rpc(id, "status"),
    unknown: (id) => rpc(id, "nonsense"),
    answers({ method, params }, session) {
      if (method !== "question") return undefined;
      const { id } = params as unknown as { readonly id: number };
      return [
        rpc(901, "answer", { session, id, answer: { kind: "once" } }),
        rpc(902, "answer", { session, id, answer: { kind: "no" } }),
      ];
    },
  },
  {
    name: "stream-json",
    args: [
      ...["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
      ...["--permission-prompt-tool", "stdio"],
    ],
    hello: () => [control(1, { subtype: "initialize" })],
    task: () => ({ type: "user", message: { role: "user", content: "go" } }),
    probe: (id) => control(id, { subtype: "mcp_status" }),
    unknown: (id) => control(id, { subtype: "nonsense" }),
    stray: (id) => ({
      type: "control_response",
      response: { subtype: "success", request_id: id, response: {} },
    }),
    idOf: (message) => responseOf(message)?.request_id,
    isError: (message) => responseOf(message)?.subtype === "error",
    isEnd: ({ type }) => type === "result",
    answers({ type, request_id }) {
      if (type !== "control_request") return undefined;
      const answer = (response: object) => ({
        type: "control_response",
        response: { subtype: "success", request_id, response },
      });
      return [answer({ behavior: "allow" }), answer({ behavior: "deny", message: "no" })];
    },
  },
  {
    ...{ name: "mcp serve", args: ["mcp", "serve"], ...OF_RPC },
    hello: () => [
      rpc(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: { elicitation: {} },
        clientInfo: { name: "a", version: "1" },
      }),
    ],
    task: (id) => rpc(id, "tools/call", { name: "run_task", arguments: { task: "go" } }),
    probe: (id) => rpc(id, "ping"),
    unknown: (id) => rpc(id, "nonsense/x"),
    answers({ method, id, params }) {
      if (method !== "elicitation/create") return undefined;
      const { requestedSchema } = params as unknown as Form;
      const yes = requestedSchema.properties.answer.oneOf.find(({ title }) => title === "Yes")?.const;
      return [reply(id, { action: "accept", content: { answer: yes } }), reply(id, { action: "decline" })];
    },
  },
];

async function opened(front: Front, script: Script, permissions: object = { mode: "ask" }) {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  place.settings({ localServers: [], sandbox: "off", permissions });
  let child: ChildProcess | undefined;
  const messages: Message[] = [];
  let rest = "";
  const ended: Promise<Finished> = place.runAlone([...front.args, "--model", "anthropic/scripted"], {
    holdsStdin: true,
    onStart(started) {
      child = started;
      started.stdin?.on("error", () => undefined); // the process ended first, which its end tells
      started.stdout?.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        messages.push(...lines.map((line) => JSON.parse(line) as Message));
      });
    },
  });
  const write = (bytes: string | Uint8Array): void => void child?.stdin?.write(bytes);
  const send = (message: object): void => write(`${JSON.stringify(message)}\n`);
  const find = async (isIt: (message: Message) => boolean): Promise<Message> => {
    await until(() => messages.some(isIt));
    return messages.find(isIt) as Message;
  };
  let session = "";
  for (const [at, message] of front.hello(place).entries()) {
    send(message);
    const answer = await find((each) => front.idOf(each) === at + 1);
    const { sessionId, id } = (answer.result ?? {}) as Readonly<Record<string, unknown>>;
    session = String(sessionId ?? id ?? "");
  }
  if (front.name === "serve") send(rpc(3, "subscribe", { session }));
  onTestFinished(async () => {
    child?.stdin?.end();
    await ended;
  });
  return {
    ...{ place, server, messages, ended, write, send, find },
    session: () => session,
    task: (id: number) => send(front.task(id, session)),
    /** It still answers. */
    async lives(id: number) {
      send(front.probe(id));
      expect(front.isError(await find((each) => front.idOf(each) === id))).toBe(false);
    },
    leave: () => void child?.stdin?.end(),
    /** As a program that was killed: both of its ends are closed. */
    die() {
      child?.stdin?.destroy();
      child?.stdout?.destroy();
    },
  };
}

const FINE: Script = () => ({ text: "fine" });
const named = FRONTS.map((front) => [front.name, front] as const);
const SILENT: Script = () => ({ text: "abc", trouble: { kind: "silence", after: 1 } });

describe.each(named)("%s: a program", (name, front) => {
  // A session of one program has done less than it was sent; the others answer each request by itself.
  const lostLine = name === "stream-json" ? 1 : 0;

  it("that dies while the model is silent takes everything with it", async () => {
    const { server, task, die, ended, place } = await opened(front, SILENT);
    task(10);
    await until(() => server.requests.length > 0);
    die();
    expect((await ended).code).not.toBe(null); // by itself
    expect(place.problems()).toEqual([]);
  });

  it("that dies while a command runs takes everything with it", async () => {
    const command = "echo $$ > pid; exec tail -f /dev/null";
    const { task, die, ended, place } = await opened(
      front,
      [{ calls: [{ name: "bash", input: { command } }] }],
      {
        allow: ["bash"],
      },
    );
    task(10);
    const pid = (): string =>
      existsSync(`${place.cwd}/pid`) ? readFileSync(`${place.cwd}/pid`, "utf8") : "";
    await until(() => pid().endsWith("\n"));
    die();
    expect((await ended).code).not.toBe(null); // by itself
    await until(() => !isRunning(Number(pid())));
    expect(place.problems()).toEqual([]);
  });

  it("that ends in the middle of a line is done", async () => {
    const { write, leave, ended, lives } = await opened(front, FINE);
    write(JSON.stringify(front.probe(20)).slice(0, 20));
    write(`${JSON.stringify(front.probe(20)).slice(20)}\n`); // in two halves
    await lives(21);
    write(JSON.stringify(front.probe(22)).slice(0, 20));
    leave();
    expect((await ended).code).toBe(lostLine);
  });

  it(
    "that sends a line of 100 MB is told, and goes on",
    name === "stream-json" ? {} : LONG_ONLY,
    async () => {
      const { write, lives, messages, leave, ended } = await opened(front, FINE);
      const before = messages.length;
      write('{"a":"');
      const piece = Buffer.alloc(1024 * 1024, 0x78);
      for (let at = 0; at < 100; at++) write(piece);
      write('"}\n');
      await lives(30);
      const told = messages.slice(before).filter((message) => front.idOf(message) !== 30);
      leave();
      const { stderr, code } = await ended;
      expect(code).toBe(lostLine);
      expect(`${JSON.stringify(told)}${stderr}`).toContain("67108864 bytes");
    },
  );

  it("that asks for what is not there, or under an id that is none or taken, has it said, and goes on", async () => {
    const { send, find, lives } = await opened(front, FINE);
    send(front.unknown(40));
    const refused = await find((message) => front.idOf(message) === 40);
    expect(front.isError(refused)).toBe(true);
    expect(JSON.stringify(refused)).toContain("nonsense");
    for (const id of [{}, null, 1.5, [], true, "x".repeat(100_000), undefined]) send(front.probe(id));
    for (const id of [41, 41]) send(front.probe(id));
    await lives(41);
    await lives(42);
  });

  it("that answers what nobody asked, and a question twice, has its first answer counted, and goes on", async () => {
    const { send, find, lives, task, place, session } = await opened(front, [
      { calls: [{ name: "bash", input: { command: "mkfifo made" } }] },
      { text: "fine" },
    ]);
    for (const id of [77, "77", "77"]) send(front.stray(id));
    task(50);
    const question = await find((message) => front.answers(message, session()) !== undefined);
    for (const answer of front.answers(question, session()) ?? []) send(answer);
    await find((message) => front.isEnd(message, 50));
    expect(place.entries().filter(({ type }) => type === "tool")).toMatchObject([{ state: "ok" }]);
    expect(existsSync(`${place.cwd}/made`)).toBe(true);
    await lives(51);
    expect(place.problems()).toEqual([]);
  });
});

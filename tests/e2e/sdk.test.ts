// `induscode/sdk`, here and in a process of `indus` of its own: the same options, events and results.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Ask,
  openSession,
  type QueryOptions,
  query,
  type SdkSession,
  type SessionOptions,
  type Transport,
  tool,
} from "../../packages/induscode/src/boot/sdk/index.ts";
import type { TaskEvent, TaskResult } from "../../packages/induscode/src/boot/sdk/task-events.ts";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, modelEnvironment, type Workplace } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { until } from "../support/until.ts";

interface Here {
  readonly place: Workplace;
  readonly options: SessionOptions;
}

async function here(script: Script, transport: Transport): Promise<Here> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  const env = {
    PATH: process.env.PATH,
    HOME: place.home,
    INDUS_HOME: place.home,
    ...modelEnvironment(server.url),
  };
  return { place, options: { cwd: place.cwd, env, model: "anthropic/scripted", mode: "ask", transport } };
}

async function eventsOf(options: QueryOptions): Promise<readonly (TaskEvent | TaskResult)[]> {
  const events = [];
  for await (const event of query(options)) events.push(event);
  return events;
}

async function opened(options: SessionOptions): Promise<SdkSession> {
  const session = await openSession(options);
  onTestFinished(async () => void (await session.close()));
  return session;
}

const touch = (n: number) => ({
  calls: [{ id: `c_${n}`, name: "bash", input: { command: "touch new.txt" } }],
});
const ADDON = `export default (surface) => surface.addTool({
  name: "notes_say", description: "says", parameters: { type: "object" }, run: () => "said",
});
`;
const NO_END = { text: "begun", trouble: { kind: "silence", after: 1 } } as const;

describe.each([
  ["here", "here"],
  ["in a child", { command: builtCommand() }],
] as const)("%s", (_where, transport) => {
  it("a task is its texts, calls and outcomes, and the result last", async () => {
    const { place, options } = await here(
      [
        { thinking: "hm", text: "I look.", calls: [{ name: "read", input: { path: "a.txt" } }] },
        { text: "It says hello." },
      ],
      transport,
    );
    place.file("a.txt", "hello\n");
    const events = await eventsOf({ ...options, prompt: "what does it say?" });
    expect(events).toMatchObject([
      { type: "thinking", text: "hm" },
      { type: "text", text: "I look." },
      { type: "call", tool: "read", input: { path: "a.txt" } },
      { type: "outcome", tool: "read", state: "ok", text: expect.stringContaining("hello") },
      { type: "text", text: "It says hello." },
      { type: "result", kind: "complete", text: "It says hello.", output: undefined },
    ]);
    expect(place.problems()).toEqual([]);
  });

  it.each([
    [undefined, "refused"],
    [{ kind: "no", reason: "not today" }, "refused"],
    [{ kind: "once" }, "ok"],
    [{ kind: "session" }, "ok"],
  ] as const)("an answer %j leaves a call %s", async (answer, state) => {
    const { options } = await here([touch(1), touch(2), { text: "done" }], transport);
    const asked: object[] = [];
    const ask =
      answer &&
      ((question: object) => {
        asked.push(question);
        return answer;
      });
    const events = await eventsOf({ ...options, ask, prompt: "go" });
    const outcomes = events.filter((event) => event.type === "outcome");
    expect(outcomes).toMatchObject([{ state }, { state }]);
    if (answer?.kind === "no") expect(outcomes[0]?.text).toContain("not today");
    if (answer) expect(asked[0]).toMatchObject({ tool: "bash", input: { command: "touch new.txt" } });
    expect(asked).toHaveLength(answer === undefined ? 0 : answer.kind === "session" ? 1 : 2);
  });

  it.each<readonly [string, Ask, string]>([
    [
      "fails",
      () => {
        throw new Error("no idea");
      },
      "the program could not answer: no idea",
    ],
    [
      "answers what is none",
      () => ({ kind: "yes" }) as never,
      'must have the kind "once", "session" or "no"; it was {"kind":"yes"}',
    ],
    ["answers nothing", () => undefined as never, 'must have the kind "once", "session" or "no"'],
  ])("a program that %s has said no", async (_how, ask, why) => {
    const { options } = await here([touch(1), { text: "done" }], transport);
    const events = await eventsOf({ ...options, ask, prompt: "go" });
    expect(events.find((event) => event.type === "outcome")).toMatchObject({
      state: "refused",
      text: expect.stringContaining(why),
    });
  });

  it("a question is taken back when its task is interrupted", async () => {
    const { options } = await here([touch(1)], transport);
    const abort = new AbortController();
    const takenBack = Promise.withResolvers<void>();
    const ask: Ask = (_question, signal) =>
      new Promise(() => {
        signal.addEventListener("abort", () => takenBack.resolve());
        abort.abort();
      });
    const result = await query({ ...options, ask, signal: abort.signal, prompt: "go" }).result();
    expect(result).toMatchObject({ kind: "aborted" });
    await takenBack.promise;
  });

  it("nothing is forked while a task runs, and a query runs once", async () => {
    const { options } = await here([NO_END], transport);
    const session = await opened(options);
    const running = session.submit("wait");
    await expect(session.fork(1)).rejects.toMatchObject({ name: "Problem" });
    session.interrupt();
    await running;
    const task = query({ ...options, signal: AbortSignal.abort(), prompt: "go" });
    for await (const event of task) expect(event).toEqual(await task.result());
    expect(() => task[Symbol.asyncIterator]()).toThrow("a query runs once");
  });

  it("an answer in a form has its type", async () => {
    const { options } = await here([{ text: "no idea" }, { text: '{"names":["a"]}' }], transport);
    const outputSchema = {
      type: "object",
      properties: { names: { type: "array", items: { type: "string" } } },
      required: ["names"],
    } as const;
    const result = await query({ ...options, outputSchema, prompt: "names?" }).result();
    const names: readonly string[] = result.kind === "complete" ? result.output.names : [];
    expect(names).toEqual(["a"]);
  });

  it("pieces come where they are wanted", async () => {
    const { options } = await here([{ text: "abc" }], transport);
    const events = await eventsOf({ ...options, pieces: true, prompt: "go" });
    const pieces = events.flatMap((event) => (event.type === "piece" ? event.text : []));
    expect(pieces.join("")).toBe("abc");
  });

  it("a signal ends it, before it begins as well", async () => {
    const { options } = await here([{ text: "fine" }, NO_END], transport);
    const abort = new AbortController();
    const prompt = "wait";
    expect(await query({ ...options, signal: AbortSignal.abort(), prompt }).result()).toMatchObject({
      kind: "aborted",
    });
    const session = await opened({ ...options, signal: abort.signal });
    const { usage } = await session.submit("be quick");
    expect(usage.outputTokens).toBeGreaterThan(0);
    const running = session.submit(prompt);
    expect(await session.submit("another")).toMatchObject({
      ...{ kind: "faulted", fault: { kind: "busy" }, usage },
    });
    abort.abort();
    expect(await running).toMatchObject({ kind: "aborted" });
  });

  it.each([
    ["left", () => undefined],
    ["thrown out of", () => expect.unreachable("the loop's own error")],
  ])("a loop that is %s interrupts the task, which has its result", async (_how, leave) => {
    const { place, options } = await here([{ text: "first", calls: touch(1).calls }, NO_END], transport);
    const task = query({ ...options, prompt: "go" });
    const loop = async (): Promise<void> => {
      for await (const event of task) {
        if (event.type !== "outcome") continue;
        leave();
        break;
      }
    };
    await loop().catch((error) => expect(String(error)).toContain("the loop's own error"));
    const [session] = place.entries();
    const sessionId = session?.type === "session" ? session.id : "";
    expect(await task.result()).toMatchObject({ kind: "aborted", sessionId });
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });

  it("a result is there although nobody takes the events, and a problem is everybody's", async () => {
    const { options } = await here([{ text: "one" }, { text: "two" }], transport);
    const task = query({ ...options, prompt: "go" });
    const events = task[Symbol.asyncIterator]();
    await events.next();
    expect(await task.result()).toMatchObject({ kind: "complete", text: "one" });
    await events.return?.();
    const bad = query({ ...options, mode: "yolo" as "auto", prompt: "go" });
    await expect(bad[Symbol.asyncIterator]().next()).rejects.toThrow("yolo");
    await expect(bad.result()).rejects.toThrow("yolo");
  });

  it("a listener that fails is told of, and the others hear everything", async () => {
    const { options } = await here([{ text: "one" }], transport);
    const session = await opened(options);
    session.subscribe(() => {
      throw new Error("no idea");
    });
    const heard: (TaskEvent | TaskResult)[] = [];
    session.subscribe((event) => void heard.push(event));
    expect(await session.submit("go")).toMatchObject({ kind: "complete" });
    const text = "A listener of the session failed: no idea";
    expect(heard).toContainEqual({ type: "notice", level: "error", text });
    expect(heard).toContainEqual({ type: "text", text: "one" });
  });

  it.each<readonly [unknown, RegExp]>([
    [" \n", /the prompt is blank/],
    [undefined, /expected a text, or a list of blocks .*, found nothing/],
    [
      [
        { kind: "text", text: "look" },
        { kind: "image", mediaType: "image/png", data: "###" },
      ],
      /block 1 .* no picture/,
    ],
    [[{ kind: "audio" }], /block 0 .*found \{"kind":"audio"\}/],
  ])("a prompt that cannot be sent is a fault that says why: %j", async (prompt, message) => {
    const { options, place } = await here([{ text: "fine" }], transport);
    const session = await opened(options);
    expect(await session.submit(prompt as string)).toMatchObject({
      ...{ kind: "faulted", fault: { kind: "config", message: expect.stringMatching(message) } },
    });
    expect(await session.submit("go")).toMatchObject({ kind: "complete", text: "fine" });
    expect(place.entries().filter(({ type }) => type === "user")).toHaveLength(1);
  });

  it.each<readonly [string, (session: SdkSession) => unknown, RegExp]>([
    ["fork", ({ fork }) => fork("1" as never), /^fork takes the number of .*; got "1"$/],
    ["fork", ({ fork }) => fork(-1), /^fork takes the number of .*; got -1$/],
    ["rewind", ({ rewind }) => rewind(Number.NaN), /^rewind takes .*; got NaN$/],
    ["steer", ({ steer }) => steer(" "), /^steer takes a text; got " "$/],
    ["subscribe", ({ subscribe }) => subscribe({} as never), /^subscribe takes a function; got \{\}$/],
  ])("what cannot be meant is a problem, and the conversation stays: %s", async (_what, ask, message) => {
    const { options, place } = await here([{ text: "one" }, { text: "two" }], transport);
    const session = await opened(options);
    await session.submit("a");
    await expect((async () => ask(session))()).rejects.toMatchObject({
      ...{ name: "Problem", message: expect.stringMatching(message) },
    });
    await session.submit("b");
    expect(place.entries().filter(({ type }) => type === "user")).toHaveLength(2);
    expect(place.logs()).toHaveLength(1);
  });

  it.each([
    [undefined, "failed"],
    [["notes"], "ok"],
  ])("an addon of the folder that is trusted by %j leaves its tool %s", async (grant, state) => {
    const call = { name: "notes_say", input: {} };
    const { options, place } = await here([{ calls: [call] }, { text: "done" }], transport);
    place.file(".indus/addons/notes/index.ts", ADDON);
    const session = await opened({ ...options, grant, mode: "bypass" });
    await session.submit("go");
    const outcome = place.entries().find(({ type }) => type === "tool");
    expect(outcome).toMatchObject({ state });
    expect(session.notices.join("\n").includes("is not trusted")).toBe(state !== "ok");
  });

  it("a session that was closed takes no task", async () => {
    const { options, place } = await here([{ text: "fine" }], transport);
    const session = await openSession(options);
    await session.close();
    expect(await session.submit("go")).toMatchObject({
      fault: { kind: "broken", message: expect.stringContaining("the session is closed") },
    });
    for (const late of [() => session.fork(0), () => session.rewind(1), async () => session.steer("on")])
      await expect(late()).rejects.toThrow("the session is closed");
    expect(place.logs()).toEqual([]);
  });

  it("a text with the separators of Unicode arrives as it is", async () => {
    const text = "a\u2028b\u2029c\u0085d\r\ne";
    const { options } = await here([{ text }], transport);
    expect(await query({ ...options, prompt: text }).result()).toMatchObject({ kind: "complete", text });
  });

  it("a session steers, forks, rewinds and goes on later", async () => {
    const { place, options } = await here(
      [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }],
      transport,
    );
    const session = await opened(options);
    const first = session.id();
    session.steer("by the way");
    expect(await session.submit("a")).toMatchObject({ kind: "complete", sessionId: first });
    expect(await session.submit("b")).toMatchObject({ text: "two" });
    const forked = await session.fork(1);
    expect(session.id()).toBe(forked);
    expect(forked).not.toBe(first);
    expect(await session.submit("c")).toMatchObject({ text: "three", sessionId: forked });
    expect(await session.rewind(9)).toMatch(/\S/);
    expect(await session.close()).toEqual([]);
    const later = await opened({ ...options, resume: forked });
    expect(later.id()).toBe(forked);
    expect(await later.submit("d")).toMatchObject({ text: "four" });
    const lines = place.entries().flatMap((entry) => (entry.type === "user" ? entry.content : []));
    expect(JSON.stringify(lines)).toContain("by the way");
  });

  it("a limit on model calls ends a task with that fault", async () => {
    const { options } = await here([touch(1), touch(2), { text: "done" }], transport);
    const result = await query({ ...options, maxTurns: 1, prompt: "go" }).result();
    expect(result).toMatchObject({ kind: "faulted", fault: { kind: "turn_budget" } });
  });

  it.each([
    ["a rule that is none", { allow: ["nonsense("] }, /nonsense/],
    ["a folder that is not there", { cwd: "/no/such/folder" }, /no\/such\/folder/],
    ["a mode that is none", { mode: "yolo" as "auto" }, /read-only, .*got "yolo"/],
    ["a session that is not there", { resume: "gone" }, /gone/],
    [
      "an option that there is not",
      { maxTurn: 1 },
      /^query: unknown option "maxTurn"; did you mean maxTurns\?$/,
    ],
    ["an option of another language", { output_schema: {} }, /did you mean outputSchema\?$/],
    [
      "an option like no other",
      { temperature: 1 },
      /^query: unknown option .*; expected one of prompt, cwd, /,
    ],
    ["a text for a list", { deny: "bash" }, /^deny takes a list of texts; got "bash"$/],
    ["an option that is null", { allow: null }, /^allow takes a list of texts; got null$/],
    ["a controller for a signal", { signal: new AbortController() }, /^signal takes an AbortSignal; got /],
    ["no amount", { maxCost: Number.NaN }, /^maxCost takes an amount in dollars above 0; got NaN$/],
    [
      "arguments for a command",
      { transport: { command: "/no/indus", args: [] } },
      /^transport: unknown option "args"; expected one of command$/,
    ],
  ])("rejects with a problem for %s", async (_what, bad, message) => {
    const { options } = await here([], transport);
    const given = { ...options, ...(bad as SessionOptions), prompt: "go" };
    await expect(query(given).result()).rejects.toMatchObject({
      name: "Problem",
      message: expect.stringMatching(message),
    });
  });
});

it("the door of the package is the command's own files", async () => {
  const { place, options } = await here([{ text: "bundled" }], "here");
  builtCommand();
  const from = (path: string): string =>
    JSON.stringify(new URL(`../../packages/${path}`, import.meta.url).href);
  const source = `import * as door from ${from("induscode/dist/app/door-sdk.mjs")};
    import { Aborted } from ${from("indusagi/src/core/index.ts")};
    const options = ${JSON.stringify(options)};
    const provider = { id: "own", stream: () => { throw new Aborted(); } };
    const model = { provider, model: "m", card: { contextWindow: 9999, maxOutputTokens: 999 } };
    const wrong = await door.query({ ...options, mode: "yolo", prompt: "go" }).result().catch((error) => error);
    console.log(JSON.stringify({
      text: (await door.query({ ...options, prompt: "go" }).result()).text,
      isProblem: wrong instanceof door.Problem,
      own: (await door.query({ ...options, model, prompt: "go" }).result()).kind,
    }));`;
  const argv = ["--conditions=indus-source", "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: place.cwd });
  expect(JSON.parse(stdout)).toEqual({ text: "bundled", isProblem: true, own: "aborted" });
});

describe("a process of its own", () => {
  it("is refused what cannot cross", async () => {
    const own = tool({
      name: "now",
      description: "n",
      input: { type: "object" },
      touches: [],
      run: () => "noon",
    });
    const { options } = await here([], "child");
    for (const [more, message] of [
      [{ tools: [own] }, /^tools: functions cannot be passed to another process/],
      [{ hooks: [{ event: "turn:end", kind: "observe", run: () => undefined }] }, /^hooks: functions/],
      [{ allow: ["bash(a) b(c)"] }, /^the rule "bash\(a\) b\(c\)" cannot be passed/],
    ] as const)
      await expect(query({ ...options, ...more, prompt: "go" }).result()).rejects.toThrow(message);
  });

  /** A command that is no `indus`, or one around it: its lines of shell, with `$INDUS`. */
  async function started(script: Script, lines: string) {
    const { options } = await here(script, "child");
    const command = join(options.cwd ?? "", "other-indus");
    const pidFile = join(options.cwd ?? "", "pid");
    const INDUS = builtCommand();
    writeFileSync(command, `#!/bin/sh\nINDUS='${INDUS}'\necho $$ > '${pidFile}'\n${lines}\n`, {
      mode: 0o755,
    });
    return {
      options: { ...options, transport: { command } },
      pid: () => Number(readFileSync(pidFile, "utf8")),
      hasStarted: () => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"),
    };
  }

  it("that ends is a fault of the task with what it said last, and one that does not start a problem", async () => {
    const { options, pid } = await started([NO_END], `echo 'about to end' >&2\nexec "$INDUS" "$@"`);
    const session = await opened(options);
    const running = session.submit("wait");
    process.kill(pid(), "SIGKILL");
    const message = "indus ended (SIGKILL)\nabout to end";
    expect(await running).toMatchObject({ kind: "faulted", fault: { kind: "broken", message } });
    expect(await session.submit("more")).toMatchObject({ fault: { kind: "broken", message } });
    await expect(openSession({ ...options, prompt: "go" } as SessionOptions)).rejects.toThrow(
      'openSession: unknown option "prompt"',
    );
    await expect(openSession({ ...options, transport: { command: "/no/such/indus" } })).rejects.toThrow(
      /indus cannot be started: .*ENOENT/,
    );
  });

  it.each([
    ["half a line", `printf '{"type":"resu'; echo why >&2; exit 7`, /^indus ended \(exit code 7\)\n/],
    [
      "a line without an end",
      "yes | tr -d '\\n'",
      /^indus was ended: it wrote a line of more than 67108864 bytes/,
    ],
    [
      "nothing, and leaves its pipes to another process",
      "sleep 600 & echo $! > left; exit 8",
      /^indus ended \(exit code 8\)/,
    ],
  ])("that writes %s is gone, and that is a problem", async (_what, lines, problem) => {
    const { options, pid } = await started([], lines);
    await expect(openSession(options)).rejects.toMatchObject({
      name: "Problem",
      message: expect.stringMatching(problem),
    });
    expect(isRunning(pid())).toBe(false);
    const left = join(options.cwd ?? "", "left");
    if (existsSync(left)) process.kill(Number(readFileSync(left, "utf8")), "SIGKILL");
  });

  it("that never answers is ended with the signal", async () => {
    const { options, pid, hasStarted } = await started([], "exec sleep 600");
    const abort = new AbortController();
    const result = query({ ...options, signal: abort.signal, prompt: "go" }).result();
    await until(hasStarted);
    abort.abort();
    expect(await result).toMatchObject({ kind: "aborted" });
    await until(() => !isRunning(pid()));
  });

  it("ends with the program, however that ends", async () => {
    const { options, pid } = await started([NO_END], `exec "$INDUS" "$@"`);
    const door = new URL("../../packages/induscode/src/boot/sdk/index.ts", import.meta.url);
    const source = `import { openSession } from ${JSON.stringify(door.href)};
      const session = await openSession({ ...${JSON.stringify(options)}, pieces: true });
      session.subscribe(() => console.log("begun"));
      await session.submit("wait");`;
    const program = spawn(
      process.execPath,
      ["--conditions=indus-source", "--input-type=module", "--eval", source],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void program.kill("SIGKILL"));
    await once(program.stdout, "data");
    program.kill("SIGKILL");
    await until(() => !isRunning(pid()));
  });
});

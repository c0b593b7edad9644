import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  AssistantMessage,
  ModelDelta,
  ModelProvider,
  ModelRequest,
  ModelResult,
  Usage,
} from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import { PATIENCE_MS, until } from "../../../../tests/support/until.ts";
import type { Deck } from "../deck/contract.ts";
import type { FenceOptions } from "../feature/dispatch/fence.ts";
import { createHooks } from "../feature/dispatch/hooks.ts";
import type { EventSubscription } from "../feature/handler.ts";
import { createConductor } from "./conductor.ts";
import type { ConductorDeps } from "./conductor-deps.ts";
import type { ConductorEvent, Entry } from "./contract.ts";
import { createLog, LogError, openLog, type SessionLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";
import { NO_MASK } from "./masked.ts";
import { findLogProblems, verifyEntries } from "./verify.ts";

const usage = (inputTokens: number): Usage => ({
  inputTokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});
const say = (text: string, inputTokens = 1): ModelResult => reply([{ kind: "text", text }], inputTokens);
const call = (name: string, id = "c1"): ModelResult =>
  reply([{ kind: "tool_call", id, name, input: { path: "a" } }], 1);

function reply(content: AssistantMessage["content"], inputTokens: number): ModelResult {
  const stop = content.some((block) => block.kind === "tool_call") ? "tool_calls" : "complete";
  return { ok: true, reply: { message: { role: "assistant", content }, stop, usage: usage(inputTokens) } };
}

type Turn = ModelResult | ((request: ModelRequest, signal: AbortSignal) => Promise<ModelResult>);

interface Given {
  readonly turns: readonly Turn[];
  readonly contextWindow?: number;
  readonly log?: SessionLog;
  readonly entries?: readonly Entry[];
  readonly run?: Deck["run"];
  readonly subscriptions?: readonly EventSubscription[];
  readonly compose?: ConductorDeps["compose"];
  readonly mask?: NonNullable<ConductorDeps["mask"]>;
  /** What the provider streams during an answer. */
  readonly deltas?: readonly ModelDelta[];
  /** Whether the first listener wants them. */
  readonly pieces?: boolean;
  readonly countTokens?: NonNullable<ModelProvider["countTokens"]>;
}

const FENCE: FenceOptions = { deadlineMs: PATIENCE_MS, onGateFailure: "allow", onFault: () => undefined };

function session({
  turns,
  contextWindow = 1_000_000,
  log,
  entries = [],
  run,
  subscriptions = [],
  compose,
  mask,
  deltas = [],
  pieces = true,
  countTokens,
}: Given) {
  const folder = mkdtempSync(join(tmpdir(), "indus-conductor-"));
  const requests: string[] = [];
  let next = 0;
  let logs = 0;
  const provider: ModelProvider = {
    id: "table",
    stream: async (request, { signal, onDelta }) => {
      requests.push(JSON.stringify(request.messages));
      for (const delta of deltas) onDelta(delta);
      const turn = turns[next++];
      if (!turn) return { ok: false, fault: { kind: "exhausted", message: "the table has no further turn" } };
      return typeof turn === "function" ? turn(request, signal) : turn;
    },
    countTokens,
  };
  const nextLog = (): SessionLog => {
    const id = `s${++logs}`;
    return createLog({ id, path: join(folder, `${id}.jsonl`), cwd: "/w", version: "1" });
  };
  const deps: ConductorDeps = {
    log: log ?? nextLog(),
    entries,
    nextLog,
    resolveModel: async (name) =>
      name.startsWith("table/")
        ? {
            ok: true,
            provider,
            model: name.slice(6),
            card: { provider: "table", id: "m", contextWindow, maxOutputTokens: 10 },
          }
        : { ok: false, fault: { kind: "not_found", message: `no ${name}` } },
    modelName: "table/m",
    deck: {
      descriptors: [{ name: "read", description: "", parameters: {} }],
      exec: () => Promise.reject(new Error("no commands here")),
      waits: () => false,
      warmUp: async () => undefined,
      named: [],
      meant: (call) => call,
      beginTurn: () => undefined,
      beginRequest: () => undefined,
      ownerOf: () => undefined,
      run: run ?? (async ({ id }) => ({ id, output: "seen", text: "seen", isError: false, state: "ok" })),
    },
    hooks: createHooks({ subscriptions, interceptors: [] }, FENCE).dispatcher,
    compose: compose ?? (() => "the prompt"),
    params: {},
    mask,
  };
  const conductor = createConductor(deps);
  const events: ConductorEvent[] = [];
  conductor.subscribe((event) => events.push(event), { pieces });
  const line = (text: string) => conductor.submit({ content: [{ kind: "text", text }] });
  const logged = (): readonly Entry[] => readEntries(conductor.status().logPath).entries;
  return { conductor, events, requests, line, logged };
}

const types = (entries: readonly Entry[]): readonly string[] => entries.map((entry) => entry.type);

describe("submit", () => {
  it("logs every step before anyone hears of it", async () => {
    const { conductor, events, line, logged } = session({ turns: [call("read"), say("done")] });
    const durable: boolean[] = [];
    conductor.subscribe((event) => {
      if (event.kind === "entry") durable.push(logged().some((entry) => entry.n === event.entry.n));
    });
    expect(await line("go")).toEqual({ kind: "complete", text: "done", stop: "complete" });
    expect(durable.length).toBeGreaterThan(5);
    expect(durable.every(Boolean)).toBe(true);
    expect(types(logged())).toEqual([
      "session",
      "user",
      "prompt",
      "request",
      "assistant",
      "tool",
      "request",
      "assistant",
      "end",
    ]);
    expect(events.filter((event) => event.kind === "tool_end")).toEqual([
      {
        kind: "tool_end",
        callId: "c1",
        name: "read",
        title: "a",
        state: "ok",
        durationMs: expect.any(Number),
      },
    ]);
  });

  it("refuses a second one during a run", async () => {
    const { line } = session({ turns: [async () => say("slow")] });
    const [first, second] = await Promise.all([line("one"), line("two")]);
    expect(first.kind).toBe("complete");
    expect(second).toMatchObject({ kind: "faulted", fault: { kind: "busy" } });
  });

  it("ends a model fault as a logged fault with its message, and goes on afterwards", async () => {
    const { line, logged } = session({
      turns: [{ ok: false, fault: { kind: "auth", message: "no key" } }, say("ok")],
    });
    expect(await line("one")).toMatchObject({ kind: "faulted", fault: { kind: "model", message: "no key" } });
    expect(logged().at(-1)).toMatchObject({
      type: "end",
      how: "faulted",
      fault: { kind: "model", message: "no key" },
    });
    expect(await line("two")).toMatchObject({ kind: "complete", text: "ok" });
  });

  it("lets a steering line join at the next model call", async () => {
    const { conductor, line, logged, requests } = session({
      turns: [call("read"), say("done")],
      run: async ({ id }) => {
        conductor.steer([{ kind: "text", text: "left, please" }]);
        return { id, output: "", text: "", isError: false, state: "ok" };
      },
    });
    await line("go");
    expect(requests[1]).toContain("left, please");
    expect(
      logged()
        .filter((entry) => entry.type === "user")
        .map((entry) => entry.via),
    ).toEqual(["submit", "steer"]);
  });

  it("stops when the log cannot take an entry: the model is not asked, the person is told", async () => {
    const full: SessionLog = {
      id: "full",
      path: "/full",
      append: () => {
        throw new LogError("no space left on device");
      },
      sync: () => undefined,
      flush: async () => undefined,
      hear: () => undefined,
      held: () => undefined,
      beginAt: () => undefined,
      close: () => undefined,
    };
    const { line, requests, events } = session({ turns: [say("never")], log: full });
    expect(await line("go")).toMatchObject({
      kind: "faulted",
      fault: { kind: "log", message: "no space left on device" },
    });
    expect(requests).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ kind: "fault" }));
  });

  it("survives a listener that throws", async () => {
    const { conductor, events, line } = session({ turns: [say("done")] });
    conductor.subscribe(() => {
      throw new Error("bad listener");
    });
    expect(await line("go")).toMatchObject({ kind: "complete" });
    expect(events).toContainEqual({
      kind: "fault",
      fault: { kind: "listener", message: "A listener of the session failed: bad listener" },
    });
  });
});

describe("an answer that comes in pieces", () => {
  const fault = { kind: "server", message: "busy" } as const;
  const deltas: readonly ModelDelta[] = [
    { kind: "retry", attempt: 1, waitMs: 1, fault },
    { kind: "text", text: "do" },
    { kind: "text", text: "ne" },
  ];
  const streams = () => {
    let made = 0;
    const stream = () => {
      made++;
      return NO_MASK.stream();
    };
    return { mask: { ...NO_MASK, stream }, made: () => made };
  };

  it.each([
    [false, ["retry"], 0],
    [true, ["retry", "text", "text"], 1],
  ] as const)("is masked and told where somebody listens to it: %s", async (pieces, told, masked) => {
    const { mask, made } = streams();
    const { events, line } = session({ turns: [say("done")], deltas, mask, pieces });
    expect(await line("go")).toEqual({ kind: "complete", text: "done", stop: "complete" });
    const kinds = events.flatMap((event) => (event.kind === "delta" ? [event.delta.kind] : []));
    expect(kinds).toEqual(told);
    expect(made()).toBe(masked);
  });

  it("is told from the moment that somebody listens, and no longer", async () => {
    const { conductor, events, line } = session({
      turns: [say("a"), say("b"), say("c")],
      deltas: deltas.slice(1),
      pieces: false,
    });
    const heard: ConductorEvent[] = [];
    await line("one");
    const stop = conductor.subscribe((event) => heard.push(event));
    await line("two");
    stop();
    stop();
    await line("three");
    expect(heard.filter(({ kind }) => kind === "delta")).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === "delta")).toHaveLength(2); // whatever is emitted reaches all listeners
  });
});

describe("the model's view", () => {
  it("is rebuilt from the log: another process goes on with the same messages", async () => {
    const first = session({ turns: [call("read"), say("done")] });
    await first.line("go");
    const { logPath } = first.conductor.status();
    await first.conductor.close();
    const opened = openLog(logPath);
    const second = session({ turns: [say("again")], log: opened.log, entries: opened.entries });
    await second.line("more");
    expect(second.requests[0]?.startsWith(first.requests[1]?.slice(0, -1) ?? "x")).toBe(true);
    await second.conductor.close();
    expect(verifyEntries(readEntries(logPath).entries)).toEqual({ requests: 3, mismatches: [] });
  });

  it("tells the model how late it is when it goes on after more than an hour, once", async () => {
    const first = session({ turns: [say("one")] });
    await first.line("hello");
    const path = first.conductor.status().logPath;
    await first.conductor.close();
    const goOn = async (agoMs: number): Promise<string> => {
      const { log, entries } = openLog(path);
      const aged = entries.map((entry) => ({ ...entry, at: Date.now() - agoMs }));
      const next = session({ turns: [say("two"), say("three")], log, entries: aged });
      await next.line("again");
      await next.line("and again");
      await next.conductor.close();
      return next.requests.at(-1) ?? "";
    };
    expect(await goOn(0)).not.toContain("continues after a pause");
    const told = (await goOn(3_600_001)).match(/continues after a pause: it is now \d{4}-\d\d-\d\dT/g);
    expect(told).toHaveLength(1);
  });

  it("keeps the clock of its prompt when it goes on, and a new session has its own", async () => {
    const clocks: number[] = [];
    const compose = (clock: number): string => {
      clocks.push(clock);
      return "the prompt";
    };
    const first = session({ turns: [say("one")], compose });
    await first.line("hello");
    await first.conductor.close();
    const { log, entries } = openLog(first.conductor.status().logPath);
    const prompt = entries.find((entry) => entry.type === "prompt");
    const next = session({ turns: [say("two"), say("three")], log, entries, compose });
    await next.line("again");
    expect(clocks).toEqual([prompt?.clock, prompt?.clock]);
    next.conductor.renew();
    await next.line("anew");
    expect(clocks[2]).not.toBe(prompt?.clock);
  });

  it("logs what was allowed, and leaves no log of a session in which nobody said a line", async () => {
    const approval = { kind: "network", tool: "webfetch", host: "example.com" } as const;
    const silent = session({ turns: [] });
    silent.conductor.noteApproval(approval);
    await silent.conductor.close();
    expect(existsSync(silent.conductor.status().logPath)).toBe(false);
    const { conductor, line, logged } = session({ turns: [say("one")] });
    conductor.noteApproval(approval);
    await line("hello");
    conductor.noteApproval(approval);
    expect(types(logged()).filter((type) => type === "approval")).toHaveLength(2);
    expect(types(logged()).slice(0, 3)).toEqual(["session", "user", "approval"]);
  });

  it("shows a changed log: a digest no longer fits", async () => {
    const { line, logged } = session({ turns: [say("done"), say("x")] });
    await line("pay 10");
    await line("thanks");
    const forged = logged().map((entry) =>
      entry.type === "user" && entry.n === 1
        ? { ...entry, content: [{ kind: "text" as const, text: "pay 1000" }] }
        : entry,
    );
    expect(verifyEntries(forged).mismatches).toHaveLength(2);
  });

  it("is empty after clear, and the log keeps everything", async () => {
    const { conductor, line, logged, requests } = session({ turns: [say("one"), say("two")] });
    await line("first");
    expect(conductor.clear()).toBeUndefined();
    await line("second");
    expect(requests[1]).not.toContain("first");
    expect(types(logged())).toContain("clear");
    expect(verifyEntries(logged()).mismatches).toEqual([]);
  });

  it("is the summary after compact; what the person wants kept is asked for", async () => {
    const { conductor, line, logged, requests } = session({
      turns: [say("one"), say("THE SUMMARY"), say("two")],
    });
    await line("first");
    expect(await conductor.compact("the port number")).toBeUndefined();
    await line("second");
    expect(requests[1]).toContain("Keep above all: the port number");
    expect(requests[2]).toContain("[summary of the session so far]\\nTHE SUMMARY");
    expect(requests[2]).not.toContain("first");
    expect(verifyEntries(logged()).mismatches).toEqual([]);
  });

  it("is compacted by itself near the window's end, in the middle of a run", async () => {
    const { line, requests, logged } = session({
      contextWindow: 100,
      turns: [
        reply([{ kind: "tool_call", id: "c1", name: "read", input: {} }], 90),
        say("THE SUMMARY"),
        say("done"),
      ],
    });
    expect(await line("long work")).toMatchObject({ kind: "complete", text: "done" });
    expect(requests[2]).toContain("THE SUMMARY");
    expect(types(logged())).toContain("summary");
  });

  it.each([
    ["more, and is compacted", 900, 500, 1, true],
    ["fewer than estimated, and is not", 700, 650, 1, false],
    ["nothing: the estimate decides, and it is not compacted", undefined, 500, 1, false],
    ["nothing: the estimate decides, and it is compacted", undefined, 650, 1, true],
    ["nobody asked: there is much room", 900, 10, 0, false],
    ["nobody asked: there is none", 1, 900, 0, true],
  ] as const)("near the window's end the provider counts %s", async (_, counted, used, asked, isFull) => {
    let counts = 0;
    const read = reply([{ kind: "tool_call", id: "c1", name: "read", input: {} }], used);
    const { line, logged } = session({
      contextWindow: 1_000,
      turns: [read, ...(isFull ? [say("THE SUMMARY")] : []), say("done")],
      run: async ({ id }) => {
        const text = "words".repeat(160);
        return { id, output: text, text, isError: false, state: "ok" };
      },
      countTokens: async ({ messages }) => {
        counts++;
        expect(messages.at(-1)?.role).toBe("tool");
        return counted;
      },
    });
    expect(await line("go")).toMatchObject({ kind: "complete", text: "done" });
    expect([counts, types(logged()).includes("summary")]).toEqual([asked, isFull]);
    expect(verifyEntries(logged()).mismatches).toEqual([]);
  });

  it("counts what is new as the provider counted what was before: dense text has more tokens", async () => {
    const dense = session({ turns: [say("ok", 200)], compose: () => "p".repeat(300) });
    await dense.line("x".repeat(100));
    const plain = session({ turns: [say("ok", 1)], compose: () => "p".repeat(300) });
    await plain.line("x".repeat(100));
    const estimated = async ({ conductor, line }: typeof dense): Promise<number> => {
      const before = conductor.status().contextTokens;
      await line("y".repeat(1_000));
      return conductor.status().contextTokens - before;
    };
    expect(await estimated(dense)).toBeGreaterThan((await estimated(plain)) * 1.3);
  });

  it.each([
    ["refused", [{ kind: "text", text: "I cannot help with that." }], "refusal", "refused to write"],
    ["cut", [{ kind: "text", text: "Goal: the" }], "max_output", "was truncated at the model's output limit"],
    ["a call", [{ kind: "tool_call", id: "c", name: "read", input: {} }], "tool_calls", "called a tool"],
    ["empty", [{ kind: "text", text: " " }], "complete", "wrote no summary"],
  ] as const)(
    "stays as it is when the summary is %s, and the task goes on",
    async (_, content, stop, why) => {
      const full = (text: string): ModelResult => say(text, 85);
      const summary: ModelResult = {
        ok: true,
        reply: { message: { role: "assistant", content }, stop, usage: usage(1) },
      };
      const { line, requests, logged, events, conductor } = session({
        contextWindow: 100,
        turns: [full("one"), summary, full("two"), summary],
      });
      await line("the first line");
      expect(await line("the second line")).toMatchObject({ kind: "complete", text: "two" });
      expect(requests[2]).toContain("the first line");
      expect(types(logged())).not.toContain("summary");
      expect(events).toContainEqual({ kind: "alert", text: expect.stringContaining(why) });
      expect(await conductor.compact("")).toMatchObject({ message: expect.stringContaining(why) });
      expect(verifyEntries(logged()).mismatches).toEqual([]);
    },
  );

  it("asks for a summary that failed again once a twentieth of the window more is filled", async () => {
    const failed: ModelResult = { ok: false, fault: { kind: "server", message: "500" } };
    const calls = (id: string, tokens: number): ModelResult =>
      reply([{ kind: "tool_call", id, name: "read", input: {} }], tokens);
    const { line, requests } = session({
      contextWindow: 10_000,
      turns: [calls("a", 8_100), failed, calls("b", 8_200), calls("c", 9_000), say("SUMMARY"), say("done")],
    });
    expect(await line("go")).toMatchObject({ kind: "complete", text: "done" });
    expect(requests.map((each) => each.includes("Use these headings"))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it("that does not fit becomes a shortened copy where no summary is to be had, and ever shorter", async () => {
    const over: ModelResult = { ok: false, fault: { kind: "overflow", message: "too long" } };
    const refused: ModelResult = {
      ok: true,
      reply: {
        message: { role: "assistant", content: [{ kind: "text", text: "No." }] },
        stop: "refusal",
        usage: usage(1),
      },
    };
    const asks = reply([{ kind: "tool_call", id: "c1", name: "read", input: {} }], 1);
    const { line, requests, logged, events, conductor } = session({
      turns: [asks, over, refused, over, over, say("done")],
      run: async ({ id }) => {
        const text = `begins ${"x".repeat(40_000)} ends`;
        return { id, output: text, text, isError: false, state: "ok" };
      },
    });
    expect(await line("why is it slow?")).toMatchObject({ kind: "complete", text: "done" });
    const last = requests.slice(3).map(({ length }) => length);
    expect(last).toEqual(last.toSorted((a, b) => b - a));
    expect(requests.at(-1)).toContain("why is it slow?");
    expect(logged().filter((entry) => entry.type === "summary" && entry.origin === "digest")).toHaveLength(3);
    expect(events).toContainEqual({ kind: "alert", text: expect.stringContaining("a shortened copy") });
    expect(verifyEntries(logged()).mismatches).toEqual([]);
    const read = readEntries(conductor.status().logPath);
    expect(findLogProblems(read, verifyEntries(read.entries))).toEqual([]);
  });

  it("closes a call that an earlier process left open", async () => {
    const first = session({ turns: [call("read")], run: () => new Promise(() => undefined) });
    void first.line("go");
    await until(
      () => existsSync(first.conductor.status().logPath) && types(first.logged()).includes("assistant"),
    );
    const { entries } = readEntries(first.conductor.status().logPath);
    const second = session({
      turns: [say("ok")],
      entries: readEntries(first.conductor.status().logPath).entries,
    });
    expect(entries.at(-1)?.type).toBe("assistant");
    await second.line("go on");
    expect(second.requests[0]).toContain("The program ended before this call finished.");
    first.conductor.abort();
  });
});

describe("control", () => {
  it("switches the model from the next call on, and refuses an unknown one", async () => {
    const { conductor, line, logged } = session({ turns: [say("one"), say("two")] });
    await line("first");
    expect(await conductor.setModel("nobody/x")).toMatchObject({ kind: "config", message: "no nobody/x" });
    expect(await conductor.setModel("table/other")).toBeUndefined();
    await line("second");
    expect(logged().flatMap((entry) => (entry.type === "prompt" ? [entry.model] : []))).toEqual([
      "table/m",
      "table/other",
    ]);
  });

  it("renew starts another log and forgets the view", async () => {
    const { conductor, line, requests } = session({ turns: [say("one"), say("two")] });
    await line("first");
    const before = conductor.status().logPath;
    expect(conductor.renew()).toBeUndefined();
    await line("second");
    expect(conductor.status().logPath).not.toBe(before);
    expect(requests[1]).not.toContain("first");
  });

  it("refuses clear, compact and renew during a run", async () => {
    const { conductor, line, requests } = session({ turns: [() => new Promise(() => undefined)] });
    const running = line("go");
    await until(() => requests.length > 0);
    expect(conductor.clear()).toMatchObject({ kind: "busy" });
    expect(conductor.renew()).toMatchObject({ kind: "busy" });
    expect(await conductor.compact("")).toMatchObject({ kind: "busy" });
    conductor.abort();
    expect(await running).toEqual({ kind: "aborted" });
  });

  it("close ends a running submit", async () => {
    const { conductor, line, logged, requests } = session({
      turns: [() => new Promise(() => undefined)],
    });
    const running = line("go");
    await until(() => requests.length > 0);
    await conductor.close();
    expect(await running).toEqual({ kind: "aborted" });
    expect(logged().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });
});

import { describe, expect, it } from "vitest";
import type {
  AssistantMessage,
  JsonValue,
  Message,
  ModelProvider,
  ModelReply,
  ModelResult,
} from "../llmgateway/contract.ts";
import type { LoopPort, ToolBox, ToolCall, ToolOutcome } from "./contract.ts";
import { runLoop } from "./loop.ts";

const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

type Content = AssistantMessage["content"];
const text = (value: string): Content[number] => ({ kind: "text", text: value });
const call = (id: string, name: string, input: JsonValue = {}): Content[number] => ({
  kind: "tool_call",
  id,
  name,
  input,
});

function reply(...content: Content): ModelReply {
  const calls = content.some((block) => block.kind === "tool_call");
  return { message: { role: "assistant", content }, stop: calls ? "tool_calls" : "complete", usage: USAGE };
}

/** A conversation in memory: everything the loop committed, in order. */
function createMemory(turns: readonly (ModelReply | ((signal: AbortSignal) => Promise<ModelResult>))[]) {
  const committed: string[] = [];
  const outcomes: ToolOutcome[] = [];
  const messages: Message[] = [];
  const steering: string[] = [];
  let calls = 0;
  const provider: ModelProvider = {
    id: "table",
    stream: async (_request, { signal }) => {
      const turn = turns[calls++];
      if (!turn) throw new Error("the table has no further turn");
      return typeof turn === "function" ? turn(signal) : { ok: true, reply: turn };
    },
  };
  const port: LoopPort = {
    prepareCall: async () => ({
      ok: true,
      provider,
      request: { model: "m", system: "", tools: [], messages, params: {} },
    }),
    onDelta: () => undefined,
    commitReply: ({ message }) => {
      committed.push("reply");
      messages.push(message);
      return message;
    },
    onToolStart: (toolCall) => void committed.push(`start ${toolCall.id}`),
    commitOutcome: (toolCall, outcome) => {
      committed.push(`outcome ${toolCall.id}`);
      outcomes.push(outcome);
    },
    commitSteering: () => {
      for (const line of steering.splice(0)) committed.push(`steer ${line}`);
      return committed.at(-1)?.startsWith("steer") === true;
    },
  };
  return { port, committed, outcomes, steering, modelCalls: () => calls };
}

function toolBox(run: (toolCall: ToolCall, signal: AbortSignal) => Promise<JsonValue>): ToolBox {
  return {
    descriptors: () => [],
    runner: {
      run: async (toolCall, signal) => ({
        id: toolCall.id,
        output: await run(toolCall, signal),
        isError: false,
      }),
    },
  };
}

const never = new AbortController().signal;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("runLoop", () => {
  it("goes on until a reply has no call, and ends with that reply", async () => {
    const memory = createMemory([reply(call("a", "read")), reply(text("done"))]);
    const end = await runLoop({ port: memory.port, tools: toolBox(async () => "seen"), signal: never });
    expect(end).toEqual({
      kind: "complete",
      message: { role: "assistant", content: [text("done")] },
      stop: "complete",
    });
    expect(memory.committed).toEqual(["reply", "start a", "outcome a", "reply"]);
    expect(memory.outcomes).toEqual([{ id: "a", output: "seen", isError: false }]);
  });

  it("ends where a reply stopped for calls and has none, as one that is complete", async () => {
    const memory = createMemory([{ ...reply(), stop: "tool_calls" }]);
    const end = await runLoop({ port: memory.port, tools: toolBox(async () => ""), signal: never });
    expect(end).toMatchObject({ kind: "complete", stop: "complete" });
  });

  it("runs at most 8 calls at once and commits their outcomes in call order", async () => {
    let running = 0;
    let most = 0;
    const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const memory = createMemory([reply(...ids.map((id) => call(id, "wait"))), reply(text("done"))]);
    const tools = toolBox(async ({ id }) => {
      most = Math.max(most, ++running);
      await sleep(id === "c0" ? 30 : 2); // the first one is the slowest
      running--;
      return id;
    });
    await runLoop({ port: memory.port, tools, signal: never });
    expect(most).toBe(8);
    expect(memory.outcomes.map((outcome) => outcome.id)).toEqual(ids);
  });

  it("tells at once of an outcome that is held for one before it, and of no other", async () => {
    const memory = createMemory([reply(call("a", "slow"), call("b", "quick")), reply(text("done"))]);
    const isHeld = Promise.withResolvers<void>();
    const tools = toolBox(async ({ name }) => {
      if (name === "slow") await isHeld.promise;
      return name;
    });
    const port: LoopPort = {
      ...memory.port,
      onOutcomeHeld: ({ id }, { output }) => {
        memory.committed.push(`held ${id} ${output}`);
        isHeld.resolve();
      },
    };
    await runLoop({ port, tools, signal: never });
    const outcomes = ["held b quick", "outcome a", "outcome b"];
    expect(memory.committed).toEqual(["reply", "start a", "start b", ...outcomes, "reply"]);
  });

  it("lets calls that wait for a process run beside the 8 that work, 16 of them at once", async () => {
    const running = { work: 0, wait: 0 };
    const most = { work: 0, wait: 0 };
    const calls = Array.from({ length: 60 }, (_, index) => call(`c${index}`, index % 2 ? "work" : "wait"));
    const memory = createMemory([reply(...calls), reply(text("done"))]);
    const tools = toolBox(async ({ name }) => {
      const kind = name as keyof typeof running;
      most[kind] = Math.max(most[kind], ++running[kind]);
      await sleep(2);
      running[kind]--;
      return "";
    });
    const runner = { ...tools.runner, waits: ({ name }: ToolCall) => name === "wait" };
    await runLoop({ port: memory.port, tools: { ...tools, runner }, signal: never });
    expect(most).toEqual({ work: 8, wait: 16 });
    expect(memory.outcomes.map((outcome) => outcome.id)).toEqual(
      calls.map((block) => "id" in block && block.id),
    );
  });

  it("ends with a clear fault after maxTurns model calls", async () => {
    const memory = createMemory(Array.from({ length: 5 }, (_, index) => reply(call(`c${index}`, "read"))));
    const end = await runLoop({
      port: memory.port,
      tools: toolBox(async () => ""),
      signal: never,
      maxTurns: 3,
    });
    expect(end).toEqual({ kind: "turn_budget", maxTurns: 3 });
    expect(memory.modelCalls()).toBe(3);
  });

  it("answers unparsable arguments with an error outcome that says what was wrong, and runs nothing", async () => {
    const broken: Content[number] = {
      kind: "tool_call",
      id: "x",
      name: "edit",
      input: {},
      unparsed: '{"path": ',
      problem: "Unexpected end of JSON input",
    };
    const memory = createMemory([reply(broken), reply(text("done"))]);
    let ran = false;
    const tools = toolBox(async () => {
      ran = true;
      return "";
    });
    await runLoop({ port: memory.port, tools, signal: never });
    expect(ran).toBe(false);
    expect(memory.outcomes).toEqual([
      {
        id: "x",
        isError: true,
        state: "failed",
        output:
          'The arguments of edit could not be parsed: Unexpected end of JSON input. Received: {"path": \nSend one JSON object that matches the tool\'s schema.',
      },
    ]);
  });

  it("lets a steering line that came during a run join at the next model call", async () => {
    const memory = createMemory([reply(call("a", "read")), reply(text("done"))]);
    const tools = toolBox(async () => {
      memory.steering.push("look left");
      return "";
    });
    await runLoop({ port: memory.port, tools, signal: never });
    expect(memory.committed).toEqual(["reply", "start a", "outcome a", "steer look left", "reply"]);
  });

  it("goes on when a steering line came during the last reply", async () => {
    const memory = createMemory([
      async () => {
        memory.steering.push("one more thing");
        return { ok: true, reply: reply(text("done?")) };
      },
      reply(text("done")),
    ]);
    await runLoop({ port: memory.port, tools: toolBox(async () => ""), signal: never });
    expect(memory.committed).toEqual(["reply", "steer one more thing", "reply"]);
  });

  it("reports a model fault as it came", async () => {
    const fault = { kind: "auth" as const, message: "the key was refused" };
    const memory = createMemory([async () => ({ ok: false, fault })]);
    const end = await runLoop({ port: memory.port, tools: toolBox(async () => ""), signal: never });
    expect(end).toEqual({ kind: "faulted", fault });
  });

  it("turns a tool that throws into an error outcome", async () => {
    const memory = createMemory([reply(call("a", "read")), reply(text("done"))]);
    const tools = toolBox(() => Promise.reject(new Error("no such planet")));
    await runLoop({ port: memory.port, tools, signal: never });
    expect(memory.outcomes).toEqual([
      { id: "a", output: "The tool read failed: no such planet", isError: true, state: "failed" },
    ]);
  });

  it("turns a runner that breaks its contract into an error outcome", async () => {
    const runners: readonly ToolBox["runner"]["run"][] = [
      () => {
        throw new Error("boom");
      },
      async () => undefined as unknown as ToolOutcome,
    ];
    const outputs = ["The tool read failed: boom", "The tool read failed: its runner returned no outcome."];
    for (const [at, run] of runners.entries()) {
      const memory = createMemory([reply(call("a", "read")), reply(text("done"))]);
      const end = await runLoop({
        port: memory.port,
        tools: { descriptors: () => [], runner: { run } },
        signal: never,
      });
      expect(end.kind).toBe("complete");
      expect(memory.outcomes).toEqual([{ id: "a", output: outputs[at], isError: true, state: "failed" }]);
    }
  });

  it.each([
    [
      "a model that never answers",
      () => createMemory([() => new Promise<ModelResult>(() => undefined)]),
      async () => "",
    ],
    [
      "a tool that never ends",
      () => createMemory([reply(call("a", "wait"), call("b", "wait"))]),
      () => new Promise<string>(() => undefined),
    ],
  ])("aborts %s", async (_name, build, run) => {
    const memory = build();
    const controller = new AbortController();
    const running = runLoop({ port: memory.port, tools: toolBox(run), signal: controller.signal });
    await sleep(20);
    controller.abort();
    expect(await running).toEqual({ kind: "aborted" });
  });

  it("leaves no call without an outcome when it is aborted", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    const memory = createMemory([reply(...ids.map((id) => call(id, "wait")))]);
    const controller = new AbortController();
    const running = runLoop({
      port: memory.port,
      tools: toolBox(() => new Promise<string>(() => undefined)),
      signal: controller.signal,
    });
    await sleep(10);
    controller.abort();
    await running;
    expect(memory.outcomes.map(({ id, state }) => `${id} ${state}`)).toEqual(
      ids.map((id) => `${id} cancelled`),
    );
    expect(memory.outcomes[0]?.output).toBe("Cancelled while wait was running.");
    expect(memory.outcomes[11]?.output).toBe("Cancelled before wait could begin.");
  });

  it("stops when the port cannot commit: nothing that follows from a lost entry may happen", async () => {
    const memory = createMemory([reply(call("a", "read")), reply(text("done"))]);
    const port: LoopPort = {
      ...memory.port,
      commitOutcome: () => {
        throw new Error("disk full");
      },
    };
    await expect(runLoop({ port, tools: toolBox(async () => ""), signal: never })).rejects.toThrow(
      "disk full",
    );
    expect(memory.modelCalls()).toBe(1);
  });
});

describe("a call that fails again and again", () => {
  const failing = (
    outputs: (toolCall: ToolCall) => { readonly output: JsonValue; readonly isError: boolean },
  ): ToolBox => ({
    descriptors: () => [],
    runner: { run: async (toolCall) => ({ id: toolCall.id, ...outputs(toolCall) }) },
  });
  const edit = (id: number) => reply(call(`e${id}`, "edit", { path: "gone" }));

  it("is told from the third time on, and ends the task at the tenth", async () => {
    const memory = createMemory(Array.from({ length: 60 }, (_, id) => edit(id)));
    const tools = failing(() => ({ output: "not found", isError: true }));
    const end = await runLoop({ port: memory.port, tools, signal: never });
    expect(end).toEqual({ kind: "repeated_failure", tool: "edit", times: 10 });
    expect(memory.modelCalls()).toBe(10);
    const told = memory.outcomes.map(({ text = "" }) => /failed (\d+) times/.exec(text)?.[1]);
    expect(told).toEqual([undefined, undefined, "3", "4", "5", "6", "7", "8", "9", "10"]);
  });

  it("is stopped also if the same thing is looked at in between, but not if something new succeeds", async () => {
    const look = (id: number) => reply(call(`l${id}`, "read"));
    const turns = (count: number) => Array.from({ length: count }, (_, at) => (at % 2 ? edit(at) : look(at)));
    const answer = (of: (toolCall: ToolCall) => JsonValue) =>
      failing((toolCall) =>
        toolCall.name === "edit"
          ? { output: "not found", isError: true }
          : { output: of(toolCall), isError: false },
      );
    const same = createMemory(turns(60));
    expect(await runLoop({ port: same.port, tools: answer(() => "seen"), signal: never })).toMatchObject({
      kind: "repeated_failure",
    });
    const other = createMemory([...turns(60), reply(text("done"))]);
    const end = await runLoop({ port: other.port, tools: answer(({ id }) => id), signal: never });
    expect(end).toMatchObject({ kind: "complete" });
  });

  it("is another if its words or its arguments differ", async () => {
    const memory = createMemory([...Array.from({ length: 30 }, (_, id) => edit(id)), reply(text("done"))]);
    let times = 0;
    const tools = failing(() => ({ output: `failed at ${++times}`, isError: true }));
    expect(await runLoop({ port: memory.port, tools, signal: never })).toMatchObject({ kind: "complete" });
  });
});

it("a call that was cut at the output limit is not run, and the outcome says so (twin: broken arguments elsewhere are quoted)", async () => {
  const cut = {
    ...call("c", "write"),
    unparsed: '{"path":"a","content":"half',
    problem: "Unterminated string",
  };
  for (const [stop, words] of [
    [
      "max_output",
      /^Your answer was cut at its output limit, in the middle of this call\. Nothing was run or written\./,
    ],
    ["tool_calls", /could not be parsed: Unterminated string/],
  ] as const) {
    const memory = createMemory([{ ...reply(cut as never), stop }, reply(text("done"))]);
    const tools = toolBox(async () => {
      throw new Error("it ran");
    });
    await runLoop({ port: memory.port, tools, signal: never });
    expect(memory.outcomes).toMatchObject([{ isError: true, output: expect.stringMatching(words) }]);
  }
});

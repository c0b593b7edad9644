import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AssistantMessage, ModelProvider, ModelRequest, ModelResult } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { refusalsOf } from "../../../../tests/support/strict/refusals.ts";
import { PATIENCE_MS } from "../../../../tests/support/until.ts";
import { createHooks } from "../feature/dispatch/hooks.ts";
import { branchOf, foldEntries } from "./branch.ts";
import { createConductor } from "./conductor.ts";
import type { Conductor, Entry } from "./contract.ts";
import { ContextFold } from "./fold.ts";
import { createLog, type OpenedLog, openLog, type SessionLog } from "./log.ts";
import { readEntries } from "./log-reader.ts";
import { treeOf } from "./tree.ts";
import { findLogProblems, verifyEntries } from "./verify.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

function answered(content: AssistantMessage["content"]): ModelResult {
  const stop = content.some((block) => block.kind === "tool_call") ? "tool_calls" : "complete";
  return { ok: true, reply: { message: { role: "assistant", content }, stop, usage: USAGE } };
}

interface Held {
  readonly conductor: Conductor;
  readonly sent: ModelRequest[];
  readonly path: string;
  readonly fails: { all: boolean };
}

/** A session whose model calls a tool in every second answer, and fails where its line says so. */
function hold(log: SessionLog, entries: readonly Entry[] = []): Held {
  const sent: ModelRequest[] = [];
  const fails = { all: false };
  const provider: ModelProvider = {
    id: "table",
    stream: async (request) => {
      sent.push(structuredClone(request));
      const last = JSON.stringify(request.messages.at(-1));
      if (fails.all || last.includes("be refused"))
        return { ok: false, fault: { kind: "request", message: "no" } };
      if (last.includes("Do not call a tool"))
        return answered([{ kind: "text", text: `so far ${sent.length}` }]);
      return request.messages.at(-1)?.role === "tool" || last.includes("short")
        ? answered([{ kind: "text", text: `answer ${request.messages.length}` }])
        : answered([{ kind: "tool_call", id: "call_0", name: "read", input: { path: "a" } }]);
    },
  };
  const conductor = createConductor({
    log,
    entries,
    nextLog: () => log,
    resolveModel: async () => ({
      ok: true,
      provider,
      model: "m",
      card: { provider: "table", id: "m", contextWindow: 1_000_000, maxOutputTokens: 10 },
    }),
    modelName: "table/m",
    deck: {
      descriptors: [{ name: "read", description: "", parameters: { type: "object", properties: {} } }],
      exec: () => Promise.reject(new Error("no commands here")),
      waits: () => false,
      warmUp: async () => undefined,
      named: [],
      meant: (call) => call,
      beginTurn: () => undefined,
      beginRequest: () => undefined,
      ownerOf: () => undefined,
      run: async ({ id }) => ({ id, output: "seen", text: "seen", isError: false, state: "ok" }),
    },
    hooks: createHooks(
      { subscriptions: [], interceptors: [] },
      { deadlineMs: PATIENCE_MS, onGateFailure: "allow", onFault: () => undefined },
    ).dispatcher,
    compose: () => "the prompt",
    params: {},
  });
  return { conductor, sent, fails, path: log.path };
}

function begin(): Held {
  const folder = mkdtempSync(join(tmpdir(), "indus-branch-"));
  return hold(createLog({ id: "s1", path: join(folder, "s1.jsonl"), cwd: "/w", version: "1" }));
}

const say = (held: Held, text: string) => held.conductor.submit({ content: [{ kind: "text", text }] });

/** The log as a process that ended there left it, opened by the next process. */
function copyOf(path: string, bytes?: number): OpenedLog {
  const copy = join(mkdtempSync(join(tmpdir(), "indus-branch-")), "s1.jsonl");
  copyFileSync(path, copy);
  if (bytes !== undefined) writeFileSync(copy, readFileSync(path).subarray(0, bytes));
  return openLog(copy);
}

const entriesOf = ({ path }: Held): readonly Entry[] => readEntries(path).entries;
const textsOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages ?? []);

describe("a jump", () => {
  it("goes on from an earlier turn in the same file; the other branch stays and can be gone on with", async () => {
    const held = begin();
    for (const line of ["one", "two", "three"]) await say(held, line);
    const [, two] = treeOf(entriesOf(held));
    const before = textsOf(
      held.sent.findLast((each) => textsOf(each).includes("two") && !textsOf(each).includes("three")),
    );
    expect(await held.conductor.jump(two?.end ?? 0)).toBeUndefined();
    await say(held, "other");
    const sent = textsOf(held.sent.at(-2));
    expect(sent).toContain("other");
    expect(sent).not.toContain("three");
    expect(sent.startsWith(before.slice(0, -1))).toBe(true); // the provider's cached prefix stays valid
    const tree = treeOf(entriesOf(held));
    expect(tree.map(({ text, parent, isInForce }) => [text, parent, isInForce])).toEqual([
      ["one", 0, true],
      ["two", 1, true],
      ["three", 2, false],
      ["other", 2, true],
    ]);
    await held.conductor.jump(tree[2]?.end ?? 0);
    await say(held, "four");
    expect(textsOf(held.sent.at(-1))).toMatch(/one.*two.*three.*four/);
    expect(textsOf(held.sent.at(-1))).not.toContain("other");
    expect(verifyEntries(entriesOf(held)).mismatches).toEqual([]);
  });

  it("names the format before it, so that a version without jumps refuses the log instead of reading another", async () => {
    const held = begin();
    await say(held, "one");
    expect(entriesOf(held).filter((entry) => entry.type === "session")).toMatchObject([{ v: 1 }]);
    const [one] = treeOf(entriesOf(held));
    await held.conductor.jump(one?.before ?? 0);
    await held.conductor.jump(one?.end ?? 0);
    const marks = entriesOf(held).flatMap((entry) =>
      entry.type === "session" ? entry.v : entry.type === "jump" ? "jump" : [],
    );
    expect(marks).toEqual([1, 2, "jump", "jump"]);
  });

  it("puts a summary of the branch that is left before the model, on request, and counts its tokens", async () => {
    const held = begin();
    for (const line of ["one", "two"]) await say(held, line);
    const [one] = treeOf(entriesOf(held));
    const { inputTokens } = held.conductor.status().usage;
    expect(await held.conductor.jump(one?.end ?? 0, { summarise: true })).toBeUndefined();
    expect(textsOf(held.sent.at(-1))).toContain(
      "Do not call a tool. That point is just after this: [assistant] answer",
    );
    expect(held.conductor.status().usage.inputTokens).toBe(inputTokens + 1);
    await say(held, "other short");
    expect(textsOf(held.sent.at(-1))).toMatch(
      /\[summary of another branch of this session\]\\nso far \d.*other short/,
    );
    expect(textsOf(held.sent.at(-1))).not.toContain("two");
    const entries = entriesOf(held);
    expect(findLogProblems(readEntries(held.path), verifyEntries(entries))).toEqual([]);
  });

  it("stays where it is when the summary cannot be had", async () => {
    const held = begin();
    for (const line of ["one", "two"]) await say(held, line);
    const { end = 0 } = treeOf(entriesOf(held))[0] ?? {};
    held.fails.all = true;
    expect(await held.conductor.jump(end, { summarise: true })).toMatchObject({
      message: "The branch was not summarised: no",
    });
    held.fails.all = false;
    await say(held, "three");
    expect(textsOf(held.sent.at(-1))).toMatch(/one.*two.*three/);
    expect(entriesOf(held).some(({ type }) => type === "jump")).toBe(false);
  });

  it("says so where nothing was said", async () => {
    expect(await begin().conductor.jump(0)).toMatchObject({ message: "Nothing has been said yet." });
  });
});

function opened({ log, entries }: OpenedLog): [SessionLog, readonly Entry[]] {
  return [log, entries];
}

type Step =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "jump"; readonly node: number; readonly isBefore: boolean; readonly summarise: boolean }
  | { readonly kind: "compact" | "clear" }
  /** The process ends; the last line lacks this many bytes. */
  | { readonly kind: "crash"; readonly bytes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("say"),
      text: fc.constantFrom("go", "short", "be refused", "look"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("jump"),
      node: fc.nat(20),
      isBefore: fc.boolean(),
      summarise: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("compact", "clear") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash"), bytes: fc.nat(400) }) },
) as fc.Arbitrary<Step>;

async function take(held: Held, step: Step): Promise<Held> {
  switch (step.kind) {
    case "say":
      await say(held, step.text);
      return held;
    case "compact":
      await held.conductor.compact("");
      return held;
    case "clear":
      held.conductor.clear();
      return held;
    case "jump": {
      const nodes = treeOf(readEntries(held.path).entries);
      const node = nodes[step.node % Math.max(1, nodes.length)];
      if (node) await held.conductor.jump(step.isBefore ? node.before : node.end, step);
      return held;
    }
    case "crash": {
      const bytes = readFileSync(held.path).length - step.bytes;
      await held.conductor.close();
      return hold(...opened(copyOf(held.path, Math.max(bytes, 200))));
    }
  }
}

describe("any turns, jumps, summaries and crashes", () => {
  it("give a view that strict servers take, that verify explains, and that a new process sends as well", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        let held = begin();
        await say(held, "begin");
        const sent: ModelRequest[] = [];
        for (const each of steps) {
          held = await take(held, each);
          sent.push(...held.sent.splice(0));
        }
        const next = hold(...opened(copyOf(held.path)));
        await say(held, "go on");
        await say(next, "go on");
        expect(next.sent).toEqual(held.sent);
        for (const request of [...sent, ...held.sent]) expect(refusalsOf(request)).toEqual([]);
        const read = readEntries(held.path);
        expect(
          findLogProblems(read, verifyEntries(read.entries)).filter((what) => !/cut off/.test(what)),
        ).toEqual([]);
        await held.conductor.close();
        await next.conductor.close();
      }),
      { numRuns: 60 },
    );
  });

  it("would be explained by no view that only strings the lines together (the twin)", async () => {
    const held = begin();
    for (const line of ["one", "two"]) await say(held, line);
    await held.conductor.jump(treeOf(entriesOf(held))[0]?.end ?? 0);
    await say(held, "other");
    const strung = new ContextFold();
    const missed = entriesOf(held).filter((entry) => {
      const isMissed = entry.type === "request" && entry.digest !== strung.digest();
      strung.add(entry);
      return isMissed;
    });
    expect(missed).toHaveLength(2);
  });
});

describe("the branch of a damaged log", () => {
  it("goes back to the entry before where the one that a jump names is gone, and is a view all the same", async () => {
    const held = begin();
    for (const line of ["one", "two"]) await say(held, line);
    const { end = 0 } = treeOf(entriesOf(held))[0] ?? {};
    await held.conductor.jump(end);
    await say(held, "other");
    for (const gone of entriesOf(held)) {
      const left = entriesOf(held).filter((entry) => entry !== gone && entry.n !== gone.n);
      const fold = foldEntries([
        ...left,
        { n: 99, at: 1, type: "user", via: "submit", content: [{ kind: "text", text: "x" }] },
      ]);
      const { messages } = fold;
      const request = { model: "m", system: "s", tools: [], params: {}, messages };
      if (fold.openCalls.length === 0)
        expect({ gone: gone.n, refusals: refusalsOf(request) }).toEqual({ gone: gone.n, refusals: [] });
      expect(branchOf(left).length).toBeGreaterThan(0);
    }
  });

  it("takes a jump to nowhere for one to the beginning", () => {
    const path = join(mkdtempSync(join(tmpdir(), "indus-branch-")), "s1.jsonl");
    appendFileSync(
      path,
      '{"n":5,"at":1,"type":"user","via":"submit","content":[{"kind":"text","text":"x"}]}\n',
    );
    appendFileSync(path, '{"n":6,"at":1,"type":"jump","to":2}\n');
    expect(foldEntries(readEntries(path).entries).messages).toEqual([]);
  });
});

// Making room in a view: outcomes are blanked, summaries keep the latest messages, and
// the next request fits whatever the session, the window and the summariser are.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AssistantMessage, ModelProvider, ModelRequest, ModelResult } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { refusalsOf } from "../../../../../tests/support/strict/refusals.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import { createConductor } from "../conductor.ts";
import type { Conductor, Entry } from "../contract.ts";
import { createLog, openLog } from "../log.ts";
import { readEntries } from "../log-reader.ts";
import { pastOutcome } from "../past-outcome.ts";
import { treeOf } from "../tree.ts";
import { findLogProblems, verifyEntries } from "../verify.ts";

interface Scene {
  /** The server's window in tokens; larger requests are refused. */
  readonly window: number;
  /** What the model card says the window is. */
  readonly known?: number;
  /** Characters that the server counts as one token. */
  readonly charsPerToken?: number;
  /** The refusal says how many tokens the server counted. */
  readonly isCounting?: boolean;
  /** The length in characters of each call's outcome; after the last outcome of a task the model answers. */
  readonly outcomes?: readonly number[];
  readonly summary?: () => ModelResult;
  /** Starts over when a summary is the last thing it reads. */
  readonly isForgetful?: boolean;
  /** Characters that a summary brings back. */
  readonly broughtBack?: number;
}

interface Held {
  readonly conductor: Conductor;
  readonly sent: ModelRequest[];
  readonly told: string[];
  readonly entries: () => readonly Entry[];
  readonly path: string;
  readonly say: (text: string) => ReturnType<Conductor["submit"]>;
}

const OVERFLOW: ModelResult = { ok: false, fault: { kind: "overflow", message: "prompt is too long" } };
const PROMPT = "the prompt";

function answered(content: AssistantMessage["content"], stop: "complete" | "tool_calls", inputTokens = 0) {
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { ok: true, reply: { message: { role: "assistant", content }, stop, usage } } as const;
}

const text = (words: string) => [{ kind: "text", text: words }] as const;
const said = (words: string): ModelResult => answered(text(words), "complete");

/** A model that works through `outcomes` in each task; its server refuses requests that do not fit. */
function hold(scene: Scene, opened?: ReturnType<typeof openLog>): Held {
  const {
    window,
    known = window,
    charsPerToken = 4,
    outcomes = [],
    summary = () => said("THE SUMMARY"),
  } = scene;
  const path = join(mkdtempSync(join(tmpdir(), "indus-compaction-")), "s1.jsonl");
  const log = opened?.log ?? createLog({ id: "s1", path, cwd: "/w", version: "1" });
  const sent: ModelRequest[] = [];
  const told: string[] = [];
  let at = 0;
  const provider: ModelProvider = {
    id: "table",
    stream: async (request) => {
      sent.push({ ...request, messages: [...request.messages] }); // the view keeps growing
      const last = request.messages.at(-1);
      const words = last?.role === "user" ? JSON.stringify(last.content.at(-1)) : "";
      const tokens = Math.ceil(JSON.stringify(request.messages).length / charsPerToken);
      if (tokens > window) return OVERFLOW;
      if (words.includes("Use these headings")) return summary();
      if (scene.isForgetful && words.includes("[summary of the session")) at = 0;
      const counted = scene.isCounting ? tokens : 0;
      return at < outcomes.length
        ? answered([{ kind: "tool_call", id: `c${at}`, name: "read", input: { at } }], "tool_calls", counted)
        : answered(text("done"), "complete", counted);
    },
  };
  const conductor = createConductor({
    log,
    entries: opened?.entries ?? [],
    nextLog: () => log,
    resolveModel: async () => ({
      ok: true,
      provider,
      model: "m",
      card: { provider: "table", id: "m", contextWindow: known, maxOutputTokens: 10 },
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
      run: async ({ id }) => {
        const output = `${at}:${"x".repeat(outcomes[at++] ?? 0)}`;
        return { id, output, text: output, isError: false, state: "ok" };
      },
    },
    hooks: createHooks(
      { subscriptions: [], interceptors: [] },
      { deadlineMs: PATIENCE_MS, onGateFailure: "allow", onFault: () => undefined },
    ).dispatcher,
    compose: () => PROMPT,
    params: {},
  });
  conductor.subscribe((event) => {
    if (event.kind === "alert") told.push(event.text);
    if (event.kind !== "entry" || event.entry.type !== "summary" || !scene.broughtBack) return;
    conductor.notify("host", "b".repeat(scene.broughtBack), { maxBytes: 1e6, isAgain: true });
  });
  return {
    ...{ conductor, sent, told, path: log.path },
    entries: () => readEntries(log.path).entries,
    say: (words) => {
      at = 0;
      return conductor.submit({ content: [...text(words)] });
    },
  };
}

const shown = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages);
const typesOf = (held: Held): readonly string[] => held.entries().map(({ type }) => type);

function expectExplained(held: Held): void {
  const read = readEntries(held.path);
  expect(findLogProblems(read, verifyEntries(read.entries))).toEqual([]);
}

describe("outcomes that the model has left behind", () => {
  const TEN = { window: 10_000, isCounting: true, outcomes: Array.from({ length: 9 }, () => 4_000) };

  it("give way first; the log keeps them, and each is named as `read` takes it", async () => {
    const held = hold(TEN);
    expect(await held.say("look at all")).toMatchObject({ kind: "complete" });
    expect(typesOf(held)).toContain("blank");
    expect(typesOf(held)).not.toContain("summary");
    const last = shown(held.sent.at(-1));
    expect(last).toContain("look at all");
    expect(last.includes("8:xxx")).toBe(true); // the latest request stays
    const first = held.entries().find(({ type }) => type === "tool");
    expect(last.includes(`outcome:${first?.n}`)).toBe(true);
    expect(pastOutcome(held.path, first?.n ?? -1)?.text).toHaveLength(4_002);
    expect(held.told.join("\n")).toMatch(
      /Context was full: dropped \d old tool results \(~[\d.]+k? tokens\)\./,
    );
    expectExplained(held);
    expect(refusalsOf(held.sent.at(-1))).toEqual([]);
  });

  it("come back with an undo, and a new process sends what the old one would", async () => {
    const held = hold(TEN);
    await held.say("look at all");
    const blank = treeOf(held.entries()).find(({ kind }) => kind === "blank");
    expect(held.entries().filter(({ type }) => type === "session")).toMatchObject([{ v: 1 }, { v: 3 }]);
    await held.conductor.close();
    const next = hold({ window: 100_000 }, openLog(held.path));
    await next.say("and now?");
    expect(shown(next.sent.at(-1)).startsWith(shown(held.sent.at(-1)).slice(0, -1))).toBe(true);
    await next.conductor.jump(blank?.before ?? 0);
    await next.say("again");
    expect(shown(next.sent.at(-1)).includes("0:xxx")).toBe(true);
    expectExplained(next);
  });
});

describe("a summary", () => {
  it("keeps what was said last, whole, and says what gave way", async () => {
    const held = hold({ window: 100_000 });
    for (const line of ["one", "two", "three"]) await held.say(`${line} ${"w".repeat(3_000)}`);
    await held.say("the last line");
    expect(await held.conductor.compact("")).toBeUndefined();
    await held.say("go on");
    const last = held.sent.at(-1)?.messages ?? [];
    expect(last.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user"]);
    expect(JSON.stringify(last)).toMatch(/THE SUMMARY.*the last line.*done.*go on/);
    expect(JSON.stringify(last)).not.toContain("three");
    expect(held.told.at(-1)).toMatch(
      /Compacted 6 messages: [\d.]+k? → \d+ tokens(?: \(\$[\d.]+\))?; the last 2 messages stayed\. \/compact undo/,
    );
    expectExplained(held);
  });

  it("parts no call from its outcome", async () => {
    const held = hold({ window: 100_000, outcomes: [100, 9_000, 50, 50, 50] });
    await held.say("work");
    await held.conductor.compact("");
    await held.say("go on");
    expect(shown(held.sent.at(-1))).toMatch(/THE SUMMARY.*4:xx/);
    for (const request of held.sent) expect(refusalsOf(request)).toEqual([]);
    expectExplained(held);
  });

  it("brings back no more than there is room for, and names the rest", async () => {
    const held = hold({ window: 8_000, broughtBack: 40_000 });
    await held.say(`one ${"w".repeat(3_000)}`);
    await held.conductor.compact("");
    expect(await held.say("go on")).toMatchObject({ kind: "complete" });
    expect(shown(held.sent.at(-1))).toContain("These are no longer shown, to save room");
  });
});

describe("a model that begins anew after each summary", () => {
  it.each([
    ["refused each time", { window: 8_000, outcomes: [40_000, 40_000] }],
    ["counted each time", { window: 8_000, isCounting: true, outcomes: [27_000] }],
  ])("is stopped after six of them in a row, with the reason: %s", async (_, scene) => {
    const held = hold({ ...scene, isForgetful: true });
    const end = await held.say("look at all");
    expect(end).toMatchObject({ kind: "faulted", fault: { kind: "model" } });
    expect(
      JSON.stringify(end).match(/was summarised 6 times in a row and was full again within 3 answers/g),
    ).toHaveLength(1);
    expect(typesOf(held).filter((type) => type === "summary")).toHaveLength(6);
    expectExplained(held);
  });

  it("goes on where it came further between two of them", async () => {
    const held = hold({ window: 8_000, isCounting: true, outcomes: Array(60).fill(5_000) as number[] });
    expect(await held.say("look at all")).toMatchObject({ kind: "complete" });
    expect(typesOf(held).filter((type) => type === "summary" || type === "blank").length).toBeGreaterThan(6);
  });
});

const FAILURES: Readonly<Record<string, () => ModelResult>> = {
  none: () => said("THE SUMMARY"),
  refusal: () => ({ ok: true, reply: { ...reply("I cannot help with that."), stop: "refusal" } }),
  cut: () => ({ ok: true, reply: { ...reply("Goal: the"), stop: "max_output" } }),
  call: () => answered([{ kind: "tool_call", id: "c", name: "read", input: {} }], "tool_calls"),
  empty: () => said(" "),
  broken: () => ({ ok: false, fault: { kind: "server", message: "500" } }),
  overflow: () => OVERFLOW,
  endless: () => said("s".repeat(3_000_000)),
};

function reply(words: string) {
  const result = answered(text(words), "complete");
  return result.reply;
}

const session = fc.record({
  window: fc.double({ min: 13, max: 20, noNaN: true }).map((power) => Math.round(2 ** power)), // 8k to 1M
  /** The known window may be wrong. */
  known: fc.constantFrom(1, 1, 0.25, 8),
  charsPerToken: fc.constantFrom(1, 3, 4),
  isCounting: fc.boolean(),
  failure: fc.constantFrom(...Object.keys(FAILURES)),
  broughtBack: fc.constantFrom(0, 2_000, 48_000),
  /** Shares of the window. */
  tasks: fc.array(
    fc.record({
      line: fc.constantFrom(0, 0.01, 0.3, 1.5),
      outcomes: fc.array(fc.constantFrom(0, 0.01, 0.1, 0.4, 1.2), { maxLength: 5 }),
      isAsked: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

describe("whatever the session, the window and the summariser", () => {
  it(
    "the next request fits, strict servers take it, and verify explains it",
    async () => {
      await fc.assert(
        fc.asyncProperty(session, async ({ tasks, window, known, failure, charsPerToken, ...rest }) => {
          const outcomes: number[] = [];
          const summary = FAILURES[failure] ?? (() => said(""));
          const scene = {
            ...rest,
            window,
            charsPerToken,
            known: Math.round(window * known),
            outcomes,
            summary,
          };
          const held = hold(scene);
          const chars = (share: number): number => Math.round(share * window * charsPerToken);
          for (const task of tasks) {
            outcomes.splice(0, Number.POSITIVE_INFINITY, ...task.outcomes.map(chars));
            const end = await held.say(`a line ${"w".repeat(chars(task.line))}`);
            if (task.line > 1)
              expect(end).toMatchObject({
                fault: { message: expect.stringContaining("Your text takes about") },
              });
            else expect(end).toMatchObject({ kind: "complete" });
            expect(refusalsOf(held.sent.at(-1))).toEqual([]);
            held.sent.length = 0;
            if (task.isAsked) await held.conductor.compact("the port");
          }
          expectExplained(held);
          await held.conductor.close();
        }),
        { numRuns: 24 },
      );
    },
    PATIENCE_MS * 4,
  );
});

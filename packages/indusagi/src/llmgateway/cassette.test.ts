import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { CassetteError, parseCassette } from "./cassette-format.ts";
import { createCassettePlayer } from "./cassette-player.ts";
import { createCassetteRecorder } from "./cassette-recorder.ts";
import type {
  Message,
  ModelDelta,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ModelResult,
} from "./contract.ts";

const folder = mkdtempSync(join(tmpdir(), "cassette-"));
afterAll(() => rmSync(folder, { recursive: true }));

const HEADER = '{"cassette":1,"about":"a test"}';
const REQUEST: ModelRequest = { model: "m", system: "", tools: [], messages: [], params: {} };
const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

const lines = (...turns: readonly unknown[]): string =>
  [HEADER, ...turns.map((turn) => JSON.stringify(turn))].join("\n");
const said = (text: string) => ({ message: { role: "assistant", content: [{ kind: "text", text }] } });

interface Played {
  readonly result: ModelResult;
  readonly deltas: readonly ModelDelta[];
}

async function call(
  provider: ModelProvider,
  messages: readonly Message[] = [],
  signal?: AbortSignal,
): Promise<Played> {
  const deltas: ModelDelta[] = [];
  const result = await provider.stream(
    { ...REQUEST, messages },
    { signal: signal ?? new AbortController().signal, onDelta: (delta) => deltas.push(delta) },
  );
  return { result, deltas };
}

describe("playing", () => {
  test("a recording written by hand: stop, usage and deltas follow from the message", async () => {
    const content = [
      { kind: "text", text: "Let me look." },
      { kind: "tool_call", id: "c1", name: "read", input: { path: "a" } },
    ];
    const player = createCassettePlayer({
      source: { text: lines({ turn: 1, reply: { message: { role: "assistant", content } } }) },
    });
    expect(player.id).toBe("cassette");
    expect(await call(player)).toEqual({
      result: {
        ok: true,
        reply: { message: { role: "assistant", content }, stop: "tool_calls", usage: NO_USAGE },
      },
      deltas: [
        { kind: "connected" },
        { kind: "text", text: "Let me look." },
        { kind: "tool_call", id: "c1", name: "read" },
      ],
    });
  });

  test("a call past the end of a recording fails and says so, each time", async () => {
    const player = createCassettePlayer({ source: { text: `${lines({ turn: 1, reply: said("x") })}\n\n` } });
    await call(player);
    for (let n = 0; n < 2; n++) {
      expect((await call(player)).result).toEqual({
        ok: false,
        fault: { kind: "exhausted", message: "The recording ends after turn 1, but turn 2 was requested." },
      });
    }
  });

  test("a recording that no longer fits says what was expected and what was found", async () => {
    const player = createCassettePlayer({
      source: { text: lines({ turn: 1, match: "4 passed", reply: said("Done.") }) },
    });
    const outcome = (text: string): Message[] => [
      { role: "user", content: [{ kind: "text", text: "4 passed, I hope" }] },
      { role: "assistant", content: [{ kind: "text", text: "Let me run them: 4 passed?" }] },
      { role: "tool", callId: "c1", name: "bash", text, isError: false },
      { role: "tool", callId: "c2", name: "ls", text: "a.txt", isError: false },
    ];
    expect((await call(player, outcome("2 failed"))).result).toEqual({
      ok: false,
      fault: {
        kind: "protocol",
        message:
          "The recording no longer matches: turn 1 expects the last outcome to contain " +
          '"4 passed", found "2 failed\\na.txt".',
      },
    });
    expect((await call(player, outcome("4 passed in 1 s"))).result).toMatchObject({ ok: true });
  });

  test("paced, it waits before each word, and adds up to the same", async () => {
    const deltas = [{ kind: "text", text: "one two\nthree", waitMs: 30 }];
    const player = createCassettePlayer({
      source: { text: lines({ turn: 1, deltas, reply: said("one two\nthree") }) },
      pace: true,
    });
    const waits = vi.spyOn(globalThis, "setTimeout");
    const played = await call(player);
    expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([30, 24, 24, 24]);
    waits.mockRestore();
    expect(played.deltas).toEqual([
      { kind: "connected" },
      { kind: "text", text: "one " },
      { kind: "text", text: "two\n" },
      { kind: "text", text: "three" },
    ]);
  });

  test("an abort ends a paced turn at once", async () => {
    const text = "word ".repeat(1_000_000); // would take longer than any test is allowed to
    const player = createCassettePlayer({
      source: { text: lines({ turn: 1, reply: said(text) }) },
      pace: true,
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 40);
    expect((await call(player, [], controller.signal)).result).toMatchObject({
      ok: false,
      fault: { kind: "aborted" },
    });
  });
});

test.each([
  ["", 'A cassette starts with a line like {"cassette":1,"about":"…"}.'],
  ['{"about":"x"}', 'A cassette starts with a line like {"cassette":1,"about":"…"}.'],
  [`${HEADER}\nnot json`, "Line 2 of the cassette is not JSON: "],
  [`${HEADER}\n\n[1]`, "Line 3 of the cassette is not a JSON object."],
  [lines({ turn: 2, reply: said("x") }), 'Line 2 of the cassette: expected "turn": 1, got 2.'],
  [lines({ turn: 1 }), 'Line 2 of the cassette: expected "reply" to be an object.'],
  [lines({ turn: 1, reply: {} }), 'Line 2 of the cassette: expected "reply.message" to be an object.'],
  [
    lines({ turn: 1, match: 3, reply: said("x") }),
    'Line 2 of the cassette: expected "match" to be a string.',
  ],
  [
    lines({ turn: 1, reply: { message: { role: "assistant", content: [{ kind: "song" }] } } }),
    "expected a block of kind text, thinking, tool_call.",
  ],
  [
    lines({
      turn: 1,
      reply: { message: { role: "assistant", content: [{ kind: "tool_call", id: "a", name: "b" }] } },
    }),
    'expected "input" of a tool_call block.',
  ],
  [
    lines({ turn: 1, deltas: [{ kind: "retry" }], reply: said("x") }),
    "expected a delta of kind text, thinking, tool_call.",
  ],
  [
    lines({ turn: 1, reply: { ...said("x"), stop: "tired" } }),
    'expected "reply.stop" to be one of complete, tool_calls, max_output, refusal.',
  ],
])("a recording that cannot be read names the line: %s", (text, message) => {
  expect(() => createCassettePlayer({ source: { text } })).toThrow(CassetteError);
  expect(() => createCassettePlayer({ source: { text } })).toThrow(message);
});

test("a file that is not there is a CassetteError, too", () => {
  const source = { path: join(folder, "nowhere.jsonl") };
  expect(() => createCassettePlayer({ source })).toThrow(/Cannot read the cassette .*nowhere\.jsonl: /);
  expect(() => createCassettePlayer({ source })).toThrow(CassetteError);
});

test("no text makes the reader throw anything else", () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constant(HEADER),
    fc.constant(JSON.stringify({ turn: 1, reply: said("x") })),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (parts) => {
      try {
        parseCassette(parts.join("\n"));
      } catch (error) {
        expect(error).toBeInstanceOf(CassetteError);
      }
    }),
  );
});

describe("recording", () => {
  const reply = (text: string): ModelReply => ({
    message: { role: "assistant", content: [{ kind: "text", text }] },
    stop: "complete",
    usage: { ...NO_USAGE, outputTokens: 2 },
  });
  /** Answers in several deltas, after one voided attempt. */
  const source: ModelProvider = {
    id: "source",
    stream: async (_, { onDelta }) => {
      onDelta({ kind: "text", text: "voided" });
      onDelta({ kind: "retry", attempt: 1, waitMs: 0, fault: { kind: "transport", message: "cut" } });
      for (const text of ["a", "b\u2028", "c"]) onDelta({ kind: "text", text });
      return { ok: true, reply: reply("ab\u2028c") };
    },
  };
  const never = (error: CassetteError): never => {
    throw error;
  };

  test("what is recorded is what is played", async () => {
    const path = join(folder, "round-trip.jsonl");
    const recorder = createCassetteRecorder(path, { about: "a round trip", onError: never })(source);
    expect(recorder.id).toBe("source");
    for (let n = 0; n < 2; n++) await call(recorder);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const turn = { deltas: [{ kind: "text", text: "ab\u2028c" }], reply: reply("ab\u2028c") };
    expect(readFileSync(path, "utf8").split("\n")).toEqual([
      '{"cassette":1,"about":"a round trip"}',
      JSON.stringify({ turn: 1, ...turn }),
      JSON.stringify({ turn: 2, ...turn }),
      "",
    ]);
    const player = createCassettePlayer({ source: { path } });
    for (let n = 0; n < 2; n++) {
      expect(await call(player)).toEqual({
        result: { ok: true, reply: turn.reply },
        deltas: [{ kind: "connected" }, ...turn.deltas],
      });
    }
  });

  test("a call that failed is not recorded", async () => {
    const path = join(folder, "failed.jsonl");
    const failing: ModelProvider = {
      id: "failing",
      stream: async () => ({ ok: false, fault: { kind: "server", message: "no" } }),
    };
    await call(createCassetteRecorder(path, { about: "", onError: never })(failing));
    expect(readFileSync(path, "utf8")).toBe('{"cassette":1,"about":""}\n');
  });

  test("a file that exists is left alone", () => {
    const path = join(folder, "taken.jsonl");
    createCassetteRecorder(path, { about: "first", onError: never });
    expect(() => createCassetteRecorder(path, { about: "second", onError: never })).toThrow(
      `Cannot record to ${path}: it already exists; choose another name.`,
    );
  });

  test("a turn that cannot be written is reported, and its answer given all the same", async () => {
    const path = join(folder, "gone", "x.jsonl");
    expect(() => createCassetteRecorder(path, { about: "", onError: never })).toThrow(CassetteError);
    const place = mkdtempSync(join(folder, "removed-"));
    const errors: CassetteError[] = [];
    const record = createCassetteRecorder(join(place, "x.jsonl"), {
      about: "",
      onError: (error) => errors.push(error),
    });
    rmSync(place, { recursive: true });
    expect((await call(record(source))).result).toMatchObject({ ok: true });
    expect(errors).toHaveLength(1);
  });
});

import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import * as fc from "../../../../tests/support/fast-check.ts";
import {
  complete,
  createScriptedConductor,
  faulted,
  reply,
  retry,
  type Script,
  type ScriptedConductor,
  text,
  toolEnd,
} from "../../../../tests/support/scripted-conductor.ts";
import type { ConductorEvent, DelegateEvent } from "../conductor/contract.ts";
import { fromObject, jsonLine, runJson, toObject } from "./json.ts";

const CALL = { callId: "c1", name: "read", title: "a.txt", owner: "builtin:files" } as const;
type Plain = Exclude<DelegateEvent, { readonly kind: "entry" | "delta" }>;

/** One of each kind. */
const PLAIN: { readonly [Kind in Plain["kind"]]: Extract<Plain, { readonly kind: Kind }> } = {
  tool_start: { kind: "tool_start", input: { path: "a.txt" }, ...CALL },
  tool_progress: { kind: "tool_progress", callId: "c1", tail: "half" },
  tool_done: { kind: "tool_done", callId: "c1", state: "ok", durationMs: 3 },
  tool_end: { kind: "tool_end", state: "failed", durationMs: 4, status: "exit code 1", ...CALL },
  alert: { kind: "alert", text: "look", owner: "user:a" },
  diagnostic: { kind: "diagnostic", owner: "user:a", severity: "warning", text: "slow" },
  fault: { kind: "fault", fault: { kind: "model", message: "no", owner: "host" } },
  delegate_start: { kind: "delegate_start", objective: "count" },
  delegate_end: { kind: "delegate_end", state: "ok", durationMs: 5 },
};
const { delegate_start: started, delegate_end: ended, ...shared } = PLAIN;
const EVENTS: readonly ConductorEvent[] = [
  ...Object.values(shared),
  { kind: "delta", delta: { kind: "text", text: "a\u2028b" } },
  {
    kind: "entry",
    entry: { type: "title", n: 3, at: 1, text: "t" } as Extract<ConductorEvent, { kind: "entry" }>["entry"],
  },
  ...[...Object.values(shared), started, ended].map(
    (event): ConductorEvent => ({ kind: "delegate", agent: "helper", sessionId: "s", event }),
  ),
];

test.each(EVENTS.map((event) => [event.kind, event] as const))(
  "a line of %s is read as the event it was",
  (_kind, event) => {
    expect(fromObject(JSON.parse(jsonLine(toObject(event))))).toEqual(event);
  },
);

interface Written {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly calls: readonly string[];
}

async function json(
  script: Script,
  stdout: Writable & { text?: () => string } = createReader(),
): Promise<Written> {
  const conductor: ScriptedConductor = createScriptedConductor([script]);
  const stderr = createReader();
  const code = await runJson({ conductor, content: [{ kind: "text", text: "do it" }], stdout, stderr });
  const out = stdout.text?.() ?? "";
  // Every run begins with the same line; the tests look at what follows.
  if (out !== "") expect(out.startsWith(SESSION_LINE)).toBe(true);
  return { code, out: out.slice(SESSION_LINE.length), err: stderr.text(), calls: conductor.calls };
}

const SESSION_LINE = '{"type":"session","id":"s_1","logPath":"s_1.jsonl","model":"scripted/model"}\n';

/** A stream whose reader takes everything at once. */
function createReader(): PassThrough & { text: () => string } {
  let taken = "";
  const stream = new PassThrough();
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    taken += chunk;
  });
  return Object.assign(stream, { text: () => taken });
}

test("what a feature says while the output is still being written is printed", async () => {
  const conductor = createScriptedConductor([{ steps: [], end: complete("All done.") }]);
  let out = "";
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      if (out === "")
        setImmediate(() => conductor.emit({ kind: "fault", fault: { kind: "feature", message: "late" } }));
      out += String(chunk);
      setTimeout(done, 20);
    },
  });
  const content = [{ kind: "text", text: "do it" }] as const;
  await runJson({ conductor, content, stdout, stderr: createReader() });
  expect(out).toContain('"message":"late"');
});

/** A stream whose reader takes nothing until `read` is called. */
function createSlowReader(): Writable & { text: () => string; read: () => void } {
  let taken = "";
  let isReading = false;
  let waiting: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark: 128,
    write: (chunk: Buffer, _encoding, done) => {
      taken += chunk.toString();
      if (isReading) done();
      else waiting = done;
    },
  });
  const read = (): void => {
    isReading = true;
    waiting?.();
  };
  return Object.assign(stream, { text: () => taken, read });
}

function objects(out: string): readonly unknown[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("json", () => {
  test("every event is one object on one line, entries as they are in the log", async () => {
    const fault = {
      kind: "listener",
      message: "a listener broke",
      owner: "addon:x",
      cause: new Error("why"),
    } as const;
    const entry = reply("Hi.");
    const steps = [
      { kind: "delta", delta: { kind: "connected" } } as const, // left out
      text("Hi."),
      retry(),
      { kind: "tool_start", callId: "c_1", name: "bash", title: "npm test", input: {} } as const,
      { ...toolEnd("bash", "npm test", "failed", 12, "exit 1"), details: { code: 1 } },
      { kind: "alert", text: "careful" } as const,
      { kind: "fault", fault } as const,
      entry,
    ];
    const { code, out, err } = await json({ steps, end: complete("Hi.") });
    expect(objects(out)).toEqual([
      { type: "delta", kind: "text", text: "Hi." },
      {
        type: "delta",
        kind: "retry",
        attempt: 1,
        waitMs: 2000,
        fault: { kind: "transport", message: "the connection broke" },
      },
      { type: "tool_start", callId: "c_1", name: "bash", title: "npm test", input: {} },
      {
        type: "tool_end",
        callId: "c_1",
        name: "bash",
        title: "npm test",
        state: "failed",
        durationMs: 12,
        status: "exit 1",
        details: { code: 1 },
      },
      { type: "alert", text: "careful" },
      { type: "fault", kind: "listener", message: "a listener broke", owner: "addon:x" },
      entry.kind === "entry" ? entry.entry : undefined,
    ]);
    expect(out.endsWith("}\n")).toBe(true);
    expect([code, err]).toEqual([0, ""]);
  });

  test("exit codes are the print channel's; a fault is told once on each stream", async () => {
    const end = faulted("model", "no key\n\x1b[2Jat all");
    const line = '{"type":"fault","kind":"model","message":"no key\\n\\u001b[2Jat all"}\n';
    const untold = await json({ steps: [], end });
    expect([untold.code, untold.out, untold.err]).toEqual([1, line, "indus: no key at all\n"]);
    const told = await json({
      steps: [{ kind: "fault", fault: { kind: "model", message: "no key\n\x1b[2Jat all" } }],
      end,
    });
    expect([told.code, told.out, told.err]).toEqual([1, line, "indus: no key at all\n"]);
    expect((await json({ steps: [], end: { kind: "aborted" } })).code).toBe(130);
  });

  test("any text makes one line for every reader, and comes back the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }),
        async (pieces) => {
          const texts = [...pieces, "a\u2028b\u2029c\u0085d\x9be\x7f\r\n\u202ef"];
          const { out } = await json({ steps: texts.map(text), end: complete("") });
          expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
          expect(objects(out)).toEqual(texts.map((piece) => ({ type: "delta", kind: "text", text: piece })));
        },
      ),
      { numRuns: 30 },
    );
  });

  test("deltas that a slow reader has not read yet are joined, in order", async () => {
    const reader = createSlowReader();
    const thinking = { kind: "delta", delta: { kind: "thinking", text: "hm" } } as const;
    const many = Array.from({ length: 1000 }, () => text("word "));
    const steps = [
      text("x".repeat(100)),
      ...many,
      thinking,
      thinking,
      text("a"),
      toolEnd("read", "a", "ok", 1),
      text("b"),
      text("c"),
    ];
    const { code, out } = await json({ steps: [...steps, reader.read], end: complete("") }, reader);
    expect(objects(out)).toEqual([
      { type: "delta", kind: "text", text: "x".repeat(100) },
      { type: "delta", kind: "text", text: "word ".repeat(1000) },
      { type: "delta", kind: "thinking", text: "hmhm" },
      { type: "delta", kind: "text", text: "a" },
      { type: "tool_end", callId: "c_1", name: "read", title: "a", state: "ok", durationMs: 1 },
      { type: "delta", kind: "text", text: "bc" },
    ]);
    expect(code).toBe(0);
  });

  test("a reader more than 64 MiB behind stops the task", async () => {
    const reader = createSlowReader();
    const alerts = Array.from(
      { length: 9 },
      () => ({ kind: "alert", text: "x".repeat(8 * 1024 * 1024) }) as const,
    );
    const { code, err, calls } = await json({ steps: [...alerts, "pause"], end: complete("") }, reader);
    expect(code).toBe(1);
    expect(err).toBe("indus: stopped: the reader of the output is more than 64 MiB behind\n");
    expect(calls).toEqual(["submit: do it", "abort"]);
  });

  test("a reader that leaves stops the task and is no error", async () => {
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
    });
    const { code, err, calls } = await json({ steps: [text("a"), "pause"], end: complete("") }, gone);
    expect([code, err, calls]).toEqual([0, "", ["submit: do it", "abort"]]);
  });

  test("output that cannot be written is exit code 1", async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(new Error("ENOSPC: no space left")),
    });
    const { code, err } = await json({ steps: [text("a"), "pause"], end: complete("") }, full);
    expect([code, err]).toEqual([1, "indus: cannot write the output: ENOSPC: no space left\n"]);
  });

  test("a delta costs the same, however many came before it", async () => {
    const conductor = createScriptedConductor([]);
    const sizes = [1_000, 10_000, 100_000] as const;
    let growth = "";
    const burst = (count: number): void => {
      for (let i = 0; i < count; i++) conductor.emit(text(`word${i} `));
    };
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
    const playing = {
      ...conductor,
      submit: async () => {
        growth = growthOf(sizes, burst);
        return complete("");
      },
    };
    expect(await runJson({ conductor: playing, content: [], stdout, stderr: createReader() })).toBe(0);
    expect(growth).toBe("even");
  });
});

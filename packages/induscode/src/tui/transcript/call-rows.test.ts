import { expect, it } from "vitest";
import type { ConductorEvent, Entry } from "../../conductor/contract.ts";
import { createTranscript } from "./transcript.ts";

function scene() {
  let nowMs = 0;
  const transcript = createTranscript({ columns: 80, now: () => nowMs, foldKey: undefined });
  transcript.beginSubmit();
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
    show: (...events: readonly ConductorEvent[]) => {
      for (const event of events) transcript.show(event);
    },
    rows: () =>
      transcript
        .live(0)
        .map((line) => line.map(({ text }) => text).join(""))
        .slice(1),
  };
}

const start = (callId: string, title: string, name = "bash", input = {}) =>
  ({ kind: "tool_start", callId, name, title, input }) as const;
const begins = (callId: string) => ({ kind: "tool_progress", callId, tail: "" }) as const;

it("of several calls only those move whose tool runs; one that is done says so behind one that is not", () => {
  const { pass, rows, show } = scene();
  show(start("1", "sleep 9"), start("2", "wc a"), start("3", "npm i"), begins("1"), begins("2"));
  pass(2_000);
  show({ kind: "tool_done", callId: "2", state: "ok", durationMs: 38 });
  pass(1_000);
  expect(rows()).toEqual(["⠋ bash sleep 9  3 s", "✓ bash wc a  38 ms", "· bash npm i  waits"]);
  show(begins("3"), { kind: "tool_done", callId: "3", state: "failed", durationMs: 1_200 });
  expect(rows()[2]).toBe("✗ bash npm i  failed  1.2 s");
});

it("a delegate's calls likewise, and each call's seconds begin with its tool", () => {
  const { pass, rows, show } = scene();
  const of = (event: Extract<ConductorEvent, { kind: "delegate" }>["event"]): ConductorEvent => ({
    ...{ kind: "delegate", agent: "scout", sessionId: "s" },
    event,
  });
  show(of({ kind: "delegate_start", objective: "Look." }), of(start("1", "a")), of(start("2", "b")));
  pass(5_000);
  show(of(begins("1")));
  pass(1_000);
  expect(rows().slice(1, 3)).toEqual(["    ⠋ bash a  1 s", "    · bash b  waits"]);
  show(of({ kind: "tool_done", callId: "2", state: "refused", durationMs: 3 }));
  expect(rows().slice(1, 3)).toEqual(["    ⠋ bash a  1 s", "    ⊘ bash b  refused  3 ms"]);
});

it("a delegate's call that failed or was refused gives its reason below its row, on one line", () => {
  const transcript = createTranscript({ columns: 60, now: () => 0, foldKey: undefined });
  transcript.beginSubmit();
  const ends = (name: string, state: "failed" | "refused", reason: string): ConductorEvent => ({
    ...{ kind: "delegate", agent: "scout", sessionId: "s" },
    event: { kind: "tool_end", callId: name, name, title: "x", state, durationMs: 3, reason },
  });
  transcript.show(ends("bash", "failed", "Error: the module 'money' is not there"));
  transcript.show(ends("read", "refused", `the rule "read(x)" denies it, ${"and why ".repeat(20)}`));
  const lines = transcript.takeSettled().map((line) => line.map(({ text }) => text).join(""));
  expect(lines.filter((line) => line.trim() !== "")).toEqual([
    "  scout ✗ bash x  failed  3 ms",
    "      Error: the module 'money' is not there",
    "  scout ⊘ read x  refused  3 ms",
    expect.stringMatching(/^ {6}the rule "read\(x\)" denies it.{1,40}$/),
  ]);
});

it("work at which a delegate is has one row, the delegate's; work that no delegate has begun keeps its own", () => {
  const { rows, show } = scene();
  const work = { agent: "scout", objective: "Look." };
  show(start("1", "scout", "task", work), start("2", "coder", "task", { tasks: [{ agent: "coder" }] }));
  show({ kind: "delegate", agent: "scout", sessionId: "s", event: { kind: "delegate_start", ...work } });
  expect(rows()).toEqual(["· task coder  waits", "  ⠋ scout Look.  waiting for its model  0 s"]);
});

it("what a delegate did stands apart from the line before it, and what is asked about is only in the question", () => {
  const transcript = createTranscript({ columns: 80, now: () => 0, foldKey: undefined });
  const of = (event: Extract<ConductorEvent, { kind: "delegate" }>["event"]): ConductorEvent => ({
    ...{ kind: "delegate", agent: "scout", sessionId: "s" },
    event,
  });
  const shown = (lines: ReturnType<typeof transcript.takeSettled>): readonly string[] =>
    lines.map((line) => line.map(({ text }) => text).join(""));
  transcript.sent("go");
  transcript.beginSubmit();
  transcript.show(of({ kind: "delegate_start", objective: "Look." }));
  transcript.show(start("1", "git push"));
  expect(shown(transcript.live(0, { about: { id: "1" } }))).toContain("? bash  asking");
  transcript.show(of({ kind: "delegate_end", state: "ok", durationMs: 3 }));
  expect(shown(transcript.takeSettled())).toEqual(["› go", "", "  scout ✓ ended  3 ms"]);
});

it("what the sandbox says of a command is shown to its end; a long line of its output is cut", () => {
  const transcript = createTranscript({ columns: 60, now: () => 0, foldKey: undefined });
  const note = `sandbox: it has no network${" and much else".repeat(8)}: ask the person`;
  const text = `${"x".repeat(200)}\n${note}`;
  const ended = { callId: "1", name: "bash", state: "failed", durationMs: 1 } as const;
  const entry = { type: "tool", ...ended, text, v: 1, id: "e1", at: 0 } as unknown as Entry;
  transcript.beginSubmit();
  for (const event of [
    start("1", "npm i"),
    { kind: "entry", entry } as const,
    { kind: "tool_end", title: "npm i", ...ended } as unknown as ConductorEvent,
  ])
    transcript.show(event);
  const rows = transcript.takeSettled().map((line) =>
    line
      .map(({ text }) => text)
      .join("")
      .trim(),
  );
  expect(rows.filter((row) => row.startsWith("xxx"))).toEqual([`${"x".repeat(57)}…`]);
  expect(rows.slice(2).join(" ")).toBe(note);
});

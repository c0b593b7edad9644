import { expect, it } from "vitest";
import type { ConductorEvent, Entry } from "../../conductor/contract.ts";
import type { BackgroundFacts } from "./live-rows.ts";
import { createTranscript } from "./transcript.ts";

const entry = (status: "working" | "done", at: number): ConductorEvent => ({
  kind: "entry",
  entry: {
    ...{ type: "delegate", n: at, at, id: "delegate-1", agent: "scout", session: "s", status },
  } satisfies Entry,
});

function scene(columns: number) {
  let facts: readonly BackgroundFacts[] = [];
  let asked = 0;
  const transcript = createTranscript({
    columns,
    now: () => 0,
    foldKey: undefined,
    background: () => {
      asked += 1;
      return facts;
    },
  });
  const shown = (lines: ReturnType<typeof transcript.live>): string =>
    lines
      .map((line) => line.map(({ text }) => text).join(""))
      .join("\n")
      .trim();
  return {
    transcript,
    asked: () => asked,
    live: (now: Omit<BackgroundFacts, "id">) => {
      facts = [{ id: "delegate-1", ...now }];
      return shown(transcript.live(0));
    },
    settled: () => shown(transcript.takeSettled()),
  };
}

it("a delegate in the background has a row with its call and its seconds, over the end of a submit", () => {
  const { transcript, live, settled } = scene(80);
  transcript.beginSubmit();
  transcript.show(entry("working", 1_000));
  transcript.endSubmit();
  expect(transcript.isMoving()).toBe(true);
  expect(live({ objective: "Look.", ageMs: 3_000, doing: "read src/a.ts\u001b[2J" })).toBe(
    "⠋ delegate-1 (scout) Look.  read src/a.ts\\u{1b}[2J  3 s",
  );
  expect(live({ objective: "Look.", ageMs: 63_000 })).toBe(
    "⠋ delegate-1 (scout) Look.  waiting for its model  1 min 3 s",
  );
  transcript.show(entry("done", 65_000));
  expect([transcript.isMoving(), transcript.live(0), settled()]).toEqual([
    false,
    [],
    "delegate-1 (scout) ✓ ended  1 min 4 s",
  ]);
});

it("in few columns its objective gives way, and no row is wider than they are", () => {
  const { transcript, live } = scene(40);
  transcript.show(entry("working", 0));
  const row = live({ objective: "Look at everything.", ageMs: 3_000, doing: "read a/very/long/path.ts" });
  expect(row).toMatch(/^⠋ delegate-1 {2}read \S*…\S* {2}3 s$/);
  expect(row.length).toBeLessThanOrEqual(38);
});

it("without a delegate in the background there is no row, and its state is not read", () => {
  const { transcript, asked } = scene(80);
  transcript.beginSubmit();
  transcript.live(0);
  expect([asked(), transcript.live(0).length]).toEqual([0, 2]);
});

it("the seconds of a call are its own, though a delegate's call has the same id", () => {
  let nowMs = 0;
  const transcript = createTranscript({ columns: 80, now: () => nowMs, foldKey: undefined });
  const call = { kind: "tool_start", callId: "call_1", name: "task", title: "scout", input: {} } as const;
  const from = { kind: "delegate", agent: "scout", sessionId: "s" } as const;
  transcript.beginSubmit();
  transcript.show(call);
  transcript.show({ kind: "tool_progress", callId: "call_1", tail: "" });
  transcript.show({ ...from, event: { kind: "delegate_start", objective: "Look." } });
  nowMs = 60_000;
  transcript.show({ ...from, event: { ...call, name: "ls", title: "." } });
  transcript.show({ ...from, event: { kind: "tool_progress", callId: "call_1", tail: "" } });
  nowMs = 65_000;
  const rows = transcript.live(0).map((line) => line.map(({ text }) => text).join(""));
  expect(rows.slice(1)).toEqual(["⠋ task scout  1 min 5 s", "  ⠋ scout Look.  1 min 5 s", "    ⠋ ls .  5 s"]);
});

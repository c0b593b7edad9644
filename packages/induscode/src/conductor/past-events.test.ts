import { expect, test } from "vitest";
import type { Entry } from "./contract.ts";
import { pastEvents } from "./past-events.ts";

const user = (text: string, via: "submit" | "steer" = "submit"): unknown => ({
  type: "user",
  via,
  content: [{ kind: "text", text }],
});
const reply = (text: string, calls: readonly string[] = []): unknown => ({
  type: "assistant",
  message: {
    role: "assistant",
    content: [
      { kind: "text", text },
      ...calls.map((id) => ({ kind: "tool_call", id, name: "read", input: { path: id } })),
    ],
  },
});
const outcome = (callId: string, text = "…"): unknown => ({
  type: "tool",
  callId,
  name: "read",
  state: "ok",
  text,
  durationMs: 3,
});
const log = (...entries: readonly unknown[]): readonly Entry[] => entries as readonly Entry[];

const told = (entries: readonly Entry[], most = 100): readonly string[] =>
  pastEvents(entries, { tasks: 2, most }).events.map((event) =>
    event.kind === "entry"
      ? event.entry.type
      : "callId" in event
        ? `${event.kind} ${event.callId}`
        : event.kind,
  );

test("the last tasks come with their calls, each with its outcome; what lies before is counted", () => {
  const entries = log(
    user("one"),
    reply("first"),
    user("two"),
    reply("", ["c1", "c2"]),
    outcome("c2"),
    outcome("c1"),
    user("by the way", "steer"),
    reply("second"),
    user("three"),
    reply("third"),
  );
  expect(told(entries)).toEqual([
    ...["user", "assistant", "tool_start c1", "tool", "tool_end c1", "tool_start c2", "tool", "tool_end c2"],
    ...["user", "assistant", "user", "assistant"],
  ]);
  expect(pastEvents(entries, { tasks: 2, most: 100 }).before).toBe(2);
});

test("calls that are numbered anew in each answer have each the outcome that follows them", () => {
  const { events } = pastEvents(
    log(user("one"), reply("", ["c1"]), outcome("c1", "first"), reply("", ["c1"]), outcome("c1", "second")),
    { tasks: 2, most: 100 },
  );
  const texts = events.flatMap((event) =>
    event.kind === "entry" && event.entry.type === "tool" ? [event.entry.text] : [],
  );
  expect(texts).toEqual(["first", "second"]);
});

test("a call that never ended is not shown as one that runs", () => {
  expect(told(log(user("one"), reply("", ["c1"])))).toEqual(["user", "assistant"]);
});

test("of a task that has no end, so many entries", () => {
  const entries = log(user("one"), ...Array.from({ length: 500 }, () => reply("on")));
  expect(told(entries, 100)).toHaveLength(100);
  expect(pastEvents(entries, { tasks: 2, most: 100 }).before).toBe(401);
  expect(told(log())).toEqual([]);
});

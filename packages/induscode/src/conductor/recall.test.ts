import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import type { Entry, EntryBody } from "./contract.ts";
import { endedWithProcess, lastInputOf, recallSession } from "./recall.ts";
import { NO_USAGE } from "./usage.ts";

const logOf = (...bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, n) => ({ n, at: 1_000 + n, ...body }));
const seen = (path: string, mtimeMs: number): EntryBody => ({
  type: "tool",
  callId: "c",
  name: "read",
  state: "ok",
  text: "",
  durationMs: 1,
  files: [{ path, mtimeMs, size: 3 }],
});
const shows = (path: string, digest: string): EntryBody => ({
  type: "notice",
  origin: "o",
  text: "t",
  documents: [{ path, folder: "/f", digest }],
});
const allows = (command: string): EntryBody => ({
  type: "approval",
  approval: { kind: "execute", tool: "bash", command, cwd: "/w" },
});
const summary: EntryBody = { type: "summary", origin: "host", text: "s", usage: NO_USAGE };
const called = (name: string, id: string, input: JsonValue): EntryBody => ({
  type: "assistant",
  message: { role: "assistant", content: [{ kind: "tool_call", id, name, input }] },
  stop: "tool_calls",
  usage: NO_USAGE,
});
const ended = (
  name: string,
  callId: string,
  more: { state?: "ok" | "failed"; input?: JsonValue } = {},
): EntryBody => ({
  type: "tool",
  callId,
  name,
  state: "ok",
  text: "",
  durationMs: 1,
  ...more,
});

describe("endedWithProcess", () => {
  const works = (id: string, status: "working" | "done"): EntryBody => ({
    ...{ type: "delegate", id, agent: "explore", session: `s-${id}`, status },
  });
  const starts = (id: string, command: string): readonly EntryBody[] => [
    called("process", id, { action: "start", command }),
    ended("process", id),
  ];

  it("names commands and delegates that were at work, once, and none of the session that it is a fork of", () => {
    const log = [
      ...starts("a", "npm run dev"),
      works("delegate-1", "working"),
      works("delegate-2", "working"),
    ];
    const told = endedWithProcess(logOf(...log, works("delegate-2", "done")));
    expect(told).toBe(
      'Ended with the process that ran this session before: "npm run dev", delegate-1 (explore). Restart what you still need.',
    );
    const notice: EntryBody = { type: "notice", origin: "host", text: told ?? "" };
    expect(endedWithProcess(logOf(...log, notice))).toBeUndefined();
    expect(endedWithProcess(logOf(...log, notice, ...starts("b", "make watch")))).toContain('"make watch".');
    const parent = { session: "other", entry: 10 };
    const fork: EntryBody = { type: "session", v: 1, id: "f", cwd: "/w", version: "1", parent };
    expect(endedWithProcess(logOf(fork, ...log))).toBeUndefined();
    expect(
      endedWithProcess(logOf(called("process", "c", { action: "list" }), ended("process", "c"))),
    ).toBeUndefined();
  });
});

describe("recallSession", () => {
  it("has the last of each file and document, and every approval", () => {
    const { files, documents, approvals } = recallSession(
      logOf(
        seen("/a", 1),
        seen("/b", 2),
        seen("/a", 3),
        shows("/d", "x"),
        shows("/d", "y"),
        allows("ls"),
        allows("id"),
      ),
    );
    expect([...files.values()]).toEqual([
      { path: "/a", mtimeMs: 3, size: 3, at: 1_002 },
      { path: "/b", mtimeMs: 2, size: 3, at: 1_001 },
    ]);
    expect([...documents.values()]).toEqual([{ path: "/d", folder: "/f", digest: "y" }]);
    expect(approvals).toHaveLength(2);
  });

  it("keeps across a summary what the conversation has seen, but not what its text showed", () => {
    const { files, documents, approvals } = recallSession(
      logOf(seen("/a", 1), shows("/d", "x"), allows("ls"), summary, shows("/e", "z")),
    );
    expect([...files.keys()]).toEqual(["/a"]);
    expect([...documents.keys()]).toEqual(["/e"]);
    expect(approvals).toHaveLength(1);
  });

  it("begins anew after a clear, but for what the person allowed", () => {
    const { files, documents, approvals } = recallSession(
      logOf(seen("/a", 1), shows("/d", "x"), allows("ls"), { type: "clear" }),
    );
    expect([files.size, documents.size, approvals.length]).toEqual([0, 0, 1]);
  });
});

describe("lastInputOf", () => {
  it("is the call's of the last success, as the tool got it", () => {
    const set = (value: number): EntryBody => called("todo_set", `c${value}`, { value });
    expect(lastInputOf(logOf(set(1), ended("todo_set", "c1")), "todo_set")).toEqual({ value: 1 });
    const log = logOf(set(1), ended("todo_set", "c1"), set(2), ended("todo_set", "c2", { state: "failed" }));
    expect(lastInputOf(log, "todo_set")).toEqual({ value: 1 });
    const rewritten = logOf(set(1), ended("todo_set", "c1", { input: { value: 9 } }));
    expect(lastInputOf(rewritten, "todo_set")).toEqual({ value: 9 });
    expect(lastInputOf([...log, ...logOf({ type: "clear" })], "todo_set")).toBeUndefined();
    expect(lastInputOf(logOf(ended("todo_set", "c1")), "todo_set")).toBeUndefined(); // its call is missing
  });

  it("knows which call an id means that comes again in each answer", () => {
    const log = logOf(
      called("todo_set", "call_0", { value: 1 }),
      ended("todo_set", "call_0"),
      called("read", "call_0", {}),
      ended("read", "call_0"),
      called("todo_set", "call_0", { value: 2 }),
      ended("todo_set", "call_0"),
      called("ls", "call_0", {}),
    );
    expect(lastInputOf(log, "todo_set")).toEqual({ value: 2 });
  });
});

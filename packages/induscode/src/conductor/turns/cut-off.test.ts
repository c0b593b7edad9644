import { expect, it } from "vitest";
import type { Entry, EntryBody } from "../contract.ts";
import { NO_USAGE } from "../usage.ts";
import { cutOff } from "./cut-off.ts";

const HEAD: EntryBody = { type: "session", v: 1, id: "x", cwd: "/w", version: "0.1.0" };
const SAID: EntryBody = { type: "user", via: "submit", content: [{ kind: "text", text: "go" }] };
const END: EntryBody = { type: "end", how: "complete", turns: 1 };
const calls = (...commands: readonly string[]): EntryBody => ({
  type: "assistant",
  message: {
    role: "assistant",
    content: commands.map((command) => ({
      kind: "tool_call",
      id: command,
      name: "bash",
      input: { command },
    })),
  },
  stop: "tool_calls",
  usage: NO_USAGE,
});
const decided = (callId: string): EntryBody => ({
  type: "decision",
  decision: { tool: "bash", callId, outcome: "allowed", rulings: [] },
});
const ended = (callId: string): EntryBody => ({
  type: "tool",
  callId,
  name: "bash",
  state: "ok",
  text: "",
  durationMs: 1,
});
const numbered = (bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, n) => ({ n, at: n, ...body }));

it.each<readonly [string, readonly EntryBody[], string | undefined]>([
  ["nothing was said", [HEAD], undefined],
  ["it ended", [HEAD, SAID, calls("a"), decided("a"), ended("a"), END], undefined],
  ["it ended and was renamed", [HEAD, SAID, END, { type: "title", text: "a name" }], undefined],
  ["the model had not answered", [HEAD, SAID], "while the model worked on its answer"],
  ["all calls had ended", [HEAD, SAID, calls("a"), ended("a")], "while the model worked on its answer"],
  ["a command ran", [HEAD, SAID, calls("npm test"), decided("npm test")], "while bash `npm test` ran"],
  [
    "the second of three ran",
    [HEAD, SAID, calls("a", "b", "c"), ended("a"), decided("b")],
    "while bash `b` and 1 more ran",
  ],
  ["nobody had decided about it", [HEAD, SAID, calls("rm x")], "before bash `rm x` ended"],
  [
    "a line was typed meanwhile",
    [HEAD, SAID, calls("a"), decided("a"), { type: "queued", content: [{ kind: "text", text: "and b" }] }],
    "while bash `a` ran",
  ],
])("where %s", (_when, bodies, words) => {
  expect(cutOff(numbered(bodies))).toBe(words && `The last run was cut off ${words}.`);
});

it("is not said of what a fork took over: the other session may still run", () => {
  const head: EntryBody = { ...HEAD, parent: { session: "y", entry: 2 } };
  expect(cutOff(numbered([head, SAID, calls("a")]))).toBeUndefined();
});

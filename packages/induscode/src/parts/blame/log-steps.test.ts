import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSteps } from "./log-steps.ts";

/** The steps of /w/a.txt in a log with these entries. */
function stepsIn(entries: readonly object[], ids: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "indus-steps-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "s1.jsonl");
  const lines = entries.map((entry, n) => `${JSON.stringify({ n, at: 1_000 + n, ...entry })}\n`);
  writeFileSync(path, lines.join(""));
  return readSteps({ path, isDelegate: false }, "/w/a.txt", { personHome: "/h", ids: new Set(ids) });
}

const begun = { type: "session", v: 1, id: "s1", cwd: "/w", version: "1" };
const said = (text: string) => ({ type: "user", via: "submit", content: [{ kind: "text", text }] });
const asked = (id: string, name: string, input: object) => ({
  type: "assistant",
  stop: "tool_calls",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  message: { role: "assistant", content: [{ kind: "tool_call", id, name, input }] },
});
const done = (callId: string, name: string, more: object = {}) => ({
  ...{ type: "tool", callId, name, state: "ok", text: "", durationMs: 1, feature: "builtin:files" },
  ...more,
});
const decided = (callId: string, more: object) => ({
  type: "decision",
  decision: { tool: "write", callId, outcome: "allowed", ...more },
});
const ruling = (what: string, why: string) => ({ what, why, outcome: "allow", layer: "rule" });
const write = (id: string, path = "a.txt") => asked(id, "write", { path, content: "x\n" });

it.each([
  [{ answer: "once", rulings: [] }, "you allowed the call once"],
  [{ answer: "session", rulings: [] }, "you allowed the call for the session"],
  [{ answer: "always", rulings: [] }, "you allowed the call permanently"],
  [
    { rulings: [ruling("write /w/a.txt", "write(*) allows it"), ruling("read /w", "the mode")] },
    "write(*) allows it",
  ],
])("a call has the person's answer, or the rule that decided: %j", (decision, allowed) => {
  const [step] = stepsIn([begun, said("go"), write("c"), decided("c", decision), done("c", "write")]);
  expect(step).toMatchObject({ origin: { call: { allowed } }, content: "x\n" });
});

it.each(["a.txt", "./a.txt", "/w/a.txt", "../w/a.txt"])("finds the file written as %s", (path) => {
  expect(stepsIn([begun, said("go"), write("c", path), done("c", "write")])).toHaveLength(1);
});

it.each([
  ["failed", done("c", "write", { state: "error" })],
  ["was refused", done("c", "write", { state: "refused" })],
])("a call that %s wrote nothing", (_how, outcome) => {
  expect(stepsIn([begun, said("go"), write("c"), outcome])).toEqual([]);
});

it("numbers the person's lines as the branch counts them that the conversation went on from", () => {
  const steps = stepsIn([
    ...[begun, said("one"), said("two"), { type: "jump", to: 1 }, said("two again")],
    ...[write("c"), done("c", "write")],
  ]);
  expect(steps).toMatchObject([{ origin: { turn: 2, said: "two again" } }]);
});

it("leaves what a fork copied to the session that it was copied from, if that is there", () => {
  const head = { ...begun, parent: { session: "s0", entry: 3 } };
  const entries = [
    head,
    said("one"),
    write("c"),
    done("c", "write"),
    said("two"),
    write("d"),
    done("d", "write"),
  ];
  const turns = (ids: readonly string[]) =>
    stepsIn(entries, ids).map((step) => (step.kind === "call" ? step.origin.turn : 0));
  expect([turns(["s0"]), turns([])]).toEqual([[2], [1, 2]]);
});

it("of a turn's calls, those that can have written the file are kept, and the ones that name it first", () => {
  const change = { type: "checkpoint", files: [{ path: "a.txt", before: "absent", after: "unkept" }] };
  const bash = (id: string, command: string) => [asked(id, "bash", { command }), done(id, "bash")];
  const within = (...calls: readonly object[]) => {
    const step = stepsIn([begun, said("go"), ...calls, change]).at(-1);
    return step?.kind === "state" && step.within?.kind === "turn"
      ? step.within.maybe.map(({ title }) => title)
      : [];
  };
  expect(
    within(...bash("b", "make"), ...bash("c", "ls"), asked("r", "read", { path: "q" }), done("r", "read")),
  ).toEqual(["make", "ls"]);
  expect(within(...bash("b", "make"), ...bash("c", "tr a b > a.txt"))).toEqual(["tr a b > a.txt"]);
});

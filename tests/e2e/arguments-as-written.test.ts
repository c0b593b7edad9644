// Calls as models write them, through the real command: what has one meaning is taken and logged, the rest is refused with the right shape.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/x", "--permission-mode", "bypass"] as const;
const FILE = "one\ntwo\nthree\n";

async function played(...calls: readonly { readonly name: string; readonly input: unknown }[]) {
  const place = await createServedShared([
    ...calls.map((call) => ({ calls: [call] })),
    { text: "done" },
  ] as never);
  place.file("r.txt", FILE);
  const { code } = await place.run(["-p", "go", ...MODEL]);
  expect(code).toBe(0);
  return { ...place, outcomes: place.entries().filter((entry) => entry.type === "tool") };
}

it("takes numbers, booleans and lists as text, null for an optional argument, and tools under another agent's name", async () => {
  const { outcomes } = await played(
    { name: "read", input: { path: "r.txt", offset: "2", limit: "1" } },
    { name: "Read", input: { path: "r.txt", offset: null } },
    { name: "TodoWrite", input: { items: '[{"id":1,"text":"a","status":"Pending"}]' } },
    { name: "Glob", input: { query: "*.txt" } },
  );
  expect(outcomes.map(({ state, text }) => [state, text])).toEqual([
    ["ok", expect.stringContaining("2\ttwo")],
    ["ok", expect.stringContaining("1\tone")],
    ["ok", expect.stringContaining("a")],
    ["ok", expect.stringContaining("r.txt")],
  ]);
  expect(outcomes.map(({ input }) => input)).toEqual([
    { path: "r.txt", offset: 2, limit: 1 },
    { path: "r.txt" },
    { items: [{ id: "1", text: "a", status: "pending" }] },
    undefined, // its arguments were the tool's own
  ]);
});

it("runs a call with arguments that the tool does not have, and names each once in the session", async () => {
  const call = { name: "bash", input: { command: "echo hi", description: "greets", timeout: 5 } };
  const { outcomes } = await played(call, call);
  expect(outcomes.map(({ text }) => text)).toEqual([
    expect.stringMatching(/hi.*\n\[Ignored: "description", "timeout": no argument of this tool\.\]$/s),
    expect.not.stringContaining("Ignored"),
  ]);
  expect(outcomes[0]).toMatchObject({ state: "ok", input: { command: "echo hi" } });
});

it("permission rules see the arguments that the tool gets (twin: the same call without the rule runs)", async () => {
  const call = { name: "Bash", input: { Command: "touch made.txt", note: null } };
  const refusing = await createServedShared([{ calls: [call] }, { text: "done" }]);
  await refusing.run(["-p", "go", ...MODEL, "--deny", "bash(touch *)"]);
  expect(refusing.entries().find(({ type }) => type === "tool")).toMatchObject({ state: "refused" });
  const { cwd } = await played(call);
  expect(readFileSync(`${cwd}/made.txt`, "utf8")).toBe("");
});

it("refuses what has no single meaning, with the right shape and the tools that there are", async () => {
  const { outcomes } = await played(
    { name: "read", input: { path: "r.txt", offset: "2x" } },
    { name: "read", input: { file_name: "r.txt" } },
    { name: "reed", input: { path: "r.txt" } },
    { name: "read_file", input: { path: "r.txt" } },
  );
  expect(outcomes.map(({ state }) => state)).toEqual(["failed", "failed", "failed", "failed"]);
  const texts = outcomes.map(({ text }) => text);
  expect(texts[0]).toMatch(/^The arguments do not fit the tool read: offset must be integer, got string\./);
  expect(texts[1]).toMatch(
    /"path" is missing.*unknown argument "file_name"|unknown argument "file_name".*"path" is missing/s,
  );
  for (const text of texts.slice(0, 2)) expect(text).toContain("It takes { path: string, offset?: integer");
  expect(texts[2]).toMatch(
    /^This session exposes no tool called "reed"\. Did you mean "read"\? It has .*\bread\b/,
  );
  expect(texts[3]).toMatch(/^This session exposes no tool called "read_file"\. .*It has .*\bread\b/);
});

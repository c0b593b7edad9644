import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { EntryBody } from "./contract.ts";
import { readSessionFacts } from "./session-facts.ts";
import { NO_USAGE } from "./usage.ts";

const HEAD: EntryBody = { type: "session", v: 1, id: "x", cwd: "/w", version: "0.1.0" };
const SAID: EntryBody = { type: "user", via: "submit", content: [{ kind: "text", text: "go" }] };
const ASKED: EntryBody = { type: "request", digest: "sha256:0" };
const END: EntryBody = { type: "end", how: "complete", turns: 1 };
const NAMED: EntryBody = { type: "title", text: "a name" };

it.each<readonly [string, string, readonly EntryBody[]]>([
  ["nothing was said", "complete", [HEAD]],
  ["it was answered", "complete", [HEAD, SAID, ASKED, END]],
  [
    "it was named and rewound",
    "complete",
    [HEAD, SAID, END, NAMED, { type: "rewind", from: "x", files: [] }],
  ],
  [
    "a branch was summarised",
    "complete",
    [HEAD, SAID, ASKED, END, ASKED, { type: "jump", to: 1, summary: "s" }],
  ],
  ["it ended in a turn", "broken off", [HEAD, SAID, END, SAID, ASKED]],
  ["it ended in its first turn, and was named", "broken off", [HEAD, SAID, ASKED, NAMED]],
])("where %s, a session is %s", (_when, state, bodies) => {
  expect(readSessionFacts(logOf(bodies))).toMatchObject({ state });
});

it("cuts a title and an answer before a character that does not fit whole", () => {
  const text = `${"a".repeat(199)}🙂`;
  const message = { role: "assistant", content: [{ kind: "text", text }] } as const;
  const answer: EntryBody = { type: "assistant", message, stop: "complete", usage: NO_USAGE };
  const path = logOf([HEAD, SAID, answer, { ...NAMED, text }]);
  const cut = "a".repeat(199);
  expect(readSessionFacts(path)).toMatchObject({ title: cut, last: cut });
});

/** The path of a log with these entries. */
function logOf(bodies: readonly EntryBody[]): string {
  const folder = mkdtempSync(join(tmpdir(), "indus-facts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "x.jsonl");
  writeFileSync(path, bodies.map((body, n) => `${JSON.stringify({ n, at: n, ...body })}\n`).join(""));
  return path;
}

// A session of an addon's own, with the real command: it may do what the session may and what the addon may, and no more. The
// example in examples/addons/second-opinion.ts plays the addon.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted", "--grant", "second-opinion"] as const;
const EXAMPLE = readFileSync(join(import.meta.dirname, "../../examples/addons/second-opinion.ts"), "utf8");
const WITHOUT_FILES = EXAMPLE.replace(
  /\/\/ \[\[capability\]\]\n\/\/ kind = "files"[\s\S]*?\n(?=\/\/ \/\/\/)/,
  "",
);

/** The model asks for a second opinion on a file; the reviewer reads it, and says what it was told. */
async function asked(addon: string, flags: readonly string[] = []) {
  const reviewed: string[] = [];
  const place = await createServedShared(({ rawBody }, index) => {
    if (rawBody.includes("You are the delegate")) {
      if (!rawBody.includes("tool_result")) return { calls: [{ name: "read", input: { path: "plan.txt" } }] };
      reviewed.push(rawBody);
      return { text: "It holds." };
    }
    return index === 0
      ? { calls: [{ name: "second_opinion", input: { question: "Does plan.txt hold?" } }] }
      : { text: "Asked." };
  });
  place.file(".indus/addons/second-opinion.ts", addon);
  place.file("plan.txt", "the plan is sound\n");
  const { code, stderr } = await place.run(["-p", "go", ...MODEL, ...flags]);
  const log = place.entriesOf(place.logs().find((path) => !path.includes("/delegates/")) ?? "");
  const answer = log.flatMap((entry) =>
    entry.type === "tool" && entry.name === "second_opinion" ? [entry.text] : [],
  );
  return { place, code, stderr, log, answer: answer.join(), reviewed: reviewed.join() };
}

it("reads what its addon may read, costs and deeds stand in the log of the session that it works for", async () => {
  const { code, stderr, answer, reviewed, log, place } = await asked(EXAMPLE);
  expect(code).toBe(0);
  expect(stderr).toContain("! project:second-opinion: started session-1 (reviewer): Does plan.txt hold?");
  expect(reviewed).toContain("the plan is sound");
  expect(answer).toMatch(/^It holds\.[\s\S]*\(\/ask-again session-1 TEXT asks further\.\)$/);
  const deeds = log.filter(({ type }) => type === "delegate");
  expect(deeds).toMatchObject([
    { id: "session-1", agent: "reviewer", status: "working", by: "project:second-opinion", deed: "spawn" },
    { id: "session-1", status: "done", by: "project:second-opinion" },
  ]);
  expect(log.filter((entry) => entry.type === "decision" && entry.decision.by !== undefined)).toMatchObject([
    { decision: { tool: "task", outcome: "allowed", by: "project:second-opinion" } },
  ]);
  expect((await place.run(["session", "verify"])).code).toBe(0);
  // The same session of the addon goes on in a later run, and knows what was said.
  const later = await place.run(["-c", "-p", "/ask-again session-1 But why?", ...MODEL]);
  expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining("It holds.") });
  const last = place.server.requests.at(-1)?.rawBody;
  for (const said of ["Does plan.txt hold?", "the plan is sound", "But why?"]) expect(last).toContain(said);
  expect(place.logs()).toHaveLength(2);
});

it("reads nothing that its addon may not read, in bypass either (its twin is above)", LONG_ONLY, async () => {
  const { reviewed, answer } = await asked(WITHOUT_FILES, ["--permission-mode", "bypass"]);
  expect(reviewed).not.toContain("the plan is sound");
  expect(reviewed).toContain(
    "this session works for project:second-opinion, which may not read " + "", // the path stands between
  );
  expect(reviewed).toContain("it lacks the grant files with read");
  expect(answer).toContain("It holds.");
});

it(
  "is held to the rules of the session: a file that a rule keeps from the model, and one whom no work goes to",
  LONG_ONLY,
  async () => {
    const kept = await asked(EXAMPLE, ["--deny", "read(plan.txt)"]);
    expect(kept.reviewed).not.toContain("the plan is sound");
    const refused = await asked(EXAMPLE, ["--deny", "task(reviewer)"]);
    expect(refused.answer).toContain("it may not delegate to reviewer, because");
    expect(refused.log.filter(({ type }) => type === "delegate")).toEqual([]);
  },
);

it("ends when the process of its addon breaks down, but for one that is to outlive it, and both are said", async () => {
  const dying = EXAMPLE.replace(
    "const { said } = await host.sessionWait(id);",
    'await host.sessionSpawn("reviewer", "Stay.", undefined, LIMITS, true);\n      process.exit(3);\n      const said = "";',
  );
  const place = await createServedShared(({ rawBody }, index) => {
    if (rawBody.includes("You are the delegate"))
      return { text: "Never said.", trouble: { kind: "silence", after: 0 } };
    return index === 0
      ? { calls: [{ name: "second_opinion", input: { question: "Does plan.txt hold?" } }] }
      : { text: "Asked." };
  });
  place.file(".indus/addons/second-opinion.ts", dying);
  const { code, stderr } = await place.run(["-p", "go", ...MODEL]);
  expect(code).toBe(0);
  expect(stderr.match(/session-\d \(reviewer\) was stopped: the addon's process has ended/g)).toEqual([
    "session-1 (reviewer) was stopped: the addon's process has ended",
  ]);
  const log = place.entriesOf(place.logs().find((path) => !path.includes("/delegates/")) ?? "");
  const deeds = log.flatMap((entry) => (entry.type === "delegate" ? [`${entry.id} ${entry.status}`] : []));
  expect(deeds.toSorted()).toEqual([
    ...["session-1 stopped", "session-1 working", "session-2 stopped", "session-2 working"],
  ]);
});

it(
  "where the grant is missing the tool is left out with the reason, and the command answers why",
  LONG_ONLY,
  async () => {
    const place = await createServedShared([]);
    place.file(".indus/addons/second-opinion.ts", EXAMPLE.replace("spawn = true", "spawn = false"));
    const { stdout } = await place.run(["addons", "--json", "--grant", "second-opinion"]);
    expect(stdout).toContain("it needs sessions (spawn): it was not granted");
    const { stderr, code } = await place.run(["-p", "/ask-again", ...MODEL]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("it lacks the grant sessions with spawn")]);
  },
);

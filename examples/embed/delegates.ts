// `induscode/session`, delegates: members of a crew that works through tasks. A program of its own does their work here.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileBoard, type DelegationReport } from "indusagi/swarm";
import {
  createDelegateRunner,
  type DelegateRunner,
  type DelegationTask,
  type SubagentCrew,
  type SubagentProfile,
  toAgentSpec,
  toBlueprint,
  toMemberDraft,
  withLock,
} from "induscode/session";

const baker: SubagentProfile = {
  ...{ name: "baker", purpose: "Bakes.", prompt: "You bake.", source: "baker.toml", origin: "builtin" },
};
assert.equal(toAgentSpec(baker).systemPrompt, "You bake.");
assert.ok(toBlueprint(baker).ok);
assert.deepEqual(toMemberDraft(baker), { name: "baker", agents: ["baker"] });

const folder = mkdtempSync(join(tmpdir(), "board-"));
const asked: string[] = [];
const runner: DelegateRunner = createDelegateRunner({
  id: "kitchen",
  board: createFileBoard({ folder, withLock }),
  profiles: [baker],
  delegates: {
    run: async ({ agent, objective, model = "its own model" }) => {
      asked.push(`${agent}: ${objective}, with ${model}`);
      return { ok: true, report: "It is done.", turns: 1, cost: 0 };
    },
  },
});
const crew: SubagentCrew = runner.crew;
assert.deepEqual(crew.members, [{ name: "baker", agents: ["baker"] }]);
const tasks: readonly DelegationTask[] = [
  { key: "sandwich", title: "Make a sandwich", deps: ["bread"] },
  { key: "bread", title: "Bake bread", agent: "baker", model: "anthropic/x" },
];
const report: DelegationReport = await runner.run(tasks, new AbortController().signal);
assert.deepEqual(asked, [
  "baker: Bake bread, with anthropic/x",
  "baker: Make a sandwich, with its own model",
]);
assert.deepEqual([report.completed, report.failed, report.rounds, report.left], [2, 0, 2, 0]);
rmSync(folder, { recursive: true, force: true });
process.stdout.write("delegates: ok\n");

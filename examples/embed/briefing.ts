// `induscode/briefing`: a system prompt as a pure fold over what was found.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BRIEFING_SECTIONS,
  type BriefingInput,
  composeBriefing,
  composeWith,
  loadSkillCards,
  type NamedSection,
} from "induscode/briefing";

const skills = mkdtempSync(join(tmpdir(), "indus-example-"));
mkdirSync(join(skills, "tidy"));
writeFileSync(
  join(skills, "tidy/SKILL.md"),
  "---\nname: tidy\ndescription: Keeps files tidy.\n---\n\nBe tidy.\n",
);
const { cards } = loadSkillCards(skills, "project");
assert.deepEqual(
  cards.map(({ name }) => name),
  ["tidy"],
);

const input: BriefingInput = {
  tools: [{ name: "read", description: "Reads a file.", parameters: {} }],
  workspace: "/home/me",
  skills: cards,
  contextDocs: [{ path: "./AGENTS.md", body: "Use tabs." }],
  nowMs: Date.UTC(2026, 0, 1),
};
const prompt = composeBriefing(input);
assert.equal(prompt, composeBriefing(input));
for (const part of ["read", "tidy", "Use tabs."]) assert.ok(prompt.includes(part));

const motto: NamedSection = { id: "motto", render: () => "Measure twice." };
assert.ok(composeWith([...BRIEFING_SECTIONS, motto], input).endsWith("Measure twice."));
process.stdout.write("briefing: ok\n");

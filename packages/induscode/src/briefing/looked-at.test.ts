// A repository can contain any number of skills, commands and agents of any size: one budget covers what is read of them.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fillFolder } from "../../../../tests/support/test-folder.ts";
import { createTree, type Tree } from "../../../../tests/support/test-tree.ts";
import { LookBudget, type LookLimits, NO_LIMITS } from "../store/look-budget.ts";
import { gatherBriefing } from "./gather.ts";
import { MAX_SKILL_BYTES } from "./skills.ts";

const LONG = "x".repeat(40_000);
const skill = (name: string, body = LONG): string => `---\nname: ${name}\ndescription: d\n---\n${body}\n`;

function manySkills(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`home/repo/.claude/skills/s-${at}/SKILL.md`, skill(`s-${at}`)]),
  );
}

function gathered(tree: Tree, limits: Partial<LookLimits> = {}) {
  const look = new LookBudget({ ...NO_LIMITS, ...limits });
  const { skills, macros, subagents, contextDocs, diagnostics } = gatherBriefing({ ...tree, look });
  const agents = subagents.filter(({ origin }) => origin === "project");
  const told = diagnostics.map(({ message }) => message.replaceAll(`${tree.base}/`, ""));
  return {
    skills: skills.length,
    commands: macros.length,
    agents: agents.length,
    docs: contextDocs.length,
    told,
  };
}

it("files beyond the budget of bytes are left out, which is said once for each folder", () => {
  const tree = createTree({
    ...manySkills(10),
    "home/repo/.claude/commands/late.md": "x",
    "home/repo/.claude/agents/one.md": "---\ndescription: d\n---\nGo.",
    "home/repo/AGENTS.md": "Be brief.",
  });
  const limited = gathered(tree, { textBytes: 100_000 });
  expect(limited).toMatchObject({ docs: 1, agents: 1, skills: 3, commands: 0 });
  expect(limited.told).toEqual([
    expect.stringMatching(
      /^skill invalid: home\/repo\/\.claude\/skills: 7 skills are not used: a start looks at no more than /,
    ),
    expect.stringMatching(
      /^home\/repo\/\.claude\/commands: 1 command is not used: a start looks at no more than /,
    ),
  ]);
  expect(gathered(tree)).toMatchObject({ docs: 1, agents: 1, skills: 10, commands: 1 }); // the twin: without a limit
});

it("small files count against the budget of files", () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`home/repo/.claude/commands/c${at}.md`, "x"]),
  );
  const { commands, told } = gathered(createTree(files), { files: 20 });
  expect(commands).toBe(20);
  expect(told).toEqual([expect.stringMatching(/^home\/repo\/\.claude\/commands: 10 commands are not used/)]);
  expect(gathered(createTree(files)).commands).toBe(30);
});

it("a folder whose names exceed the budget is not searched, nor are those after it", () => {
  const tree = createTree({
    "home/repo/.claude/skills/a/SKILL.md": skill("a", "x"),
    "home/repo/.claude/agents/b.md": "",
  });
  fillFolder(join(tree.cwd, ".claude/agents"), 50, (at) => `${at}.txt`);
  const { skills, told } = gathered(tree, { names: 40 });
  expect(skills).toBe(0);
  expect(told).toEqual([
    expect.stringMatching(/^skill invalid: home\/repo\/\.claude\/skills: it is not searched: a start looks/),
    expect.stringMatching(/^home\/repo\/\.claude\/agents is not searched: a start looks/),
  ]);
  expect(gathered(tree).skills).toBe(1);
});

it("a folder with more than 10,000 entries is left alone, whoever it belongs to", () => {
  const tree = createTree();
  for (const folder of ["home/.claude/commands", "home/repo/.claude/skills"]) {
    mkdirSync(join(tree.base, folder), { recursive: true });
    fillFolder(join(tree.base, folder), 10_001, (at) => `${at}.md`);
  }
  expect(gathered(tree).told).toEqual([
    "skill invalid: home/repo/.claude/skills: it is not searched: it has more than 10,000 entries",
    "home/.claude/commands is not searched: it has more than 10,000 entries",
  ]);
});

it("the person's own files cost nothing and are read whatever the repository holds", () => {
  const tree = createTree({ ...manySkills(3), "home/.claude/skills/own/SKILL.md": skill("own") });
  expect(gathered(tree, { textBytes: 1 }).skills).toBe(2); // the repository's first one exceeds it
});

it("links that lead in a circle cost no more than what they lead to", () => {
  const tree = createTree({ "home/repo/.claude/skills/a/SKILL.md": skill("a", "x") });
  symlinkSync(join(tree.cwd, ".claude/skills"), join(tree.cwd, ".claude/skills/a/again"));
  expect(gathered(tree, { names: 10, files: 5 })).toMatchObject({ skills: 1, told: [] });
});

it("a header without an end is read up to a limit, and reported", () => {
  const tree = createTree({
    "home/repo/.claude/skills/a/SKILL.md": `---\nname: a\n${"k: v\n".repeat(100_000)}`,
    "home/repo/.claude/agents/b.md": "---\nname: b\n",
    "home/repo/.claude/commands/c.md": "---\ndescription: c\n",
  });
  expect(gathered(tree)).toMatchObject({
    skills: 0,
    agents: 0,
    told: [
      "skill invalid: home/repo/.claude/skills/a/SKILL.md: its header has no end: expected a line of ---",
      "home/repo/.claude/commands/c.md: its header has no end: expected a line of ---; all of it is the command's text",
      "agent invalid: home/repo/.claude/agents/b.md: its header has no end: expected a line of ---",
    ],
  });
});

it("of a long skill the beginning is read, and it is said that the rest was not searched", () => {
  const hidden = "\u{e0041}";
  const tree = createTree({
    "home/repo/.claude/skills/a/SKILL.md": skill("a", "x".repeat(300_000) + hidden),
    "home/repo/.claude/skills/b/SKILL.md": skill("b", hidden),
  });
  const { skills, told } = gathered(tree);
  expect(skills).toBe(2);
  expect(told).toEqual([
    `home/repo/.claude/skills/a/SKILL.md: only its first ${MAX_SKILL_BYTES} bytes were searched for text that only the model can see`,
    expect.stringContaining("b/SKILL.md: it contains text that only the model can see"),
  ]);
});

// Prompt inputs for tests.

import type { BriefingInput, SkillCard, ToolDoc } from "../../packages/induscode/src/briefing/contract.ts";

export const NOON: number = Date.UTC(2026, 5, 4, 12);

export function aTool(name: string, description = ""): ToolDoc {
  return { name, description, parameters: {} };
}

export function aCard(facts: Partial<SkillCard> & { readonly name: string }): SkillCard {
  const { name, description = `What ${name} does.` } = facts;
  return {
    description,
    body: "",
    location: `/repo/.indus/skills/${name}/SKILL.md`,
    origin: "project",
    frontmatter: { name, description, disableModelInvocation: false, rest: {} },
    ...facts,
  };
}

/** An input for which every section applies. */
export const FULL_INPUT: BriefingInput = {
  cwd: "/repo",
  workspace: "/elsewhere",
  nowMs: NOON,
  tools: [
    ...["read", "write", "edit", "bash", "grep", "find", "ls", "task", "todo_read", "todo_set", "webfetch"],
    "websearch",
  ]
    .map((name) => aTool(name, "for the schema"))
    .concat([
      aTool("enter_plan_mode", "Start to plan."),
      aTool("exit_plan_mode", "Propose the plan."),
      aTool("connector_slack"),
    ]),
  subagents: [
    { name: "reviewer", purpose: "review diffs", when: "a pull request is ready" },
    { name: "scout", purpose: "Look around!" },
  ],
  contextDocs: [
    { path: "~/AGENTS.md", body: "\nAnswer in French.\n" },
    { path: "./AGENTS.md", body: "Use two-space indent." },
  ],
  skills: [aCard({ name: "pdf", description: "Fill & read PDF forms." })],
};

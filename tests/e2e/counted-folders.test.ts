// `indus doctor --count FOLDER`: a collection as they are published, and what of it would come in.

import { expect, it } from "vitest";
import { createSharedWorkplace } from "../support/indus.ts";

it("counts what loads, what is told and what neither happens to, by reason", async () => {
  const place = createSharedWorkplace();
  const put = (files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) place.file(`all/${path}`, text);
  };
  put({
    "kit/skills/one/SKILL.md": "---\nname: one\ndescription: How to one.\n---\nOne.\n",
    "kit/skills/Two Words/SKILL.md": "---\nname: Two Words\ndescription: How to two.\n---\nTwo.\n",
    "kit/skills/none/SKILL.md": "---\nname: none\n---\n# None\n\nNo description.\n",
    "kit/skills/empty/SKILL.md": "---\nname: empty\n---\n",
    "kit/skills/loose.md": "---\nname: loose\ndescription: How to loose.\n---\nLoose.\n",
    "kit/skills/AGENTS.md": "---\ndescription: About.\n---\nAbout the skills.\n",
    "kit/skills/pair/spawn.md": "---\nname: spawn\ndescription: How to spawn.\n---\nSpawn.\n",
    "kit/skills/pair/notes.md": "a text beside it",
    "kit/skills/notes.md": "no header",
    "kit/skills/one/agents/inner.md": "a file of the skill",
    "kit/commands/git/commit.md":
      "---\nallowed-tools: Bash(git add:*)\nmodel: haiku\n---\nCommit $1: !`git status`\n",
    "kit/commands/README.md": "about",
    "kit/commands/index-all.md": "Index all.",
    "kit/commands/plan.md": "Plan it.",
    "kit/commands/two words.md": "Two.",
    "kit/commands/other.toml": 'prompt = "Other."',
    "kit/.claude/commands/agents/spawn.md": "Spawn one.",
    "kit/.opencode/command/open.md": "---\ndescription: Opens.\n---\nOpen.\n",
    "kit/.github/prompts/ask.md": "Ask.",
    "kit/prompts/role.md": "---\ndescription: A role.\n---\nBe it.\n",
    "kit/prompts/plain.md": "a text of a program",
    "kit/agents/reviewer.md":
      '---\nname: Code Reviewer\ndescription: Use when: x (Context: y)\ntools: ["Read", "Grep"]\nmodel: sonnet\n---\nReview.\n',
    "kit/agents/plain.md": "no header",
    "kit/agents/README.md": "about",
    "kit/agents/deep/in/it.md": "---\nname: it\n---\nIn it.\n",
    "kit/agents/1/2/3/4/5/far.md": "---\nname: far\n---\nFar.\n",
    "kit/agents/other.yaml": "name: other",
    "kit/output-styles/terse.md": "---\nname: Terse\n---\nIn one line.\n",
    "kit/output-styles/own.md": "---\nname: Own\nkeep-coding-instructions: false\n---\nOwn.\n",
    "kit/output-styles/empty.md": "---\nname: Empty\n---\n",
    "kit/output-styles/in/deep.md": "Deep.",
    "kit/src/agent/code.md": "a text about the code",
    "kit/hooks/hooks.json": JSON.stringify({
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }],
        Notification: [{ hooks: [{ type: "command", command: "true" }] }],
      },
    }),
    "kit/.mcp.json": JSON.stringify({
      mcpServers: { a: { command: "node", args: ["a.mjs"] }, b: { nothing: true } },
    }),
    "kit/node_modules/x/agents/never.md": "---\nname: never\n---\n",
  });
  const { code, stdout } = await place.run(["doctor", "--count", "all"]);
  expect(code).toBe(0);
  expect(stdout.split("\n").filter((line) => !line.startsWith("    "))).toEqual([
    "skills    7: 4 used (2 with a remark), 2 reported as a problem, 1 ignored silently",
    "  7 in kit/skills, which indus does not read",
    "  1 told: it has no description",
    "  1 silent: it has no front matter",
    "  1 told: a skill in a folder of its own is called SKILL.md",
    "commands  9: 6 used (0 with a remark), 3 reported as a problem, 0 ignored silently",
    "  5 in kit/commands, which indus does not read",
    "  1 in kit/.claude/commands",
    "  1 in kit/.github/prompts, which indus does not read",
    "  1 in kit/.opencode/command, which indus does not read",
    "  1 in kit/prompts, which indus does not read",
    "  1 told: a command is a Markdown file",
    "  1 told: /plan is built in: rename the file",
    expect.stringMatching(/^ {2}1 told: "two words" is not a valid command name/),
    "agents    5: 2 used (1 with a remark), 3 reported as a problem, 0 ignored silently",
    "  5 in kit/agents, which indus does not read",
    "  1 told: it is more than 4 folders deep",
    "  1 told: an agent is a Markdown or TOML file",
    expect.stringMatching(/^ {2}1 told: it has no header/),
    "styles    4: 2 used (1 with a remark), 2 reported as a problem, 0 ignored silently",
    "  4 in kit/output-styles, which indus does not read",
    "  1 told: it is not used: it has no text below its header",
    "  1 told: an output style lies directly in its folder",
    "hooks     2: 1 used (0 with a remark), 1 reported as a problem, 0 ignored silently",
    expect.stringMatching(/^ {2}1 told: Notification/),
    "servers   2: 1 used (1 with a remark), 1 reported as a problem, 0 ignored silently",
    expect.stringMatching(/^ {2}1 told: /),
    expect.stringMatching(/^Each file is counted as if /),
    "Of 29, 55.1 % are used, and 96.5 % are used or reported.",
    "",
  ]);
  expect(stdout).toContain("    kit/agents/1/2/3/4/5/far.md\n");
  const json = JSON.parse((await place.run(["doctor", "--count", "all", "--json"])).stdout);
  expect(json).toMatchObject({ all: 29, percent: 96.5, percentUsed: 55.1, isWhole: true });
  expect(json.kinds[2].reasons[0]).toEqual({
    end: "told",
    why: "it is more than 4 folders deep",
    files: ["kit/agents/1/2/3/4/5/far.md"],
  });
  expect((await place.run(["doctor", "--count", "no-such-folder"])).stderr).toContain("is not a folder");
});

it("counts as used what a session in such a folder lists, and tells what doctor tells there", async () => {
  const place = createSharedWorkplace();
  const files = {
    ".claude/skills/none/SKILL.md": "---\nname: none\n---\n# None\n\nHow to do\nwithout.\n",
    ".claude/skills/wordy/SKILL.md": `---\nname: wordy\ndescription: ${"word ".repeat(300)}\n---\nText.\n`,
    ".claude/skills/pair/spawn.md": "---\nname: spawn\ndescription: How to spawn.\n---\nSpawn.\n",
    ".claude/agents/core/deep/coach.md": "---\nname: coach\ndescription: Coaches.\n---\nCoach.\n",
    ".claude/agents/core/long.md": `---\nname: long\ndescription: Long.\n---\n${"rule\n".repeat(9_000)}`,
    ".claude/agents/notes.md": "no header",
    ".claude/agents/other.yml": "name: other",
    ".claude/commands/agents/list.md": "List them.",
  };
  for (const [path, text] of Object.entries(files)) place.file(path, text);
  const { kinds } = JSON.parse((await place.run(["doctor", "--count", ".", "--json"])).stdout);
  const [skills, commands, agents] = kinds;
  expect([skills, commands, agents].map(({ loads, told, silent }) => [loads, told, silent])).toEqual([
    [2, 1, 0],
    [1, 0, 0],
    [2, 2, 0],
  ]);
  expect([skills, commands, agents].flatMap(({ places }) => places)).toMatchObject([
    { place: ".claude/skills", isRead: true },
    { place: ".claude/commands", isRead: true },
    { place: ".claude/agents", isRead: true },
  ]);
  const listed = await place.run(["prompt"]);
  expect(listed.stdout).toContain("How to do without.");
  expect(listed.stdout).toContain("wordy");
  const { stdout: delegates } = await place.run(["agents"]);
  expect(delegates).toContain("coach");
  expect(delegates).toContain("long");
  const { stdout: report } = await place.run(["doctor"]);
  for (const { reasons } of [skills, agents])
    for (const { files } of reasons) for (const file of files) expect(report).toContain(file);
});

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
    "kit/skills/none/SKILL.md": "---\nname: none\n---\nNo description.\n",
    "kit/skills/one/agents/inner.md": "a file of the skill",
    "kit/commands/git/commit.md":
      "---\nallowed-tools: Bash(git add:*)\nmodel: haiku\n---\nCommit $1: !`git status`\n",
    "kit/commands/README.md": "about",
    "kit/agents/reviewer.md":
      '---\nname: Code Reviewer\ndescription: Use when: x (Context: y)\ntools: ["Read", "Grep"]\nmodel: sonnet\n---\nReview.\n',
    "kit/agents/plain.md": "no header",
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
  for (const line of [
    "skills    3: 2 used (1 with a remark), 1 reported as a problem, 0 ignored silently",
    "  1 told: it has no description",
    "commands  1: 1 used (0 with a remark), 0 reported as a problem, 0 ignored silently",
    "agents    2: 1 used (1 with a remark), 0 reported as a problem, 1 ignored silently",
    "  1 silent: it has no header",
    "hooks     2: 1 used (0 with a remark), 1 reported as a problem, 0 ignored silently",
    "servers   2: 1 used",
    "90 % of 10 are used or reported.",
  ])
    expect(stdout).toContain(line);
  const json = JSON.parse((await place.run(["doctor", "--count", "all", "--json"])).stdout);
  expect(json).toMatchObject({ all: 10, percent: 90, isWhole: true });
  expect((await place.run(["doctor", "--count", "no-such-folder"])).stderr).toContain("is not a folder");
});

// A repository that holds more than anybody reads: a start looks at a part of it that does not grow with it, and says what it left.

import { linkSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { measuredNode } from "../support/measured-node.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";
import { fillFolder } from "../support/test-folder.ts";
import { PATIENCE_MS } from "../support/until.ts";

const MOST_ABOVE_A_BARE_START = 100 * 1024;
const LONG = `---\ndescription: One of many.\n---\n${"Read this line, and then the next.\n".repeat(7_500)}`;

/** The peak memory in KiB and what was said. */
async function start({
  run,
  home,
}: ServedWorkplace): Promise<{ readonly peak: number; readonly told: string }> {
  const file = join(home, "peak");
  const { code, stderr } = await run(["-p", "go", "--model", "anthropic/x"], {
    env: measuredNode(home, file),
  });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return { peak: Number(readFileSync(file, "utf8")), told: stderr };
}

/** The same long text under many names. */
function fill({ cwd, file }: ServedWorkplace, count: number, name: (at: number) => string): void {
  const first = file(name(0), LONG);
  for (let at = 1; at < count; at++) {
    mkdirSync(dirname(join(cwd, name(at))), { recursive: true });
    linkSync(first, join(cwd, name(at)));
  }
}

it("2,000 skills of 250 KB, 500 commands and 15,000 addons cost less than 100 MB", {
  timeout: 4 * PATIENCE_MS,
}, async () => {
  const bare = await start(await createServedWorkplace([{ text: "done" }]));
  const place = await createServedWorkplace([{ text: "done" }]);
  fill(place, 2_000, (at) => `.claude/skills/s-${at}/SKILL.md`);
  fill(place, 500, (at) => `.claude/commands/c-${at}.md`);
  mkdirSync(join(place.cwd, ".indus/addons"), { recursive: true });
  fillFolder(join(place.cwd, ".indus/addons"), 15_000, (at) => `a-${at}.ts`);
  const { peak, told } = await start(place);
  expect(place.server.requests).toHaveLength(1);
  expect(peak - bare.peak).toBeLessThan(MOST_ABOVE_A_BARE_START);
  for (const said of [
    /\.claude\/skills: 1,7\d\d skills are not used: a start looks at no more than/,
    /\.claude\/commands: 500 commands are not used: a start looks at no more than/,
    /\.indus\/addons: it has more than 12000 entries; none of its addons is loaded/,
  ])
    expect(told.match(said), `${said}`).toHaveLength(1);
});

it("2,000 skills with as much YAML as a header can have cost no more", {
  ...LONG_ONLY,
  timeout: 4 * PATIENCE_MS,
}, async () => {
  const place = await createServedWorkplace([{ text: "done" }]);
  const yaml = `metadata:\n${"  - a\n".repeat(600)}`;
  for (let at = 0; at < 2_000; at++)
    place.file(`.indus/skills/s-${at}/SKILL.md`, `---\ndescription: Skill ${at}.\n${yaml}---\nDo it.\n`);
  const { told } = await start(place);
  expect(told).toContain(
    "is beyond the limit of YAML that indus parses from a repository at a start; only its plain lines are used",
  );
});

it("2,000 short skills are all used (the twin)", { ...LONG_ONLY, timeout: 4 * PATIENCE_MS }, async () => {
  const place = await createServedWorkplace([{ text: "done" }]);
  for (let at = 0; at < 2_000; at++)
    place.file(`.claude/skills/s-${at}/SKILL.md`, `---\ndescription: Skill ${at}.\n---\nDo it.\n`);
  expect((await start(place)).told).not.toContain("are not used: a start looks");
});

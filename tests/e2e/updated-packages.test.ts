// `indus update` and what the reports of packages say, through the real command: each package by itself, and what differs from what was agreed to.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";

type Files = Readonly<Record<string, string>>;

function put(folder: string, files: Files): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const besides = (place: Workplace, name: string): string => join(dirname(place.cwd), name);
const skill = (name: string, words = `How to ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${words}\n---\nDo it.\n`;
const plugin = (name: string, version: string): Files => ({
  ".claude-plugin/plugin.json": JSON.stringify({ name, version }),
});

it("updates each package by itself: one that cannot be had is named, and the others are updated, from any folder", async () => {
  const place = createWorkplace();
  const elsewhere = createWorkplace();
  elsewhere.file("servers/main.mjs", MCP_SERVER);
  const lost = put(besides(place, "lost"), {
    "skills/lost/SKILL.md": skill("lost"),
    ...plugin("a-lost", "1.0.0"),
  });
  const kit = put(besides(place, "kit"), { "skills/cut/SKILL.md": skill("cut"), ...plugin("kit", "1.0.0") });
  const env = { INDUS_HOME: place.home };
  const added = await elsewhere.run(["add", "mcp:node servers/main.mjs", "--name", "own", "--yes"], { env });
  expect(added.code).toBe(0);
  for (const folder of [lost, kit]) expect((await place.run(["add", folder, "--yes"])).code).toBe(0);
  rmSync(lost, { recursive: true });
  put(kit, plugin("kit", "2.0.0"));
  elsewhere.file("servers/main.mjs", `${MCP_SERVER}// newer\n`);
  const updated = await place.run(["update", "--yes"]);
  expect(updated.code).toBe(1);
  expect(updated.stderr).toMatch(/^indus: a-lost: there is nothing at .*\/lost, .*\n$/);
  expect(updated.stdout).toMatch(/^kit 2\.0\.0$/m);
  const again = await place.run(["update", "--yes"]);
  expect(again.stdout).toMatch(/^kit is up to date: .*\nown is up to date: .*\n$/);
});

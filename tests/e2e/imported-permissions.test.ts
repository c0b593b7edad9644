// The permissions of another agent's settings, through the real command: each row says what it becomes, and what was taken decides calls.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";

function theirs(place: Workplace, permissions: object): void {
  mkdirSync(join(place.home, ".claude"), { recursive: true });
  writeFileSync(join(place.home, ".claude/settings.json"), JSON.stringify({ permissions }));
}
const own = (place: Workplace) =>
  JSON.parse(readFileSync(join(place.home, "settings.json"), "utf8")).permissions;

it("are taken row by row, once, after an answer", async () => {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { deny: ["read(.env)"] } });
  theirs(place, {
    allow: ["Bash(npm run test:*)", "WebFetch(domain:example.com)", "mcp__tickets", "Skill(x)", 7, "*"],
    ask: ["Bash(git push:*)"],
    deny: ["Read(./secrets/**)", "read(.env)"],
    defaultMode: "bypassPermissions",
    additionalDirectories: ["../docs"],
  });
  const asking = await place.run(["permissions", "import"]);
  expect(asking).toMatchObject({ code: 3, stderr: expect.stringContaining("Add 5 rules to your settings") });
  for (const line of [
    "allow  Bash(npm run test:*)  new",
    "allow  mcp__tickets  new",
    "allow  Skill(x)  not imported: indus has no tool Skill",
    "allow  7  not imported: it is not a string",
    "allow  *  not imported: a star allows everything",
    "deny   read(.env)  you have it already",
    'not imported  permissions.defaultMode "bypassPermissions": a mode is chosen',
    "not imported  permissions.additionalDirectories",
  ])
    expect(asking.stdout).toContain(line);
  expect(own(place).allow).toBeUndefined();

  expect(await place.run(["permissions", "import", "--yes"])).toMatchObject({ code: 0, stderr: "" });
  expect(own(place)).toMatchObject({
    allow: ["Bash(npm run test:*)", "WebFetch(domain:example.com)", "mcp__tickets"],
    ask: ["Bash(git push:*)"],
    deny: ["read(.env)", "Read(./secrets/**)"],
  });
  const why = async (call: string) => (await place.run(["why", call])).stdout;
  expect(await why("bash(npm run test -- a)")).toContain("Bash(npm run test:*)");
  expect(await why("read(secrets/key)")).toContain("Read(./secrets/**)");
  expect((await place.run(["permissions", "import", "--yes"])).stdout).toContain(
    "There are no new rules to import.",
  );
});

it("of a file that is named, or the reason why not", async () => {
  const place = createWorkplace();
  place.file(".claude/settings.local.json", '{ "permissions": { "allow": ["Bash(make)"] } } // mine\n');
  const taken = await place.run(["permissions", "import", ".claude/settings.local.json", "--yes"]);
  expect(taken).toMatchObject({ code: 0, stderr: "" });
  expect(own(place).allow).toEqual(["Bash(make)"]);
  const none = await place.run(["permissions", "import"]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain(".claude/settings.json cannot be read");
});

// An update that is stopped, through the real command killed before each of its steps: the package is what it was, or what it was to be, with the lock
// file and the trust that belong to it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runtimeNode } from "../../scripts/setup.mjs";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { isLong } from "../support/long-form.ts";

const KILLER: string = fileURLToPath(new URL("../support/killed-at.cjs", import.meta.url));

const skill = (words: string): string => `---\nname: cut\ndescription: ${words}\n---\nDo it.\n`;

function placeWith(words: string): Workplace & { readonly kit: string } {
  const place = createWorkplace();
  const kit = join(dirname(place.home), "kit");
  mkdirSync(join(kit, "skills/cut"), { recursive: true });
  mkdirSync(join(kit, ".claude-plugin"));
  writeFileSync(join(kit, ".claude-plugin/plugin.json"), '{"name":"kit"}');
  writeFileSync(join(kit, "skills/cut/SKILL.md"), skill(words));
  return { ...place, kit };
}

/** Runs it on a Node that is killed before that call; `isKilled` says whether it came so far. */
async function killedAt(place: Workplace, call: number, words: readonly string[]) {
  const [node, notes] = ["node", "notes"].map((name) => join(dirname(place.home), name)) as [string, string];
  writeFileSync(node, `#!/bin/sh\nexec '${runtimeNode()}' --require '${KILLER}' "$@"\n`, { mode: 0o755 });
  writeFileSync(notes, "");
  const env = { INDUS_NODE: node, KILLED_AT: `${call}`, KILLED_IN: place.home, KILLED_NOTES: notes };
  const { code } = await place.runAlone(words, { env });
  const calls = readFileSync(notes, "utf8").trimEnd().split("\n");
  return { code, isKilled: calls.length >= call, calls };
}

/** Every third step in the short form: the renames are among them. */
const STEPS = isLong ? 1 : 3;

it("leaves the package as it was, or as it was to be, wherever it is killed", async () => {
  let isKilled = true;
  const seen = new Set<string>();
  for (let call = 1; isKilled && call < 100; call += STEPS) {
    const place = placeWith("How to do the old thing.");
    expect((await place.run(["add", place.kit, "--yes"])).code).toBe(0);
    writeFileSync(join(place.kit, "skills/cut/SKILL.md"), skill("How to do the new thing."));
    ({ isKilled } = await killedAt(place, call, ["update", "kit", "--yes"]));
    await place.run(["-p", "/help"]); // any start ends what was begun
    const prompt = (await place.run(["prompt"])).stdout;
    const has = /How to do the (old|new) thing/.exec(prompt)?.[1] ?? "none";
    const shown = await place.run(["show", "kit"]);
    expect([call, has, shown.code]).toEqual([call, expect.stringMatching(/old|new/), 0]);
    expect(shown.stdout).not.toContain("its files were changed");
    expect(existsSync(join(place.home, "packages/.before"))).toBe(false);
    seen.add(has);
    expect((await place.run(["update", "kit", "--yes"])).code).toBe(0);
    expect((await place.run(["prompt"])).stdout).toContain("How to do the new thing.");
  }
  expect(isKilled).toBe(false);
  expect([...seen].sort()).toEqual(["new", "old"]);
});

it("leaves the package as it was, if the lock file cannot be written", async () => {
  const place = placeWith("How to do the old thing.");
  await place.run(["add", place.kit, "--yes"]);
  writeFileSync(join(place.kit, "skills/cut/SKILL.md"), skill("How to do the new thing."));
  const lock = join(place.home, "packages.lock");
  const before = readFileSync(lock, "utf8");
  writeFileSync(lock, before.replace('"kit": {', '"no name!": {'));
  const { code, stderr } = await place.run(["update", "kit", "--yes"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("is damaged")]);
  writeFileSync(lock, before);
  expect((await place.run(["prompt"])).stdout).toContain("How to do the old thing.");
});

it("leaves the whole package or nothing of it, wherever the command that adds it is killed", async () => {
  let isKilled = true;
  const seen = new Set<string>();
  for (let call = 1; isKilled && call < 100; call += STEPS) {
    const place = placeWith("How to do the new thing.");
    ({ isKilled } = await killedAt(place, call, ["add", place.kit, "--yes"]));
    await place.run(["-p", "/help"]); // any start ends what was begun
    const isThere = (await place.run(["prompt"])).stdout.includes("How to do the new thing.");
    expect([call, isThere, (await place.run(["show", "kit"])).code]).toEqual([
      call,
      isThere,
      isThere ? 0 : 1,
    ]);
    expect(existsSync(join(place.home, "packages/.before"))).toBe(false);
    seen.add(isThere ? "added" : "absent");
    if (!isThere) expect((await place.run(["add", place.kit, "--yes"])).code).toBe(0);
  }
  expect(isKilled).toBe(false);
  expect([...seen].sort()).toEqual(["absent", "added"]);
});

// A mistake in a repository's settings is in everybody's clone: it never ends a start. What is understood holds, the rest is said
// once, and while it is unknown what the file refuses, nothing passes as in the mode bypass.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const FILE = ".indus/settings.json";
const BYPASS = ["--model", "anthropic/x", "--permission-mode", "bypass", "--sandbox", "off"] as const;
const TWO_COMMANDS: Script = [
  { calls: [{ name: "bash", input: { command: "mkfifo denied" } }] },
  { calls: [{ name: "bash", input: { command: "mkfifo other" } }] },
  { text: "done" },
];
const DENY = '"deny": ["bash(mkfifo denied)"]';

/** The file, what is said about it, whether its deny rule holds, and whether the mode bypass stays. */
const CASES: readonly (readonly [text: string | Buffer, told: string, holds: boolean, bypass: boolean])[] = [
  [`{ "permissions": { ${DENY} }, "colour": 1 }`, '"colour" is not a setting', true, true],
  [`{ "permissions": { ${DENY} }, "model": 1 }`, '"model" must be a non-empty string', true, true],
  [`\uFEFF{ "permissions": { ${DENY} }, "hooks": {} }`, '"hooks" is not a setting', true, true],
  [`{ "permissions": { ${DENY}, "denyy": ["ls"] } }`, '"permissions.denyy" is not a setting', true, false],
  [`{ "permissions": { ${DENY}, "ask": "ls" } }`, '"permissions.ask" must be a list of strings', true, false],
  [`{ "permissions": { "deny": ["bash(mkfifo denied)", 3] } }`, "the others are ignored", true, false],
  [`{ "permissions": { "deny": ["bash(mkfifo denied)", "bash("] } }`, "permissions.deny: ", true, false],
  [`{ "permissions": { "deny": ["bash(mkfifo denied)", "Bsh(ls)"] } }`, 'unknown tool "Bsh"', true, false],
  [`{ "permissions": { ${DENY} }, "sandbox": "readonly" }`, '"sandbox" must be one of', true, false],
  [`{ "permissions": { ${DENY} } 5 }`, "the readable rest is used", true, false],
  [`[{ "permissions": { ${DENY} } }]`, "none of its restrictions apply", false, false],
  [
    Buffer.from(`\uFEFF{ "permissions": { ${DENY} } }`, "utf16le"),
    "none of its restrictions apply",
    false,
    false,
  ],
  [
    `{ "permissions": { "deny": ["${"x".repeat(2_000_000)}"] } }`,
    "none of its restrictions apply",
    false,
    false,
  ],
];

describe("a mistake in a repository's settings", () => {
  it.each(
    rows(CASES, (_, at) => at % 3 === 0).map(
      (each) => [(typeof each[0] === "string" ? each[0] : "UTF-16").slice(0, 70), ...each] as const,
    ),
  )("%s", async (_, text, told, holds, bypass) => {
    const place = await createServedShared(TWO_COMMANDS);
    place.bytes(FILE, Buffer.from(text));
    const { code, stderr } = await place.run(["-p", "go", ...BYPASS]);
    expect([code, place.server.requests.length]).toEqual([bypass ? 0 : 3, 3]);
    expect(stderr.split(told)).toHaveLength(2); // said once
    expect(
      stderr.includes("the permission mode is acceptEdits: it is unknown what") ||
        stderr.includes("the permission mode is auto: it is unknown what"),
    ).toBe(!bypass);
    expect(existsSync(join(place.cwd, "other"))).toBe(bypass);
    if (holds) expect(existsSync(join(place.cwd, "denied"))).toBe(false);
  });

  it("no way to look at it ends either", async () => {
    const place = await createServedShared([]);
    place.bytes(FILE, Buffer.from('{ "permissions": { "denyy": ["ls"] } }'));
    place.file(".indus/addons/a/manifest.toml", 'id = "a"\n');
    for (const args of [["addons"], ["doctor"], ["why", "bash(ls)"]]) {
      const { code, stdout, stderr } = await place.run(args);
      expect([args, code]).toEqual([args, 0]);
      expect(stdout + stderr, args.join(" ")).toContain('"permissions.denyy" is not a setting');
    }
    expect((await place.run(["addon", "check", ".indus/addons/a"])).code).not.toBe(2);
  });
});

it.each(
  rows(
    CASES.filter(([, , , bypass]) => !bypass),
    theFirst,
  ).map(([text, told]) => [told, text] as const),
)("in the person's own file it ends the start (the twin): %s", async (_, text) => {
  const place = await createServedShared(TWO_COMMANDS);
  place.bytes("../home/settings.json", Buffer.from(text));
  const { code } = await place.run(["-p", "go", ...BYPASS]);
  expect([code, place.server.requests.length]).toEqual([2, 0]);
});

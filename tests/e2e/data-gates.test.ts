// Gates of a manifest run in the session's own thread, so what they may examine is counted. The real command with the
// worst patterns on the longest text: it goes on, says so once, and a gate that blocks stays closed.

import { expect, it } from "vitest";
import { rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const LONG = `echo ran # ${"a".repeat(65_000)}`;
const DEAR = Array.from({ length: 200 }, () => `*${"a".repeat(100)}?${"a".repeat(24)}b*`);
const LINEAR = Array.from({ length: 200 }, () => `*${"a".repeat(124)}`);

async function run(globs: readonly string[], policy: string) {
  const place = await createServedShared([
    { calls: [{ name: "bash", input: { command: LONG } }] },
    { text: "Done." },
  ]);
  const gate = `[[gate]]\nevent = "tool:before"\nmatch-arg = "command"\nglob = ${JSON.stringify(globs)}\nreason = "fits"\n`;
  place.file(".indus/addons/dear/manifest.toml", `id = "dear"\n${gate}on-failure = "${policy}"\n`);
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "dear"];
  const { code, stdout, stderr } = await place.run(["-p", "go", ...flags]);
  const [tool] = place.entries().filter(({ type }) => type === "tool");
  return { code, stdout, stderr, tool: JSON.stringify(tool) };
}

it.each(rows(["allow", "block"], theFirst))(
  "patterns that are beyond the budget fail, and %s decides",
  async (policy) => {
    const { code, stdout, stderr, tool } = await run(DEAR, policy);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr.match(/may examine 33554432 characters in total/g)).toHaveLength(
      policy === "block" ? 2 : 1,
    ); // the refused call says it, too
    expect(stderr).toContain("project:dear failed at tool:before: its gates may examine");
    if (policy === "block") expect(tool).toContain('"state":"refused"');
    else expect(tool).toContain("exit code 0");
  },
);

it("two hundred of the worst patterns without a ? are within it, and decide by what they say", async () => {
  const { code, stderr, tool } = await run(LINEAR, "allow");
  expect(code).toBe(0);
  expect(stderr).not.toContain("failed at");
  expect(tool).toContain("Refused: bash was not run, because fits (project:dear)");
});

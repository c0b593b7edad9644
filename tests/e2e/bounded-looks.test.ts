// What passes unasked because it only looks has limits of memory and time, through the real command, and says so where it meets one. The
// twin: what the person allowed has none.

import { truncateSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { isInstalled, lacks } from "../support/needs.ts";

const isLinux = process.platform === "linux";

async function play(command: string, args: readonly string[]): Promise<string> {
  const server = await startModelServer([
    { calls: [{ name: "bash", input: { command } }] },
    { text: "Done." },
  ]);
  onTestFinished(() => server.close());
  const place = createWorkplace(server.url);
  place.file("f.json", "{}");
  truncateSync(place.file("big", ""), 2 ** 31); // no byte of it is on the disk
  await place.run(["-p", "go", "--model", "anthropic/x", ...args]);
  return place
    .entries()
    .flatMap((entry) => (entry.type === "tool" ? [entry.text] : []))
    .join("\n");
}

const LIMITED = "limits: a command that runs unasked because it is harmless gets at most 768 MB of memory";
const doubled = (times: number): string => `x=0123456789abcdef; ${"x=$x$x; ".repeat(times)}echo "\${#x}"`;

const AUTO = ["--permission-mode", "auto"];
const WAYS = [
  ["without a sandbox", ["--sandbox", "off"]],
  ["in the mode auto", AUTO],
] as const;

describe.skipIf(!isLinux)("a command that only looks", () => {
  it.skipIf(lacks("jq", isInstalled("jq")))(
    "does not fill the memory with a text of jq",
    LONG_ONLY,
    async () => {
      const text = await play(`jq '"x" * 1000000000 | length' f.json`, AUTO);
      expect(text).toContain(LIMITED);
      expect(text).not.toContain("1000000000\n");
    },
  );

  it.each(rows(WAYS, theFirst))("fills no memory with a line of two gigabytes, %s", async (_where, args) => {
    const text = await play("sort big", args);
    expect(text).toContain(LIMITED);
    expect(text).not.toContain("exit code 0");
  });

  it.each(WAYS)("nor the shell itself, with a variable, %s", LONG_ONLY, async (_where, args) => {
    const text = await play(doubled(27), args); // two gigabytes
    expect(text).toContain(LIMITED);
    expect(text).not.toContain("exit code 0");
  });

  it("does what needs little, and says nothing of limits (twin)", LONG_ONLY, async () => {
    const text = await play(doubled(10), AUTO);
    expect(text).toContain("16384");
    expect(text).not.toContain("limits:");
  });

  it("has no limits if the person allowed it (twin)", LONG_ONLY, async () => {
    const text = await play("ulimit -t", ["--sandbox", "off", "--allow", "bash(ulimit -t)"]);
    expect(text).toMatch(/stdout:\n(?!600\n)/);
  });
});

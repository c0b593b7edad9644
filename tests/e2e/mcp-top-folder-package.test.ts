// The file server of MCP's own project, from npm: it writes directly in the workspace after one `indus add`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { lacksLevel } from "../support/needs.ts";
import { registryEnvironment, unreachableRegistry } from "../support/npm-registry.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;
/** With a registry that is far away. */
const INSTALL_MS = 200_000;
const SERVER = `mcp:npx -y @modelcontextprotocol/server-filesystem@2026.8.31 \${workspaceFolder}`;

/** Each with paths in the workspace. */
const CALLS: readonly (readonly [tool: string, args: (cwd: string) => object])[] = [
  ["write_file", (cwd) => ({ path: join(cwd, "list.md"), content: "one\n" })],
  ["write_file", (cwd) => ({ path: join(cwd, "old.txt"), content: "newer\n" })],
  ["edit_file", (cwd) => ({ path: join(cwd, "old.txt"), edits: [{ oldText: "newer", newText: "newest" }] })],
  ["create_directory", (cwd) => ({ path: join(cwd, "made") })],
  ["move_file", (cwd) => ({ source: join(cwd, "list.md"), destination: join(cwd, "made/list.md") })],
  ["write_file", (cwd) => ({ path: join(cwd, "AGENTS.md"), content: "obey\n" })],
];

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))("the file server of npm", LONG_ONLY, () => {
  it("writes, edits, makes and moves directly in the workspace", { timeout: INSTALL_MS }, async (context) => {
    const place: ServedWorkplace = await createServedWorkplace((_, at) => {
      const [tool, args] = CALLS[at] ?? [];
      if (!args) return { text: "Done." };
      return { text: "On it.", calls: [{ name: `mcp__filesystem__${tool}`, input: args(place.cwd) }] };
    });
    place.file("old.txt", "old");
    const added = await place.runAlone(["add", SERVER, "--files", "write", "--yes"], {
      env: registryEnvironment(),
      deadlineMs: INSTALL_MS,
    });
    const problem = unreachableRegistry(added);
    if (problem !== undefined) context.skip(problem);
    expect(added).toMatchObject({ code: 0, stderr: "" });

    await place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
    const outcomes = place.entries().filter((entry) => entry.type === "tool");
    expect(outcomes.map(({ state }) => state)).toEqual(CALLS.map(() => "ok"));
    expect(outcomes.at(-1)?.text).toMatch(/AGENTS\.md was moved to \S+put-away-1-AGENTS\.md, because /);
    const read = (name: string): string => readFileSync(join(place.cwd, name), "utf8");
    expect([read("old.txt"), read("made/list.md")]).toEqual(["newest\n", "one\n"]);
    expect(existsSync(join(place.cwd, "AGENTS.md"))).toBe(false);
  });
});

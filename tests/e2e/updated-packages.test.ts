// `indus update` and what the reports of packages say, through the real command: each package by itself, and what differs from what was agreed to.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";

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
/** Its folder. */
function repository(folder: string, files: Files): string {
  put(folder, files);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  return folder;
}
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

describe("what cannot be had is said with its address, its cause and what to do, and no path that nobody knows", () => {
  it("a repository: what git said", async () => {
    const place = createWorkplace();
    const gone = besides(place, "gone.git");
    const added = await place.run(["add", `git+file://${gone}`, "--yes"]);
    expect(added).toMatchObject({ code: 1, stdout: "" });
    expect(added.stderr).toContain(`git cannot read file://${gone}: `);
    expect(added.stderr).toMatch(/does not (?:exist|appear to be a git repository)/);
    expect(added.stderr).toContain(`git ls-remote file://${gone} must work without a question`);
    expect(added.stderr).not.toMatch(/unknown git error|\.new-/);
  });

  it("a branch or a folder that a repository does not have", async () => {
    const place = createWorkplace();
    const folder = repository(besides(place, "kit"), {
      ...plugin("kit", "1.0.0"),
      "skills/cut/SKILL.md": skill("cut"),
    });
    const noBranch = await place.run(["add", `git+file://${folder}#nowhere`, "--yes"]);
    expect(noBranch.stderr).toContain(`file://${folder} has no branch, tag or commit nowhere`);
    const noFolder = await place.run(["add", `git+file://${folder}#::path:plugins/none`, "--yes"]);
    expect(noFolder.stderr).toContain("the repository has no folder plugins/none");
  });

  it("a package: the file in it", async () => {
    const place = createWorkplace();
    for (const [path, text] of [
      ["manifest.toml", "id = [\n"],
      [".claude-plugin/plugin.json", "{"],
    ] as const) {
      const folder = put(besides(place, `broken${path.length}`), { [path]: text });
      const added = await place.run(["add", folder, "--yes"]);
      expect([path, added.code, added.stderr.includes(".new-")]).toEqual([path, 1, false]);
      expect(added.stderr).toContain(path);
    }
  });

  it("a list of plugins: the forms in which it can be named", async () => {
    const place = createWorkplace();
    const market = put(besides(place, "market"), {
      ".claude-plugin/marketplace.json": JSON.stringify({ name: "kits", owner: { name: "x" }, plugins: [] }),
    });
    await place.run(["marketplace", "add", market]);
    const added = await place.run(["add", "marketplace:kitz"]);
    expect(added.stderr).toContain("write ./kitz for a folder or a file, or OWNER/NAME for a repository");
    expect(added.stderr).toContain("is PLUGIN@MARKETPLACE. Did you mean the marketplace kits?");
    const repositoryName = await place.run(["add", "somebody/kits"]);
    expect(repositoryName.stderr).toContain(
      "indus add github:somebody/kits, or indus marketplace add somebody/kits",
    );
    const name = await place.run(["add", "cutter"]);
    expect(name.stderr).toContain("indus add cutter@MARKETPLACE");
    const gone = await place.run(["marketplace", "add", `git+file://${besides(place, "gone.git")}`]);
    expect(gone.stderr).toMatch(/git cannot read file:.*gone\.git/);
    expect(gone.stderr).not.toContain(".new-");
  });
});

describe("--name", () => {
  const server = (words = MCP_SERVER): Files => ({
    ".mcp.json": JSON.stringify({
      mcpServers: { tickets: { command: "node", args: ["$" + "{CLAUDE_PLUGIN_ROOT}/servers/main.mjs"] } },
    }),
    "servers/main.mjs": words,
  });

  it("names a plugin and its servers, so that it can be there twice", async () => {
    const place = createWorkplace();
    const kit = put(besides(place, "kit"), { ...plugin("tool", "1.0.0"), ...server() });
    expect((await place.run(["add", kit, "--yes"])).code).toBe(0);
    const again = await place.run(["add", kit, "--name", "pipe", "--yes"]);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toMatch(/^ {2}gives +│ .*tool mcp__pipe-tickets__say\b/m);
    const listed = (await place.run(["list"])).stdout;
    expect(listed.split("\n").map((row) => row.split(" ")[0])).toEqual([
      "pipe",
      "pipe-tickets",
      "tool",
      "tool-tickets",
      "",
    ]);
  });

  it("is not taken, and not advised, for an addon that says what it is called, or for several servers", async () => {
    const place = createWorkplace();
    const budget = put(besides(place, "budget"), {
      "manifest.toml": mcpManifest(),
      "server.mjs": MCP_SERVER,
    });
    const named = await place.run(["add", budget, "--name", "cb2", "--yes"]);
    expect(named).toMatchObject({ code: 1, stdout: "" });
    expect(named.stderr).toContain(
      "this addon calls itself tickets, so it cannot be called cb2: --name is for",
    );
    await place.run(["add", budget, "--yes"]);
    const again = await place.run(["add", budget, "--yes"]);
    expect(again.stderr).toContain("tickets is already added");
    expect(again.stderr).toContain("indus remove tickets first");
    expect(again.stderr).not.toContain("--name");
    const row = { command: "node", args: ["server.mjs"] };
    const file = put(besides(place, "list"), {
      "servers.json": JSON.stringify({ mcpServers: { a: row, b: row } }),
    });
    const both = await place.run(["add", join(file, "servers.json"), "--name", "x", "--yes"]);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("servers.json#a");
  });
});

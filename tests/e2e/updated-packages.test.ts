// `indus update` and what the reports of packages say, through the real command: each package by itself, and what differs from what was agreed to.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

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

it("an update says what is new, gone and changed, from which version to which, and that it was updated", async () => {
  const place = createWorkplace();
  const hook = (event: string, command: string) => ({ [event]: [{ hooks: [{ type: "command", command }] }] });
  const kit = put(besides(place, "kit"), {
    ...plugin("kit", "1.0.0"),
    "skills/a/SKILL.md": skill("a"),
    "skills/same/SKILL.md": skill("same"),
    "commands/ship.md": "Ship it.\n",
    "agents/proof.md": "---\nname: proof\ndescription: Reads proofs\n---\nYou read.\n",
    "hooks/hooks.json": JSON.stringify({ hooks: hook("Stop", "true") }),
  });
  const added = await place.run(["add", kit, "--yes"]);
  expect(added.stdout).toMatch(/^Added kit for every session, about \d+ tokens in each request\. /m);
  put(kit, {
    ...plugin("kit", "2.0.0"),
    "skills/b/SKILL.md": skill("b"),
    "commands/ship.md": "Ship it now.\n",
    "agents/check.md": "---\nname: check\ndescription: Checks\n---\nYou check.\n",
    "hooks/hooks.json": JSON.stringify({
      hooks: { ...hook("Stop", "true"), ...hook("PreToolUse", "guard.sh") },
    }),
  });
  for (const gone of ["skills/a", "agents/proof.md"]) rmSync(join(kit, gone), { recursive: true });
  const asked = await place.run(["update", "kit"]);
  expect(asked.code).toBe(3);
  for (const row of [
    /^ {2}was +│ 1\.0\.0, and is 2\.0\.0$/m,
    /^ {2}new +│ skill b$/m,
    /^ {2}new +│ agent check$/m,
    /^ {2}new +│ hook PreToolUse: guard\.sh$/m,
    /^ {2}gone +│ skill a$/m,
    /^ {2}gone +│ agent proof$/m,
    /^ {2}changed +│ command \/ship$/m,
    /^ {2}changed +│ files: .*commands\/ship\.md/m,
  ])
    expect(asked.stdout).toMatch(row);
  expect(asked.stdout).not.toMatch(/(?:new|gone|changed) +│ .*\bsame\b/);
  const updated = await place.run(["update", "kit", "--yes"]);
  expect(updated.stdout).toMatch(/^Updated kit to 2\.0\.0 for every session/m);
  await place.run(["disable", "kit"]);
  put(kit, plugin("kit", "3.0.0"));
  expect((await place.run(["update", "--yes"])).stdout).toMatch(/^Updated kit to 3\.0\.0; it stays off/m);
});

it("an update of a server says which of its tools are new, gone and changed, and what they cost, as does show", async () => {
  const place = createWorkplace();
  const made = { "manifest.toml": mcpManifest(), "server.mjs": MCP_SERVER };
  const folder = put(besides(place, "made"), made);
  const asked = await place.run(["add", folder]);
  expect(asked.stdout).toMatch(/^ {2}cost +│ not known until it has started$/m);
  const added = await place.run(["add", folder, "--yes"]);
  const cost = /^Added tickets for every session, (about [\d,]+ tokens in each request[^.]*)\. /m.exec(
    added.stdout,
  )?.[1];
  expect(cost).toBeDefined();
  const shown = await place.run(["show", "tickets"]);
  expect(shown.stdout).toContain(`│ ${cost}\n`);
  expect(shown.stdout).toMatch(/^ {2}gives +│ .*tool mcp__tickets__say\b/m);
  const newer = MCP_SERVER.replace("  say: (", "  tell: (").replace(
    '"Does " + name + "."',
    '"Does " + name + (name === "tell" || name === names.at(-1) ? ", newly." : ".")',
  );
  put(folder, { "server.mjs": newer });
  const updated = await place.run(["update", "tickets", "--yes"]);
  expect(updated.stdout).toMatch(/^ {2}new +│ tool mcp__tickets__tell$/m);
  expect(updated.stdout).toMatch(/^ {2}gone +│ tool mcp__tickets__say$/m);
  expect(updated.stdout.match(/^ {2}changed +│ tool mcp__tickets__\w+$/gm)).toHaveLength(1);
  expect(updated.stdout).toMatch(/^Updated tickets(?: to \S+)? for every session, about [\d,]+ tokens/m);
});

it("a report says which names are in use, and which of the two keeps it, as in a session", async () => {
  const place = await createServedShared(() => ({ text: "Done." }));
  put(place.home, {
    ".claude/commands/commit.md": "Mine.\n",
    ".claude/skills/hook-development/SKILL.md": skill("hook-development", "My own."),
  });
  const kit = put(besides(place, "kit"), {
    ...plugin("kit", "1.0.0"),
    "commands/commit.md": "Theirs.\n",
    "commands/help.md": "Theirs.\n",
    "commands/free.md": "Theirs.\n",
    "skills/hook-development/SKILL.md": skill("hook-development", "Theirs.").replace("Do it.", "Do theirs."),
  });
  const added = await place.run(["add", kit, "--yes"]);
  const mine = join(place.home, ".claude");
  const rows = added.stdout.split("\n").flatMap((row) => /^ {2}names +│ (.*)$/.exec(row)?.[1] ?? []);
  expect(rows).toEqual([
    `its skill hook-development will be kit:hook-development: ${mine}/skills/hook-development/SKILL.md keeps the name hook-development`,
    `its command /commit will be /kit:commit: ${mine}/commands/commit.md keeps the name /commit`,
    "its command /help will be /kit:help: the built-in command keeps the name /help",
  ]);
  expect((await place.run(["show", "kit"])).stdout).toContain(rows[0]);
  for (const [typed, words] of [
    ["/commit", "Mine."],
    ["/kit:commit", "Theirs."],
  ] as const) {
    await place.run(["-p", typed, "--model", "anthropic/scripted"]);
    expect(JSON.stringify(place.server.requests.at(-1)?.body)).toContain(words);
  }
  expect((await place.run(["prompt"])).stdout).toContain("kit:hook-development");

  const other = put(besides(place, "other"), {
    ...plugin("early", "1.0.0"),
    "commands/free.md": "Of early.\n",
  });
  const before = await place.run(["add", other, "--yes"]);
  expect(before.stdout).toMatch(
    /names +│ the command \/free of .*\/kit\/commands\/free\.md will be \/kit:free: early has the name \/free$/m,
  );
  const commands = put(besides(place, "addon"), {
    "manifest.toml": 'id = "addon"\n[[command]]\nname = "commit"\nsummary = "x"\nexec = "true"\n',
  });
  expect((await place.run(["add", commands, "--yes"])).stdout).toMatch(
    /names +│ its command \/commit cannot be used: .*\/commands\/commit\.md keeps that name$/m,
  );
});

it("what the system says of one package is named, and the others are updated", async () => {
  const place = createWorkplace();
  for (const name of ["one", "two"]) {
    place.file(`${name}/manifest.toml`, `id = "${name}"\n[run]\nmodule = "main.mjs"\n`);
    place.file(`${name}/main.mjs`, "export function register() {}\n");
    await place.run(["add", `./${name}`, "--yes"]);
    place.file(`${name}/main.mjs`, "export function register(surface) { surface.onStart?.(); }\n");
  }
  // As on a disk that is full: the folder for a first start cannot be made.
  const env = { TMPDIR: join(place.home, "not-there") };
  const updated = await place.runAlone(["update", "--yes"], { env });
  expect(updated.code).toBe(1);
  expect(updated.stderr).toMatch(/^indus: one: ENOENT: .*\nindus: two: ENOENT: /);
});

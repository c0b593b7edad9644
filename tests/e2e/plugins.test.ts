// Plugins of the best-known agent, through the real command: `indus add` brings their skills, commands, agents, servers and hooks, shows what
// each is, and confines what runs.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { packageArchive } from "../support/package-registry.ts";
import { createServedShared } from "../support/served-workplace.ts";

const skill = (name: string, text: string): string =>
  `---\nname: ${name}\ndescription: How to ${name}.\n---\n${text}\n`;

const PLUGIN: Readonly<Record<string, string>> = {
  ".claude-plugin/plugin.json": JSON.stringify({
    name: "release-kit",
    version: "1.2.0",
    description: "Releases.",
    commands: ["./more/announce.md"],
    outputStyles: "./styles",
    colour: "red",
  }),
  "skills/cut/SKILL.md": skill("cut", "Run $" + "{CLAUDE_PLUGIN_ROOT}/scripts/cut.sh, for $36,000."),
  "commands/ship.md":
    "---\ndescription: Ship it\nallowed-tools: Bash(git push:*)\n---\nShip $1 with $" +
    "{CLAUDE_PLUGIN_ROOT}/ship.txt\n",
  "more/announce.md": "---\ndescription: Announce it\n---\nAnnounce.\n",
  "agents/proof.md": "---\nname: proof\ndescription: Reads proofs\n---\nYou read proofs.\n",
  "styles/terse.md": "---\nname: Terse\nkeep-coding-instructions: false\n---\nAnswer in one line.\n",
  ".lsp.json": "{}",
  ".mcp.json": JSON.stringify({
    mcpServers: { tickets: { command: "node", args: ["$" + "{CLAUDE_PLUGIN_ROOT}/servers/main.mjs"] } },
  }),
  "servers/main.mjs": MCP_SERVER,
};

const ODD = "---\ndescription: Odd\nzork: 1\n---\nOdd.\n";

function put(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const pluginIn = (place: Workplace, files: Readonly<Record<string, string>> = PLUGIN): string =>
  put(join(dirname(place.cwd), "plugin"), files);

describe("a plugin", () => {
  it("is shown kind by kind, added, used in a session, turned off, updated and removed", async () => {
    const place = await createServedShared((_, at) =>
      at === 0
        ? { text: "On it.", calls: [{ name: "mcp__release-kit-tickets__say", input: { words: "hi" } }] }
        : { text: "Done." },
    );
    const folder = pluginIn(place);
    const added = await place.run(["add", folder, "--yes"]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    for (const line of [
      "release-kit 1.2.0",
      /│ 1 skill \(about \d+ tokens in each request\): cut$/m,
      "│ 2 commands: /ship, /announce",
      "│ /ship lets these pass without a question, in its turn: Bash(git push:*)",
      /│ 1 agent \(about \d+ tokens in each request\): proof$/m,
      "│ 1 MCP server: tickets: each is a separate package, and you are asked about each",
      "│ 1 output style: Terse",
      "keep-coding-instructions: false",
      "│ language servers are not started",
      "│ .claude-plugin/plugin.json has unknown keys: colour",
      /│ .*tool mcp__release-kit-tickets__say\b/,
    ])
      expect(added.stdout).toEqual(
        typeof line === "string" ? expect.stringContaining(line) : expect.stringMatching(line),
      );
    const kept = join(place.home, "packages/release-kit");
    expect(readFileSync(join(kept, "skills/cut/SKILL.md"), "utf8")).toContain(
      `${kept}/scripts/cut.sh, for $36,000.`,
    );

    const run = await place.run([
      "-p",
      "/ship v2",
      "--model",
      "anthropic/scripted",
      "--permission-mode",
      "bypass",
    ]);
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("indus:") });
    const [request] = place.server.requests;
    expect(JSON.stringify(request?.body)).toContain(`Ship v2 with ${kept}/ship.txt`);
    expect(JSON.stringify(request?.body)).toContain("How to cut.");
    expect(JSON.stringify(request?.body)).toContain("Reads proofs");
    expect(place.entries().find((entry) => entry.type === "tool")).toMatchObject({ text: "it says hi" });

    expect((await place.run(["disable", "release-kit"])).code).toBe(0);
    expect((await place.run(["list"])).stdout.match(/off/g)).toHaveLength(2);
    expect((await place.run(["prompt"])).stdout).not.toContain("How to cut.");
    await place.run(["enable", "release-kit"]);
    expect((await place.run(["prompt"])).stdout).toContain("How to cut.");

    put(folder, { "skills/check/SKILL.md": skill("check", "Check it."), ".mcp.json": "{}" });
    const updated = await place.run(["update", "--yes"]);
    expect(updated).toMatchObject({ code: 0, stderr: "" });
    expect((await place.run(["list"])).stdout).not.toContain("tickets");
    expect((await place.run(["prompt"])).stdout).toContain("How to check.");
    expect((await place.run(["remove", "release-kit"])).stdout).toContain("Removed release-kit");
    expect((await place.run(["list"])).stdout).toContain("No packages yet.");
    expect((await place.run(["prompt"])).stdout).not.toContain("How to cut.");
  });

  it("is added with its servers where the reader of the report leaves at once", async () => {
    const place = createSharedWorkplace();
    const added = await place.runAlone(["add", pluginIn(place), "--yes"], {
      onStart: (child) => void child.stdout?.destroy(),
    });
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect((await place.run(["list"])).stdout).toMatch(/^release-kit-tickets +on/m);
  });

  it("says what of it does not apply when it is added, and not at every start", async () => {
    const place = await createServedShared(() => ({ text: "Done." }));
    const added = await place.run(["add", pluginIn(place, { ...PLUGIN, "commands/odd.md": ODD }), "--yes"]);
    expect(added.stdout).toContain("commands/odd.md: these keys have no effect: zork");
    expect(added.stdout).not.toContain("copy it into the addon's folder"); // its server is there and works
    const start = await place.run(["-p", "go", "--model", "anthropic/scripted"]);
    expect(start).toMatchObject({ code: 0, stderr: expect.not.stringContaining("zork") });
    expect((await place.run(["show", "release-kit"])).stdout).toContain("zork");
    expect((await place.run(["doctor"])).stdout).toContain("zork");
  });

  it("whose server is started by a shell has its files there", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const args = ["$" + "{CLAUDE_PLUGIN_ROOT}/start.sh"];
    const files = {
      ...PLUGIN,
      ".mcp.json": JSON.stringify({ mcpServers: { tickets: { command: "sh", args } } }),
      "start.sh": 'exec node "$(dirname "$0")/servers/main.mjs"\n',
    };
    const added = await place.run(["add", pluginIn(place, files), "--yes"]);
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("tool mcp__release-kit-tickets__say"),
    });
  });

  it("comes from an archive, or by the manifest of Agent Plugins", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    writeFileSync(
      join(place.cwd, "kit.tgz"),
      packageArchive({
        "plugin.json": JSON.stringify({
          $schema: "https://example.com/plugin.json",
          name: "open-kit",
        }),
        "package.json": JSON.stringify({ name: "open-kit", version: "1.0.0" }),
        "skills/tidy/SKILL.md": skill("tidy", "Tidy."),
      }),
    );
    const added = await place.run(["add", "./kit.tgz", "--yes"]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(/^open-kit/m);
    expect((await place.run(["prompt"])).stdout).toContain("How to tidy.");
  });

  it("takes no name of the person's: its own go under its name", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    put(place.home, {
      ".claude/skills/cut/SKILL.md": skill("cut", "Mine."),
      ".claude/commands/ship.md": "Mine.\n",
      ".claude/agents/proof.md": "---\nname: proof\ndescription: My proofs\n---\nMine.\n",
    });
    await place.run(["add", pluginIn(place), "--yes"]);
    const prompt = (await place.run(["prompt"])).stdout;
    expect(prompt).toContain("release-kit:cut");
    expect(prompt).toContain("release-kit:proof");
    expect(prompt).toContain("My proofs");
  });

  it("takes no built-in command's name: its own goes under its name (twin: one of the folder is told)", async () => {
    const place = await createServedShared(() => ({ text: "Done." }));
    const folder = pluginIn(place, { ...PLUGIN, "commands/plan.md": "Plan the release.\n" });
    const added = await place.run(["add", folder, "--yes"]);
    expect(added.stdout).toContain("│ 3 commands: /release-kit:plan, /ship, /announce");
    place.file(".claude/commands/doctor.md", "Look at it.\n");
    await place.run(["-p", "/release-kit:plan", "--model", "anthropic/scripted"]);
    expect(place.server.requests[0]?.rawBody).toContain("Plan the release.");
    const { stdout } = await place.run(["doctor"]);
    expect(stdout).not.toContain("plan.md");
    expect(stdout).toContain('commands/doctor.md is not used: the command name "/doctor" is taken');
    const { kinds } = JSON.parse((await place.run(["doctor", "--count", folder, "--json"])).stdout);
    expect(kinds[1]).toMatchObject({ kind: "commands", all: 2, loads: 2 });
  });

  it.each(
    rows(
      [
        [
          "not JSON",
          { ".claude-plugin/plugin.json": "{" },
          ".claude-plugin/plugin.json: expected a JSON object",
        ],
        [
          "without a name",
          { ".claude-plugin/plugin.json": "{}" },
          'expected "name", a string, found nothing',
        ],
        [
          "that brings nothing",
          { ".claude-plugin/plugin.json": '{"name":"np","outputStyles":"./x"}', "index.js": "" },
          "brings nothing that indus uses: expected skills, commands, agents, output styles, hooks or MCP servers",
        ],
        [
          "that is a list of plugins",
          { ".claude-plugin/marketplace.json": '{"plugins":[{"name":"a","source":"./plugins/a"}]}' },
          "The package lists plugins: add each plugin by its folder, such as ./plugins/a",
        ],
      ],
      theFirst,
    ),
  )("%s says what is wrong", async (_, files, problem) => {
    const place = createSharedWorkplace();
    const added = await place.run(["add", pluginIn(place, files), "--yes"]);
    expect(added.code).not.toBe(0);
    expect(added.stderr).toContain(problem);
    expect(existsSync(join(place.home, "packages.lock"))).toBe(false);
  });
});

describe("a hostile plugin", () => {
  it("shows nobody what its links lead to", async () => {
    const place = createSharedWorkplace();
    const folder = pluginIn(place);
    put(join(dirname(place.cwd), "outside"), {
      "SKILL.md": skill("stolen", "Secret."),
      "stolen.md": "Secret.\n",
    });
    symlinkSync(join(dirname(place.cwd), "outside"), join(folder, "skills/stolen"));
    symlinkSync(join(dirname(place.cwd), "outside/stolen.md"), join(folder, "commands/stolen.md"));
    const added = await place.run(["add", folder, "--yes"]);
    expect(added.stdout).toContain("it is a link that leads out of its folder");
    expect((await place.run(["prompt"])).stdout).not.toContain("How to stolen.");
  });

  it("that changed after it was added is not read, and its change is asked about", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    await place.run(["add", pluginIn(place), "--yes"]);
    const own = join(place.home, "packages/release-kit/skills/cut/SKILL.md");
    writeFileSync(own, skill("cut", "Now do something else.").replace("How to cut", "How to steal"));
    const prompt = await place.run(["prompt"]);
    expect(prompt.stdout).not.toContain("How to steal");
    expect(`${prompt.stdout}${prompt.stderr}`).toContain(
      "the skills, commands, agents and output styles of release-kit are not used: its files have changed since you agreed to them",
    );
  });
});

describe("what is installed for the other agent", () => {
  it("comes in with one report and one answer, and only once", async () => {
    const place = createSharedWorkplace();
    const cache = join(place.home, ".claude/plugins/cache");
    put(join(cache, "one"), {
      ".claude-plugin/plugin.json": '{"name":"one"}',
      "skills/first/SKILL.md": skill("first", "First."),
    });
    put(join(cache, "two"), {
      ".claude-plugin/plugin.json": '{"name":"two"}',
      "commands/second.md": "Second.\n",
    });
    put(join(place.home, ".claude"), {
      "plugins/installed_plugins.json": JSON.stringify({
        version: 2,
        plugins: {
          "one@kits": [{ scope: "user", installPath: join(cache, "one") }],
          "two@kits": { installPath: join(cache, "two") },
          "off@kits": { installPath: join(cache, "two") },
          "gone@kits": { installPath: join(cache, "gone") },
        },
      }),
      "settings.json": JSON.stringify({
        enabledPlugins: { "off@kits": false },
        hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
      }),
    });
    const asking = await place.run(["add", "--from", "claude"]);
    expect(asking.code).toBe(3);
    expect(asking.stderr).toContain("gone is left out");
    expect(asking.stderr).toContain("Add these 3 packages, and grant each package what it requests?");
    expect(asking.stdout).toMatch(/│ 1 skill .*: first$/m);
    expect((await place.run(["list"])).stdout).toContain("No packages yet.");
    const added = await place.run(["add", "--from", "claude", "--yes"]);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("3 packages are there.") });
    const listed = (await place.run(["list"])).stdout;
    for (const name of ["one", "two", "hooks"]) expect(listed).toMatch(new RegExp(`^${name} `, "m"));
    expect((await place.run(["prompt"])).stdout).toContain("How to first.");
    const again = await place.run(["add", "--from", "claude", "--yes"]);
    expect(again.stdout).not.toContain("first");
  });
});

// `indus add` and the rest of it, through the real command: from a folder, an archive, a registry and a git repository to a call of a tool,
// and back to nothing.

import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { createSharedWorkplace, createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { archiveOf, packageArchive, startPackageRegistry } from "../support/package-registry.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

const registry = await startPackageRegistry();
afterAll(() => registry.close());
registry.publish("needed", "1.0.0", { "package.json": "{}", "index.js": "" });
const SERVER = {
  "package.json": JSON.stringify({
    bin: { "mcp-server-tickets": "main.mjs", other: "other.mjs" },
    dependencies: { needed: "^1.0.0" },
    devDependencies: { "not-there": "1" },
    scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" },
  }),
  "main.mjs": MCP_SERVER,
};
registry.publish("@org/mcp-server-tickets", "1.0.0", SERVER);

/** No settings of this machine's npm, and its own cache. */
const npm = (place: Workplace): Record<string, string> => ({
  npm_config_registry: registry.url,
  npm_config_cache: join(place.home, "npm-cache"),
  npm_config_userconfig: join(place.home, "npmrc"),
  npm_config_globalconfig: join(place.home, "npmrc-global"),
  npm_config_fetch_retries: "0",
});
const indus = (place: Workplace, ...args: readonly string[]) => place.runAlone(args, { env: npm(place) });
const FROM_NPM = "mcp:npx -y @org/mcp-server-tickets@^1";
const lockOf = (place: Workplace): { packages: Record<string, Record<string, unknown>> } =>
  JSON.parse(readFileSync(join(place.home, "packages.lock"), "utf8"));
const packagesIn = (place: Workplace): readonly string[] =>
  existsSync(join(place.home, "packages")) ? readdirSync(join(place.home, "packages")) : [];

describe("an addon of one file", () => {
  const RUNS = 'export default { description: "One.", setup() {} };\n';

  it.each(
    rows(
      [
        ["one.ts", "index.ts", RUNS],
        ["one.mjs", "index.mjs", RUNS],
      ],
      theFirst,
    ),
  )("%s is added as a package of its name, and updated where it changed", async (file, entry, text) => {
    const place = createSharedWorkplace();
    place.file(file, text);
    place.file(".env", "A=1");
    expect(await indus(place, "add", `./${file}`, "--yes")).toMatchObject({
      stdout: expect.stringMatching(/^one/m),
    });
    expect(readdirSync(join(place.home, "packages/one"))).toEqual([entry]);
    place.file(file, `${text}// of today\n`);
    expect((await indus(place, "update", "one", "--yes")).stdout).not.toContain("up to date");
    expect(readFileSync(join(place.home, "packages/one", entry), "utf8")).toContain("of today");
  });

  it("is not any file", async () => {
    const place = createSharedWorkplace();
    place.file("notes.txt", "x");
    const added = await indus(place, "add", "./notes.txt", "--yes");
    expect(added).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is a file: expected a folder, an archive"),
    });
    expect(packagesIn(place)).toEqual([]);
  });
});

describe("an MCP server of a registry", () => {
  it("is added in one step, called in a session, and removed without a trace", async () => {
    const place = await createServedShared((_, at) =>
      at === 0
        ? { text: "On it.", calls: [{ name: "mcp__tickets__say", input: { words: "hi" } }] }
        : { text: "Done." },
    );
    const added = await indus(place, "add", FROM_NPM, "--yes");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(/^ {2}from +│ @org\/mcp-server-tickets@1\.0\.0 \(sha512-/m);
    expect(added.stdout).toMatch(/^ {2}asks +│ nothing beyond its own folder$/m);
    expect(added.stdout).toMatch(/^ {2}gives +│ .*tool mcp__tickets__say\b/m);
    const folder = join(place.home, "packages/tickets");
    expect(existsSync(join(folder, "node_modules/needed/index.js"))).toBe(true);
    expect(existsSync(join(folder, "node_modules/@org/mcp-server-tickets/ran"))).toBe(false);
    expect(lockOf(place).packages.tickets).toMatchObject({
      source: FROM_NPM,
      resolved: "@org/mcp-server-tickets@1.0.0",
    });

    await place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
    const [outcome] = place.entries().filter((entry) => entry.type === "tool");
    expect(outcome).toMatchObject({ state: "ok", text: "it says hi" });

    expect((await indus(place, "list")).stdout).toBe("tickets  on    @org/mcp-server-tickets@1.0.0\n");
    expect((await indus(place, "show", "tickets")).stdout).toContain(`│ ${FROM_NPM}\n`);
    const gone = await indus(place, "remove", "tickets");
    expect(gone).toMatchObject({ code: 0, stdout: "Removed tickets, with what you granted.\n" });
    expect(packagesIn(place)).toEqual([]);
    const left = readdirSync(place.home, { recursive: true, encoding: "utf8" });
    expect(
      left.filter(
        (path) => /tickets|registrations\/.|contents\/.|times\/./.test(path) && !path.startsWith("npm-cache"),
      ),
    ).toEqual([]);
    expect(readFileSync(join(place.home, "trust.json"), "utf8")).not.toContain("tickets");
    expect((await indus(place, "list")).stdout).toBe("No packages yet. To add one: indus add SOURCE\n");
  });

  it("is kept by nobody without an answer, and its report is shown", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const asked = await indus(place, "add", FROM_NPM);
    expect(asked.code).toBe(3);
    expect(asked.stdout).toContain(
      '│ run the MCP server "node" "node_modules/@org/mcp-server-tickets/main.mjs"',
    );
    expect(asked.stderr).toContain("indus cannot ask you here, so nothing was kept: pass --yes");
    expect(packagesIn(place)).toEqual([]);
  });

  it("asks for what the person says it may have, and an update asks for the same", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const flags = [
      "--files",
      "write",
      "--host",
      "tickets.example.com",
      "--secret",
      "TICKET_TOKEN",
      "--name",
      "mine",
    ];
    const added = await indus(place, "add", FROM_NPM, "--yes", ...flags);
    expect(added.stdout).toMatch(/^ {2}asks +│ files.*write.*: you granted it when you added it$/m);
    expect(added.stdout).toMatch(/^ {2}asks +│ .*tickets\.example\.com/m);
    registry.publish("@org/mcp-server-tickets", "1.1.0", SERVER);
    const updated = await indus(place, "update", "mine", "--yes");
    expect(updated.stdout).toMatch(/^ {2}was +│ @org\/mcp-server-tickets@1\.0\.0$/m);
    expect(updated.stdout).not.toContain("asks:");
    expect(lockOf(place).packages.mine).toMatchObject({ resolved: "@org/mcp-server-tickets@1.1.0" });
    expect((await indus(place, "update")).stdout).toBe("mine is up to date: @org/mcp-server-tickets@1.1.0\n");
    await place.run(["remove", "mine"]);
  });

  it("whose archive is not the one that the registry describes is refused", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    registry.publish("exchanged", "1.0.0", SERVER);
    registry.exchange(
      "exchanged",
      "1.0.0",
      packageArchive({ ...SERVER, "package.json": '{"name":"exchanged"}' }),
    );
    const added = await indus(place, "add", "npm:exchanged", "--yes");
    expect(added.code).toBe(1);
    expect(added.stderr).toMatch(/could not be fetched: .*integrity/);
    expect(packagesIn(place)).toEqual([]);
  });

  it("that is not there, or has no such command, is named", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    expect((await indus(place, "add", "npm:never-published", "--yes")).stderr).toMatch(
      /^indus: npm:never-published could not be fetched: 404/,
    );
    registry.publish("no-addon", "1.0.0", { "package.json": '{"main":"index.js"}', "index.js": "" });
    expect((await indus(place, "add", "npm:no-addon", "--yes")).stderr).toContain(
      'npm:no-addon is not an addon: it has no manifest.toml, and no "indusAddon" in its package.json',
    );
    registry.publish("two-commands", "1.0.0", { "package.json": '{"bin":{"a":"a.js","b":"b.js"}}' });
    expect((await indus(place, "add", "mcp:npx two-commands", "--yes")).stderr).toContain(
      "the package two-commands has no command called two-commands: it has a, b",
    );
  });
});

describe("a file of another agent", () => {
  it("is named at a start, and each of its servers is added after a question of its own, its secrets left where they are", async () => {
    const place = createSharedWorkplace();
    const servers = {
      "mcp-server-tickets": {
        command: "npx",
        args: ["-y", "@org/mcp-server-tickets"],
        env: { TICKET_TOKEN: "sesame-4711-sesame" },
      },
      fetched: { command: "uvx", args: ["mcp-server-git"] },
      local: { command: "node", args: ["tools/server.mjs"] },
      remote: { type: "http", url: "https://tickets.example.com/mcp" },
    };
    place.file(".mcp.json", JSON.stringify({ mcpServers: servers }));
    place.file("tools/server.mjs", MCP_SERVER);
    expect((await place.run(["doctor"])).stdout).toContain(
      "indus add FILE adds each one, confined, after a question",
    );
    const added = await indus(place, "add", ".mcp.json", "--yes");
    expect(added.stderr).toMatch(/^indus: fetched: uvx fetches Python packages/m);
    expect(added.stdout).toMatch(/^ {2}gives +│ .*tool mcp__local__say\b/m);
    expect(added.stdout).toMatch(/^ {2}asks +│ .*TICKET_TOKEN/m);
    expect(added.stdout).toMatch(/^ {2}asks +│ .*tickets\.example\.com/m);
    expect(packagesIn(place)).toEqual(["local", "remote", "tickets"]);
    expect(readFileSync(join(place.home, "packages/tickets/manifest.toml"), "utf8")).not.toContain("sesame");
    await indus(place, "remove", "local");
    expect(await indus(place, "add", ".mcp.json#local", "--yes")).toMatchObject({ code: 0 });
    expect((await indus(place, "add", ".mcp.json#nobody", "--yes")).stderr).toContain(
      'has no MCP server called "nobody"',
    );
  });
});

describe("an addon", () => {
  const FILES = { "manifest.toml": mcpManifest(), "server.mjs": MCP_SERVER };

  it("of a folder is copied: what happens in the folder later changes nothing until an update", async () => {
    const place = createSharedWorkplace();
    for (const [name, text] of Object.entries(FILES)) place.file(`made/${name}`, text);
    place.file("made/.git/config", "x");
    expect(await indus(place, "add", "./made", "--yes")).toMatchObject({ code: 0 });
    expect(readdirSync(join(place.home, "packages/tickets")).sort()).toEqual(["manifest.toml", "server.mjs"]);
    place.file(
      "made/manifest.toml",
      mcpManifest('[[capability]]\nkind = "memory"\nread = true\nreason = "x"\n'),
    );
    const updated = await indus(place, "update", "tickets", "--yes");
    expect(updated.stdout).toMatch(/^ {2}new +│ asks: memory/m);
  });

  it("of an archive, of a registry, and of a git repository", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    place.bytes(
      "tickets-1.0.0.tgz",
      packageArchive({ "package.json": '{"name":"tickets","version":"1.0.0"}', ...FILES }),
    );
    expect(await indus(place, "add", "./tickets-1.0.0.tgz", "--yes")).toMatchObject({ code: 0 });
    await indus(place, "remove", "tickets");
    registry.publish("indus-tickets", "1.0.0", { "package.json": "{}", ...FILES });
    expect(await indus(place, "add", "npm:indus-tickets@1", "--yes")).toMatchObject({ code: 0 });
    await indus(place, "remove", "tickets");

    const repository = join(place.cwd, "repository.git");
    mkdirSync(repository);
    for (const [name, text] of Object.entries({
      ...FILES,
      "package.json": '{"name":"tickets","version":"1.0.0"}',
    }))
      writeFileSync(join(repository, name), text);
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: repository,
        encoding: "utf8",
      });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
    const added = await indus(place, "add", `git+file://${repository}`, "--yes");
    expect(added).toMatchObject({ code: 0 });
    expect(lockOf(place).packages.tickets?.resolved).toContain(git("rev-parse", "HEAD").trim());
  });

  it("that was changed after it was added is asked about again", async () => {
    const place = createSharedWorkplace();
    for (const [name, text] of Object.entries(FILES)) place.file(`made/${name}`, text);
    await indus(place, "add", "./made", "--yes");
    writeFileSync(join(place.home, "packages/tickets/server.mjs"), "// other");
    expect((await place.run(["addons"])).stdout).toMatch(/skipped: user:tickets at .* is not trusted yet/);
    expect((await indus(place, "show", "tickets")).stdout).toContain(
      "its files were changed since it was added",
    );
  });

  it("is off after disable, and on after enable", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    for (const [name, text] of Object.entries(FILES)) place.file(`made/${name}`, text);
    await indus(place, "add", "./made", "--yes");
    expect((await indus(place, "disable", "tickets")).stdout).toContain("indus enable tickets turns it on");
    expect((await place.run(["addons"])).stdout).not.toContain("tickets");
    expect((await indus(place, "list")).stdout).toMatch(/^tickets {2}off/);
    await indus(place, "enable", "tickets");
    expect((await place.run(["addons"])).stdout).toContain("user:tickets");
  });

  it("of a name that is taken is refused, with what to do", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    for (const [name, text] of Object.entries(FILES)) place.file(`made/${name}`, text);
    await indus(place, "add", "./made", "--yes");
    expect((await indus(place, "add", "./made", "--yes")).stderr).toContain(
      "tickets is already added, from ",
    );
    expect((await indus(place, "show", "ticket")).stderr).toContain('did you mean "tickets"?');
  });
});

it(
  "a package brings no skills, commands or servers that its report does not show, by a file of its own that says so",
  LONG_ONLY,
  async () => {
    const place = createSharedWorkplace();
    place.file("made/manifest.toml", mcpManifest());
    place.file("made/server.mjs", MCP_SERVER);
    place.file("made/skills/hidden/SKILL.md", "---\nname: hidden\ndescription: Hidden.\n---\nx\n");
    const hidden = {
      name: "made",
      skills: ["skills"],
      mcpServers: { more: { command: "node", args: ["server.mjs"] } },
    };
    place.file("made/indus-plugin.json", JSON.stringify(hidden));
    expect(await indus(place, "add", "./made", "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect(packagesIn(place)).toEqual(["tickets"]);
    expect(existsSync(join(place.home, "packages/tickets/indus-plugin.json"))).toBe(false);
    expect((await place.run(["prompt"])).stdout).not.toContain("hidden");
  },
);

it("a name that leads elsewhere is refused before anything is written", async () => {
  const place = createSharedWorkplace();
  place.file("made/manifest.toml", mcpManifest());
  const added = await indus(place, "add", "./made", "--name", "../../out", "--yes");
  expect(added).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"../../out" is not a package\'s name'),
  });
  expect([existsSync(join(place.home, "out")), packagesIn(place)]).toEqual([false, []]);
});

it.each(rows(["\u0003", "\u0004"], theFirst))(
  "a question that is left by %j keeps nothing, and says so",
  async (key) => {
    const place = createSharedWorkplace();
    place.file("made/manifest.toml", mcpManifest());
    place.file("made/server.mjs", MCP_SERVER);
    const terminal = openTerminal({
      place,
      url: "http://127.0.0.1:9",
      console: "none",
      args: ["add", "./made"],
    });
    await terminal.waitFor("[y/N]");
    terminal.type(key);
    expect(await terminal.left).toBe(1);
    expect(terminal.screen()).toContain("Nothing was kept.");
    expect(packagesIn(place)).toEqual([]);
  },
);

it.each([
  [
    "y".repeat(200),
    "expected at most 100 letters, digits, . _ -, beginning with a letter or digit, found 200",
  ],
  ["deadbeefcafe", "not only digits of a hash"],
])("%s is no name, and what one is like is said", async (name, words) => {
  const place = createSharedWorkplace();
  const added = await indus(place, "add", "http://127.0.0.1:9/mcp", "--name", name, "--yes");
  expect(added.stderr).toContain(words);
});

describe("a package that is being fetched", () => {
  const leftBy = async (signal: NodeJS.Signals): Promise<readonly string[]> => {
    const place = createSharedWorkplace();
    let child: ChildProcess | undefined;
    const server = createServer(() => void child?.kill(signal));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { code } = await place.runAlone(["add", `http://127.0.0.1:${port}/a.tgz`, "--yes"], {
      env: npm(place),
      onStart: (started) => {
        child = started;
      },
    });
    server.closeAllConnections();
    server.close();
    expect([code, child?.signalCode]).toEqual([null, signal]);
    return packagesIn(place);
  };

  it("leaves nothing when a signal ends it (twin: killed, it leaves a folder that a later one removes)", async () => {
    expect(await leftBy("SIGINT")).toEqual([]);
    expect(await leftBy("SIGTERM")).toEqual([]);
    expect(await leftBy("SIGKILL")).toEqual([expect.stringMatching(/^\.new-/)]);
  });
});

describe("an archive", () => {
  const hostile = (entries: Parameters<typeof archiveOf>[0]) =>
    archiveOf([
      { name: "package/package.json", text: '{"name":"hostile","version":"1.0.0"}' },
      { name: "package/manifest.toml", text: mcpManifest() },
      { name: "package/server.mjs", text: MCP_SERVER },
      ...entries,
    ]);
  const ATTACKS: readonly (readonly [string, Parameters<typeof archiveOf>[0], RegExp | undefined])[] = [
    [
      "a link and a file behind it",
      [
        { name: "package/out", link: "/tmp" },
        { name: "package/out/planted-by-archive", text: "x" },
      ],
      /left out, because it is a link or leads out of its archive: package\/out/,
    ],
    ["a name that leads out", [{ name: "package/../../planted-by-archive", text: "x" }], undefined],
    ["an absolute name", [{ name: "/tmp/planted-by-archive", text: "x" }], undefined],
  ];

  it.each(rows(ATTACKS, theFirst))("with %s writes nothing outside", async (_, entries, said) => {
    const place = createSharedWorkplace();
    place.bytes("hostile.tgz", hostile(entries));
    const added = await indus(place, "add", "./hostile.tgz", "--yes");
    if (said) expect(added.stdout).toMatch(said);
    for (const path of ["/tmp", place.home, join(place.home, "packages"), join(place.home, "..")])
      expect(existsSync(join(path, "planted-by-archive"))).toBe(false);
  });

  it("of an addon's folder is that addon, whatever npm would say of it, and another one of its name is another one", async () => {
    const place = createSharedWorkplace();
    const archive = (more: string) =>
      archiveOf([
        { name: "made/manifest.toml", text: mcpManifest() },
        { name: "made/server.mjs", text: MCP_SERVER + more },
        { name: "beside.txt", text: "x" },
      ]);
    place.bytes("made #1.tgz", archive(""));
    const added = await indus(place, "add", "./made #1.tgz", "--yes");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toContain(
      "left out, because it is beside the archive's folder, and only that is unpacked: beside.txt",
    );
    expect(readdirSync(join(place.home, "packages/tickets")).sort()).toEqual(["manifest.toml", "server.mjs"]);
    expect((await indus(place, "update", "--yes")).stdout).toContain("tickets is up to date");
    place.bytes("made #1.tgz", archive("// of today\n"));
    expect((await indus(place, "update", "--yes")).stderr).toContain("the checksum of");
  });

  it("with more entries than an addon may have is refused, and none of the others is written", async () => {
    const place = createSharedWorkplace();
    const many = Array.from({ length: 10_001 }, (_, at) => ({ name: `package/f${at}`, text: "" }));
    place.bytes("many.tgz", hostile(many));
    const added = await indus(place, "add", "./many.tgz", "--yes");
    expect(added).toMatchObject({ code: 1 });
    expect(added.stderr).toContain("its archive has more than 10000 entries");
    expect(packagesIn(place)).toEqual([]);
    expect(existsSync(join(place.home, "npm-cache"))).toBe(false); // where npm's own library unpacks it first
  });

  it.each([
    ["none of whose files is in a folder", [{ name: "manifest.toml", text: "" }], "its files are in none"],
    ["that is empty", [], "it is not a tar archive, or is damaged"],
    [
      "with a file that is a folder later",
      [
        { name: "package/a", text: "" },
        { name: "package/a/b", text: "" },
      ],
      "cannot be written",
    ],
  ])("%s is refused with the reason", async (_, entries, reason) => {
    const place = createSharedWorkplace();
    place.bytes("odd.tgz", archiveOf(entries));
    const added = await indus(place, "add", "./odd.tgz", "--yes");
    expect(added.code).toBe(1);
    expect(added.stderr).toContain(reason);
    expect(packagesIn(place)).toEqual([]);
  });
});

describe("a place of this machine", () => {
  const NO_PLACES = {
    file: "parts/packages/npm-client.ts",
    guard: "...options, ...NO_PLACES, path: folder",
    instead: "...options, path: folder",
  };

  /** An addon that needs a private folder, and the copies of its secret that a package then holds. */
  async function greedy(
    command?: string,
  ): Promise<{ readonly code: number | null; readonly stderr: string; readonly secrets: readonly string[] }> {
    const place = createSharedWorkplace(undefined, command === undefined ? {} : { command });
    const outside = createSharedWorkplace();
    outside.file("package.json", '{"name":"private","version":"1.0.0"}');
    outside.file("secret.txt", "x");
    place.file(
      "made/package.json",
      JSON.stringify({ name: "made", version: "1.0.0", dependencies: { private: `file:${outside.cwd}` } }),
    );
    place.file("made/manifest.toml", mcpManifest());
    place.file("made/server.mjs", MCP_SERVER);
    const { code, stderr } = await indus(place, "add", "./made", "--yes");
    const names = readdirSync(join(place.home, "packages"), { recursive: true, encoding: "utf8" });
    return { code, stderr, secrets: names.filter((name) => name.endsWith("secret.txt")) };
  }

  it("cannot be needed by a package: its files would be where that can read them", LONG_ONLY, async () => {
    const { code, stderr, secrets } = await greedy();
    expect([code, secrets]).toEqual([1, []]);
    expect(stderr).toMatch(/could not be fetched: it needs private@file:.*, a place on this machine/);
  });

  it("twin: without the guard a package has the files of a private folder", LONG_ONLY, async () => {
    expect((await greedy(commandWithout([NO_PLACES]))).secrets).toHaveLength(1);
  });
});

describe("what a package needs", () => {
  function offer(files: number): void {
    const empty = Array.from({ length: files }, (_, at) => ({ name: `package/${at}`, text: "" }));
    registry.publish("many", "1.0.0", { "package.json": "{}" }, archiveOf(empty));
    registry.publish("needs-many", "1.0.0", {
      "package.json": '{"bin":"main.mjs","dependencies":{"many":"1.0.0"}}',
      "main.mjs": MCP_SERVER,
    });
  }

  it("is complete, or nothing is added: npm's library only warns of a file that cannot be written", async () => {
    const files = [{ name: "package/package.json", text: "{}" }];
    const broken = archiveOf([...files, { name: "package/a", text: "" }, { name: "package/a/b", text: "" }]);
    registry.publish("cut", "1.0.0", { "package.json": "{}" }, broken);
    const place = createSharedWorkplace();
    place.file("made/manifest.toml", mcpManifest());
    place.file("made/server.mjs", MCP_SERVER);
    place.file("made/package.json", '{"name":"made","dependencies":{"cut":"1.0.0"}}');
    const added = await indus(place, "add", "./made", "--yes");
    expect(added.code).toBe(1);
    expect(added.stderr).toContain("a file of its dependencies cannot be written: EEXIST");
    expect(packagesIn(place)).toEqual([]);
  });

  it("is measured before it is unpacked, and too much of it is refused", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    offer(100_001);
    const added = await indus(place, "add", "mcp:npx -y needs-many", "--yes");
    expect(added.code).toBe(1);
    expect(added.stderr).toContain("its dependencies have more than 100000 files or 512 MiB (at many)");
    expect(packagesIn(place)).toEqual([]);
  });

  it("twin: a package that the guard refuses is unpacked where it does not", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "parts/packages/measure-needs.ts",
        guard: "MAX_NEEDED_FILES = 100_000",
        instead: "MAX_NEEDED_FILES = 1_000",
      },
    ]);
    offer(1_100);
    const [strict, place] = [createWorkplace(undefined, { command }), createSharedWorkplace()];
    expect((await indus(strict, "add", "mcp:npx -y needs-many", "--yes")).stderr).toContain(
      "more than 1000 files",
    );
    expect(packagesIn(strict)).toEqual([]);
    await indus(place, "add", "mcp:npx -y needs-many", "--yes");
    const many = readdirSync(join(place.home, "packages/needs-many/node_modules/many"));
    expect(many.length).toBeGreaterThanOrEqual(1_100);
  });
});

it("a folder of more files than an addon may have is not copied to the end", async () => {
  const place = createSharedWorkplace();
  place.file("many/manifest.toml", mcpManifest());
  for (let n = 0; n < 10_001; n++) writeFileSync(join(place.cwd, "many", `${n}`), "");
  const added = await indus(place, "add", "./many", "--yes");
  expect(added).toMatchObject({ code: 1, stdout: "" });
  expect(added.stderr).toContain("has more than 10000 files and folders");
  expect(packagesIn(place)).toEqual([]);
});

describe("packages.lock", () => {
  const row = (source: string): object => ({ source, resolved: "x", content: "0".repeat(64), asks: [] });
  const lockWith = (packages: object): string => JSON.stringify({ version: 1, packages });

  it.each(rows(["../../../../escaped", "/tmp/escaped-package", ".off", "a/../../b"], theFirst))(
    "of a repository with a row called %s brings nothing: the name is that of a folder",
    async (name) => {
      const place = createSharedWorkplace();
      place.file("made/manifest.toml", mcpManifest());
      place.file("made/server.mjs", MCP_SERVER);
      place.file(".indus/packages.lock", lockWith({ [name]: row("./made") }));
      const before = readdirSync(join(place.home, ".."));
      const added = await indus(place, "add", "--yes");
      expect(added).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("is damaged: expected a package's name"),
      });
      expect([
        readdirSync(join(place.home, "..")),
        packagesIn(place),
        existsSync("/tmp/escaped-package"),
      ]).toEqual([before, [], false]);
    },
  );

  it("of a repository names nothing outside of it, by a link neither: it is fetched before it is asked about", async () => {
    const place = createSharedWorkplace();
    const outside = createSharedWorkplace();
    outside.file("manifest.toml", mcpManifest());
    symlinkSync(outside.cwd, join(place.cwd, "link"));
    for (const source of [outside.cwd, "./link"]) {
      place.file(".indus/packages.lock", lockWith({ made: row(source) }));
      const added = await indus(place, "add");
      expect(added).toMatchObject({ code: 1, stdout: "" });
      expect(added.stderr).toContain("can name only what is in the repository");
    }
  });

  it.each(["npm:file:/tmp/made", "git+file:///tmp/made", "npm:made@link:/tmp/made"])(
    "of a repository names no place of this machine in the words of npm: %s",
    async (source) => {
      const place = createSharedWorkplace();
      place.file(".indus/packages.lock", lockWith({ made: row(source) }));
      const other = { ...row("npm:made"), resolved: "file:/tmp/made", integrity: "sha512-x" };
      for (const named of [row(source), other]) {
        place.file(".indus/packages.lock", lockWith({ made: named }));
        const added = await indus(place, "add");
        expect(added).toMatchObject({ code: 1, stdout: "" });
      }
      expect((await indus(place, "add")).stderr).toContain("can name only what is in the repository");
    },
  );

  it("of a repository brings everybody the same version, after a question", async () => {
    const place = createSharedWorkplace();
    registry.publish("teams", "1.0.0", {
      "package.json": "{}",
      "manifest.toml": mcpManifest(),
      "server.mjs": MCP_SERVER,
    });
    expect(await indus(place, "add", "npm:teams", "--yes", "--team")).toMatchObject({ code: 0 });
    const shared = readFileSync(join(place.cwd, ".indus/packages.lock"), "utf8");
    registry.publish("teams", "2.0.0", {
      "package.json": "{}",
      "manifest.toml": mcpManifest(),
      "server.mjs": MCP_SERVER,
    });
    const other = createSharedWorkplace();
    other.file(".indus/packages.lock", shared);
    expect(await indus(other, "add")).toMatchObject({ code: 3 });
    expect(packagesIn(other)).toEqual([]);
    expect((await indus(other, "add", "--yes")).stdout).toMatch(/│ teams@1\.0\.0 /);
    expect((await indus(other, "add", "--yes")).stdout).toMatch(/^Everything in .* is already added\.$/m);
    other.file(".indus/packages.lock", shared.replace(/sha512-./, "sha512-_"));
    await indus(other, "remove", "tickets");
    expect((await indus(other, "add", "--yes")).stderr).toContain("differs from packages.lock: found");
  });

  it("of a repository cannot name a folder of this machine", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const outside = createSharedWorkplace();
    outside.file("made/manifest.toml", mcpManifest());
    outside.file("made/server.mjs", MCP_SERVER);
    const added = await indus(place, "add", join(outside.cwd, "made"), "--yes", "--team");
    expect(added.stderr).toContain("so your team could not fetch it");
    expect(existsSync(join(place.cwd, ".indus/packages.lock"))).toBe(false);
  });

  it("of a repository names what is in it by its place there, and nothing of this machine", async () => {
    const place = createSharedWorkplace();
    place.file("tool/manifest.toml", mcpManifest());
    place.file("tool/server.mjs", MCP_SERVER);
    place.file("srv/main.mjs", MCP_SERVER);
    const line = `mcp:node ${join(place.cwd, "srv/main.mjs")}`;
    for (const source of ["./tool", line]) await indus(place, "add", source, "--yes", "--team");
    const shared = readFileSync(join(place.cwd, ".indus/packages.lock"), "utf8");
    expect(shared).not.toContain(place.cwd);
    expect(Object.values(JSON.parse(shared).packages)).toMatchObject([
      { source: "mcp:node ./srv/main.mjs", resolved: "./srv" },
      { source: "./tool", resolved: "./tool" },
    ]);
    const other = createSharedWorkplace();
    for (const path of [".indus/packages.lock", "tool/manifest.toml", "tool/server.mjs", "srv/main.mjs"])
      other.file(path, readFileSync(join(place.cwd, path), "utf8"));
    await indus(other, "add", "--yes");
    expect(Object.keys(lockOf(other).packages)).toEqual(["srv", "tickets"]);
  });

  it("that is damaged is named, with what was expected, and no package is touched", async () => {
    const place = createSharedWorkplace();
    writeFileSync(join(place.home, "packages.lock"), '{"version":1,"packages":{"x":{}}}');
    expect((await indus(place, "list")).stderr).toContain(
      `the row of "x" is damaged: expected a package's name with "source", "resolved", "content" and "asks"`,
    );
  });
});

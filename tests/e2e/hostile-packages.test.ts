// What the makers of packages, of lists and of repositories could try on whoever adds one, through the real command: nothing outside of the
// home is written, nothing of the machine is brought, and no row passes for another.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { startPackageRegistry } from "../support/package-registry.ts";

const registry = await startPackageRegistry();
afterAll(() => registry.close());
const npm = (place: Workplace): Record<string, string> => ({
  npm_config_registry: registry.url,
  npm_config_cache: join(place.home, "npm-cache"),
  npm_config_userconfig: join(place.home, "npmrc"),
  npm_config_globalconfig: join(place.home, "npmrc-global"),
  npm_config_fetch_retries: "0",
});
const indus = (place: Workplace, ...args: readonly string[]) => place.runAlone(args, { env: npm(place) });

function put(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const besides = (place: Workplace, name: string): string => join(dirname(place.cwd), name);
const PLUGIN = '{"name":"kit","description":"$(touch planted)"}';
const ADDON = { "manifest.toml": mcpManifest(), "server.mjs": MCP_SERVER };

function git(folder: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

function committed(folder: string): string {
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "x");
  return git(folder, "rev-parse", "HEAD");
}

/** Every file below a folder with what is in it. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

describe("a link in a package", () => {
  const PRIVATE = {
    "project/package.json": '{"dependencies":{"needed":"1"},"devDependencies":{"x":"1"}}',
    "notes/day.md": "See $" + "{CLAUDE_PLUGIN_ROOT}.\n",
    "keys/key": "secret",
  };
  /** Makes a folder with links to `out`; returns what is added. */
  type Make = (folder: string, out: string) => void;
  const ATTACKS: Readonly<Record<string, Make>> = {
    "to a file that is not there yet, as its manifest": (folder, out) => {
      put(folder, { ".claude-plugin/plugin.json": PLUGIN });
      symlinkSync(join(out, "profile"), join(folder, "manifest.toml"));
    },
    "that is relative": (folder) => {
      put(folder, { ".claude-plugin/plugin.json": PLUGIN });
      const up = "../".repeat(40);
      symlinkSync(`${up}${join(dirname(folder), "out/profile").slice(1)}`, join(folder, "manifest.toml"));
    },
    "behind another link": (folder, out) => {
      put(folder, { ".claude-plugin/plugin.json": PLUGIN });
      symlinkSync(out, join(folder, "a"));
      symlinkSync("a/profile", join(folder, "manifest.toml"));
    },
    "as its package.json": (folder, out) => {
      put(folder, ADDON);
      symlinkSync(join(out, "project/package.json"), join(folder, "package.json"));
    },
    "as a folder of texts": (folder, out) => {
      put(folder, { ".claude-plugin/plugin.json": '{"name":"kit","skills":"./deep/notes"}' });
      symlinkSync(out, join(folder, "deep"));
    },
  };

  async function addedWith(make: Make, command?: string) {
    const place = createSharedWorkplace(undefined, command === undefined ? {} : { command });
    const out = put(besides(place, "out"), PRIVATE);
    const folder = besides(place, "made");
    mkdirSync(folder);
    make(folder, out);
    const added = await indus(place, "add", folder, "--yes");
    return { added, place, before: PRIVATE, after: contentOf(out) };
  }

  it.each(Object.entries(ATTACKS))("%s leads to nothing that is written", async (_, make) => {
    const { added, before, after } = await addedWith(make);
    expect(after).toEqual(before);
    expect(`${added.stdout}${added.stderr}`).toMatch(
      /left out, because it is a link|is not an addon|not in its folder/,
    );
  });

  it("that stays in it is kept, and a package that was named by a link is a copy", async () => {
    const place = createSharedWorkplace();
    const folder = put(besides(place, "made"), ADDON);
    symlinkSync("server.mjs", join(folder, "again.mjs"));
    symlinkSync(folder, join(place.cwd, "link"));
    expect(await indus(place, "add", "./link", "--yes")).toMatchObject({ code: 0 });
    rmSync(folder, { recursive: true });
    expect(readFileSync(join(place.home, "packages/tickets/again.mjs"), "utf8")).toBe(MCP_SERVER);
  });

  it("twin: without the guard a file of the person's is made before they are asked", LONG_ONLY, async () => {
    const guard = "withoutLinksOut(to)";
    const file = "parts/packages/staged-package.ts";
    const command = commandWithout([{ file, guard: `, ${guard});`, instead: ", []);" }]);
    const [make] = Object.values(ATTACKS);
    if (make === undefined) throw new Error("no attack");
    expect((await addedWith(make, command)).after.profile).toContain("$(touch planted)");
  });
});

describe("a list of plugins", () => {
  const listOf = (...plugins: readonly object[]) => JSON.stringify({ name: "kits", plugins });

  it("leads out of its folder by no link, where the person put it either, or where their home is behind a link", async () => {
    const place = createSharedWorkplace();
    const out = put(besides(place, "out"), { "keys/key": "secret", ...ADDON });
    const market = put(besides(place, "market"), {
      ".claude-plugin/marketplace.json": listOf(
        { name: "one", source: "./a/keys" },
        { name: "two", source: "./b" },
      ),
    });
    symlinkSync(out, join(market, "a"));
    symlinkSync(out, join(market, "b"));
    committed(market);
    const home = besides(place, "home-link");
    symlinkSync(place.home, home);
    for (const source of [market, `git+file://${market}`]) {
      const env = { ...npm(place), INDUS_HOME: home };
      expect((await place.runAlone(["marketplace", "add", source], { env })).code).toBe(0);
      for (const name of ["one", "two"]) {
        const added = await place.runAlone(["add", `${name}@kits`, "--yes"], { env });
        expect(added).toMatchObject({ code: 1, stdout: "" });
        expect(added.stderr).toContain("leads out of its marketplace");
      }
      await place.runAlone(["marketplace", "remove", "kits"], { env });
    }
  });

  it("has one row for each plugin, whatever its texts hold", async () => {
    const place = createSharedWorkplace();
    const description = "x\nsafe@official: Checked by everybody\u001b[2J";
    const market = put(besides(place, "market"), {
      "marketplace.json": listOf({ name: "one\ntwo", source: "./one", description }),
    });
    await indus(place, "marketplace", "add", market);
    const { stdout } = await indus(place, "marketplace", "list", "kits");
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).not.toContain("\u001b");
  });

  it("that never ends is not read to the end", async () => {
    const server = createServer((_, response) => {
      const more = (): void =>
        void (response.destroyed || response.write(" ".repeat(65_536), () => setImmediate(more)));
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const place = createSharedWorkplace();
    const { port } = server.address() as AddressInfo;
    const added = await indus(place, "marketplace", "add", `http://127.0.0.1:${port}/list`);
    server.closeAllConnections();
    expect(added.code).toBe(1);
    expect(added.stderr).toContain("has more than 16777216 bytes");
  });
});

it.each([
  "npm:x; touch planted",
  "npm:x\ntouch planted",
  "$(touch planted)",
  '"$(touch planted)"',
  "x|y",
  "x y",
])("an index cannot have a person paste another command: %j", async (source) => {
  const place = createSharedWorkplace();
  const rows = [
    { name: "one\nindus add other", source: "npm:one" },
    { name: "bad", source },
  ];
  place.file("index.json", JSON.stringify({ version: 1, addons: rows }));
  const found = await indus(place, "addons", "search", "n", "--index", "index.json");
  expect(found.stdout).toBe("one⏎indus add other\n  indus add npm:one\n");
  expect((await indus(place, "addons", "search", "bad", "--index", "index.json")).stderr).toContain(
    "1 rows of",
  );
});

describe("a repository's packages.lock", () => {
  const row = (source: string, more: object = {}): object => ({
    ...{ source, resolved: "x", content: "0".repeat(64), asks: [] },
    ...more,
  });
  const withLock = (place: Workplace, packages: object): void =>
    void place.file(".indus/packages.lock", JSON.stringify({ version: 1, packages }));

  it("names no server whose files are elsewhere, in words or by a file of its own", async () => {
    const place = createSharedWorkplace();
    const out = put(besides(place, "out"), { "package.json": "{}", "main.mjs": MCP_SERVER, key: "secret" });
    place.file(
      "s.json",
      JSON.stringify({ mcpServers: { s: { command: "node", args: [`${out}/main.mjs`] } } }),
    );
    for (const source of [`mcp:node ${out}/main.mjs`, "mcp:node ../out/main.mjs", "./s.json#s"]) {
      withLock(place, { made: row(source) });
      const added = await indus(place, "add", "--yes");
      expect(added).toMatchObject({ code: 1, stdout: "" });
      expect(added.stderr).toContain(`is not in ${place.cwd}`);
    }
  });

  it("cannot have one package pass for another", async () => {
    const place = createSharedWorkplace();
    registry.publish("good", "1.0.0", { "package.json": "{}", ...ADDON });
    registry.publish("other", "1.0.0", { "package.json": '{"name":"good","version":"1.0.0"}', ...ADDON });
    const resolved = `${registry.url}/-/other/1.0.0.tgz`;
    const known = await indus(place, "add", `npm:${resolved}`, "--yes", "--team");
    expect(known).toMatchObject({ code: 0 });
    const lock = JSON.parse(readFileSync(join(place.cwd, ".indus/packages.lock"), "utf8"));
    const [{ integrity }] = Object.values(lock.packages) as [{ integrity: string }];
    await indus(place, "remove", "tickets");
    withLock(place, { known: row("npm:good", { resolved, integrity }) });
    const { stdout } = await indus(place, "add");
    expect(stdout).toMatch(/^ {2}from +│ http:/m);
    expect(stdout).not.toContain("good@1.0.0");
  });

  it("brings the commit that it names, not what a branch is meanwhile", async () => {
    const place = createSharedWorkplace();
    const served = put(besides(place, "served"), { ...ADDON, about: "first" });
    const commit = committed(served);
    writeFileSync(join(served, "about"), "second");
    committed(served);
    git(served, "update-server-info");
    const address = await serveFolder(dirname(served));
    const source = `git+${address}/served/.git`;
    withLock(place, { made: row(source, { resolved: `${source}#${commit}` }) });
    const added = await indus(place, "add", "--yes");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(place.home, "packages/tickets/about"), "utf8")).toBe("first");
  });
});

describe("a repository of this machine", () => {
  const guard = {
    file: "parts/packages/npm-client.ts",
    guard: "refuseRepositories(needed",
    instead: "((_: unknown) => undefined)(needed",
  };

  async function needing(command?: string) {
    const place = createSharedWorkplace(undefined, command === undefined ? {} : { command });
    const out = put(besides(place, "out"), {
      "package.json": '{"name":"private","version":"1.0.0"}',
      key: "secret",
    });
    committed(out);
    const needs = JSON.stringify({
      name: "made",
      version: "1.0.0",
      dependencies: { private: `git+file://${out}` },
    });
    const folder = put(besides(place, "made"), { ...ADDON, "package.json": needs });
    const { code, stderr } = await indus(place, "add", folder, "--yes");
    const names = readdirSync(join(place.home, "packages"), { recursive: true, encoding: "utf8" });
    return { code, stderr, secrets: names.filter((name) => name.endsWith("/key")) };
  }

  it("cannot be needed by a package", async () => {
    const { code, stderr, secrets } = await needing();
    expect([code, secrets]).toEqual([1, []]);
    expect(stderr).toMatch(/it needs git\+file:.*, a place on this machine/);
  });

  it("twin: without the guard the package has its files", LONG_ONLY, async () => {
    expect((await needing(commandWithout([guard]))).secrets).toHaveLength(1);
  });
});

it("of two plugins of one name, what is installed for the other agent brings the first, and says so", async () => {
  const place = createSharedWorkplace();
  const cache = join(place.home, ".claude/plugins/cache");
  const made = ["a", "b"].map((name) =>
    put(join(cache, name), {
      ".claude-plugin/plugin.json": '{"name":"same"}',
      [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: x\n---\nx\n`,
    }),
  );
  const plugins = { "same@a": { installPath: made[0] }, "same@b": { installPath: made[1] } };
  put(join(place.home, ".claude/plugins"), { "installed_plugins.json": JSON.stringify({ plugins }) });
  const added = await indus(place, "add", "--from", "claude", "--yes");
  expect(added.stderr).toContain(`${made[0]} is also called same: add it with indus add and --name NAME`);
  expect(readdirSync(join(place.home, "packages/same/skills"))).toEqual(["a"]);
});

/** Plain files, which is enough for git. */
async function serveFolder(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    try {
      response.end(readFileSync(join(folder, new URL(request.url ?? "", "http://x").pathname)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// Lists of plugins, through the real command: named once, read when they are needed, and never able to name a place of this machine.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { startPackageRegistry } from "../support/package-registry.ts";

const skill = (name: string): string => `---\nname: ${name}\ndescription: How to ${name}.\n---\nDo it.\n`;

function put(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
const besides = (place: Workplace, name: string): string => join(dirname(place.cwd), name);

function repository(folder: string, files: Readonly<Record<string, string>>): string {
  put(folder, files);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  return git("rev-parse", "HEAD");
}
const list = (...plugins: readonly object[]): string =>
  JSON.stringify({ name: "kits", owner: { name: "x" }, plugins });

it("are named, listed, added from by PLUGIN@NAME, updated, and forgotten", async () => {
  const place = createWorkplace();
  const market = put(besides(place, "market"), {
    ".claude-plugin/marketplace.json": list(
      { name: "cutter", source: "./plugins/cutter", description: "Cuts releases." },
      { name: "gone", source: { source: "pip", package: "x" } },
    ),
    "plugins/cutter/skills/cut/SKILL.md": skill("cut"),
  });
  const named = await place.run(["marketplace", "add", market]);
  expect(named).toMatchObject({ code: 0, stderr: "" });
  expect(named.stdout).toContain("kits has 2 plugins, none of them added.");
  expect((await place.run(["marketplace", "list"])).stdout).toBe(`kits  ${market}\n`);
  const listed = (await place.run(["marketplace", "list", "kits"])).stdout;
  expect(listed).toContain("cutter@kits: Cuts releases.\n");
  expect(listed).toContain('gone@kits (cannot be fetched: indus does not support sources of the kind "pip")');

  const added = await place.run(["add", "cutter@kits", "--yes"]);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toMatch(/│ 1 skill .*: cut$/m);
  expect((await place.run(["prompt"])).stdout).toContain("How to cut.");
  put(market, { "plugins/cutter/skills/tidy/SKILL.md": skill("tidy") });
  expect((await place.run(["update", "cutter", "--yes"])).code).toBe(0);
  expect((await place.run(["prompt"])).stdout).toContain("How to tidy.");

  expect((await place.run(["add", "cuter@kits"])).stderr).toContain(
    'has no plugin "cuter"; did you mean "cutter"?',
  );
  expect((await place.run(["add", "cutter@kit"])).stderr).toContain(
    'no marketplace called "kit"; did you mean "kits"?',
  );
  expect((await place.run(["marketplace", "remove", "kits"])).code).toBe(0);
  expect((await place.run(["marketplace", "list"])).stdout).toContain("No marketplaces.");
  expect((await place.run(["list"])).stdout).toContain("cutter");
});

it("have plugins in repositories, in folders of repositories at a commit, and in a registry", async () => {
  const place = createWorkplace();
  const registry = await startPackageRegistry();
  onTestFinished(() => registry.close());
  registry.publish("kit-of-npm", "1.2.0", {
    "package.json": '{"name":"kit-of-npm","version":"1.2.0"}',
    "skills/npm/SKILL.md": skill("npm"),
  });
  const served = besides(place, "served");
  const commit = repository(join(served, "many.git"), { "plugins/one/skills/one/SKILL.md": skill("one") });
  repository(join(served, "whole.git"), { "skills/whole/SKILL.md": skill("whole") });
  for (const name of ["many.git", "whole.git"])
    execFileSync("git", ["update-server-info"], { cwd: join(served, name) });
  const address = await serveFolder(served);
  repository(besides(place, "market"), {
    ".claude-plugin/marketplace.json": list(
      {
        name: "one",
        source: { source: "git-subdir", url: `${address}/many.git/.git`, path: "plugins/one", sha: commit },
      },
      { name: "whole", source: { source: "url", url: `${address}/whole.git/.git` } },
      { name: "npm", source: { source: "npm", package: "kit-of-npm", version: "^1.0.0" } },
    ),
  });
  const env = { npm_config_registry: registry.url };
  expect((await place.run(["add", `marketplace:git+file://${besides(place, "market")}`], { env })).code).toBe(
    0,
  );
  for (const name of ["one", "whole", "npm"]) {
    const added = await place.run(["add", `${name}@kits`, "--yes"], { env });
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(new RegExp(`│ 1 skill .*: ${name}$`, "m"));
  }
  expect((await place.run(["show", "one"])).stdout).toContain(`#${commit}::path:plugins/one`);
});

it("that were fetched name no place of this machine, by a link neither", async () => {
  const place = createWorkplace();
  const outside = put(besides(place, "outside"), { "skills/secret/SKILL.md": skill("secret") });
  const market = besides(place, "market");
  mkdirSync(market);
  symlinkSync(outside, join(market, "link"));
  repository(market, {
    ".claude-plugin/marketplace.json": list(
      { name: "up", source: "../outside" },
      { name: "absolute", source: outside },
      { name: "link", source: "./link" },
      { name: "file", source: { source: "url", url: `file://${outside}` } },
      { name: "git-file", source: { source: "git", url: `git+file://${outside}` } },
      { name: "npm-file", source: { source: "npm", package: `file:${outside}` } },
      { name: "option", source: { source: "github", repo: "--upload-pack=touch/x" } },
    ),
  });
  await place.run(["marketplace", "add", `git+file://${market}`]);
  for (const name of ["up", "absolute", "link", "file", "git-file", "npm-file", "option"]) {
    const added = await place.run(["add", `${name}@kits`, "--yes"]);
    expect([name, added.code, added.stdout]).toEqual([name, 1, ""]);
  }
  expect(existsSync(join(place.home, "packages.lock"))).toBe(false);
});

it("that are not strict bring exactly what they list of a folder, each once; a strict one adds to what is there", async () => {
  const place = createWorkplace();
  const row = { source: "./", skills: ["./skills/pdf"] };
  const market = put(besides(place, "market"), {
    ".claude-plugin/marketplace.json": list(
      { ...row, name: "exact", strict: false },
      { ...row, name: "more" },
      { name: "all", source: "./", strict: false },
    ),
    "skills/pdf/SKILL.md": skill("pdf"),
    "skills/xls/SKILL.md": skill("xls"),
  });
  await place.run(["marketplace", "add", market]);
  const skillsOf = async (name: string): Promise<string | undefined> =>
    /\d skills? .*: (.+)$/m.exec((await place.run(["add", `${name}@kits`, "--yes"])).stdout)?.[1];
  expect([await skillsOf("exact"), await skillsOf("more"), await skillsOf("all")]).toEqual([
    "pdf",
    "pdf, xls",
    "pdf, xls",
  ]);
});

describe("a folder that is called like what a person means", () => {
  const HOSTILE = { ".claude-plugin/marketplace.json": list({ name: "cutter", source: "./theirs" }) };
  const THEIRS = { "theirs/skills/theirs/SKILL.md": skill("theirs") };

  it("is none: a marketplace goes by a name that it was given, by OWNER/NAME, or by ./FOLDER", async () => {
    const place = createWorkplace();
    const market = put(besides(place, "market"), {
      ".claude-plugin/marketplace.json": list({ name: "cutter", source: "./ours" }),
      "ours/skills/ours/SKILL.md": skill("ours"),
    });
    await place.run(["marketplace", "add", market]);
    for (const name of ["kits", "other", "cutter@kits"])
      put(join(place.cwd, name), { ...HOSTILE, ...THEIRS });

    for (const words of [
      ["add", "marketplace:other"],
      ["marketplace", "add", "other"],
    ]) {
      const refused = await place.run(words);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("other is only a name: write ./other");
    }
    expect((await place.run(["add", "marketplace:kits"])).code).toBe(0);
    expect((await place.run(["marketplace", "list"])).stdout).toBe(`kits  ${market}\n`);
    const added = await place.run(["add", "cutter@kits", "--yes"]);
    expect(added.stdout).toMatch(/│ 1 skill .*: ours$/m);
    expect((await place.run(["marketplace", "remove", "kits"])).code).toBe(0);
    expect((await place.run(["add", "marketplace:./other"])).code).toBe(0);
  });

  it("is no repository of that owner, not when its list is read again either", async () => {
    const place = createWorkplace();
    const kept = { version: 1, marketplaces: { kits: "somebody/kits" } };
    writeFileSync(join(place.home, "marketplaces.json"), JSON.stringify(kept));
    put(join(place.cwd, "somebody/kits"), { ...HOSTILE, ...THEIRS });
    // Nothing listens there, so whoever asks it gets no list.
    const env = { HTTPS_PROXY: "http://127.0.0.1:1", GIT_SSH_COMMAND: "false" };
    const listed = await place.run(["marketplace", "list", "kits"], { env });
    expect(listed.code).toBe(1);
    expect(listed.stdout).toBe("");
  });

  it("twin: without the guard the folder's list is taken", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "parts/packages/fetch-plugin.ts",
        guard: "if (/^[\\w-][\\w.-]*$/.test(said))",
        instead: "if (false as boolean)",
      },
    ]);
    const place = createWorkplace(undefined, { command });
    put(join(place.cwd, "other"), { ...HOSTILE, ...THEIRS });
    expect((await place.run(["add", "marketplace:other"])).code).toBe(0);
    expect((await place.run(["add", "cutter@kits", "--yes"])).stdout).toMatch(/│ 1 skill .*: theirs$/m);
  });

  it("whose server is meant by a relative path is not another folder's at an update, whether its folder is known or not", async () => {
    const [own, theirs] = [createWorkplace(), createWorkplace()];
    own.file("server.mjs", "setInterval(() => {}, 1e6);\n");
    theirs.file("server.mjs", "throw new Error();\n");
    await own.run(["add", "mcp:node server.mjs", "--yes", "--name", "own"]);
    const same = await theirs.run(["update", "own", "--yes"], { env: { INDUS_HOME: own.home } });
    expect(same).toMatchObject({ code: 0, stdout: `own is up to date: ${own.cwd}\n` });
    const lock = join(own.home, "packages.lock");
    const { packages, ...rest } = JSON.parse(readFileSync(lock, "utf8"));
    packages.own.base = undefined; // as an earlier version wrote it
    writeFileSync(lock, JSON.stringify({ ...rest, packages }));
    const updated = await theirs.run(["update", "own", "--yes"], { env: { INDUS_HOME: own.home } });
    expect(updated.code).toBe(1);
    expect(updated.stderr).toContain(
      `own was added from ${own.cwd}, but in this folder mcp:node server.mjs means ${theirs.cwd}: `,
    );
  });
});

it("a plugin of a repository is the team's commit: a tag that was moved is refused, by both names", async () => {
  const place = createWorkplace();
  const served = besides(place, "served");
  const folder = join(served, "tool.git");
  const first = repository(folder, { "skills/tool/SKILL.md": skill("first") });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: folder });
  git("tag", "v1");
  git("update-server-info");
  const address = await serveFolder(served);
  const market = put(besides(place, "market"), {
    "marketplace.json": list({
      name: "tool",
      source: { source: "url", url: `${address}/tool.git/.git`, ref: "v1" },
    }),
  });
  await place.run(["marketplace", "add", market]);
  expect((await place.run(["add", "tool@kits", "--yes", "--team"])).code).toBe(0);
  await place.run(["remove", "tool"]);
  expect((await place.run(["add", "--yes"])).code).toBe(0); // the same commit, for whoever comes later
  await place.run(["remove", "tool"]);

  put(folder, { "skills/tool/SKILL.md": skill("second") });
  git("commit", "-qam", "second");
  git("tag", "-f", "v1");
  git("repack", "-adq");
  git("update-server-info");
  const later = await place.run(["add", "--yes"]);
  expect(later.code).toBe(1);
  expect(later.stderr).toMatch(
    new RegExp(`kits now lists tool as \\S+, but .indus/packages.lock says \\S+#${first}`),
  );
  expect((await place.run(["list"])).stdout).not.toContain("tool");
});

describe("a plugin of a registry is the package that its list names", () => {
  /** A team's lock file has another package for it, with that one's own checksum. */
  async function exchanged(command?: string) {
    const place = createWorkplace(undefined, command === undefined ? {} : { command });
    const registry = await startPackageRegistry();
    onTestFinished(() => registry.close());
    const env = { npm_config_registry: registry.url };
    for (const name of ["kit-of-npm", "other-kit"])
      registry.publish(name, "1.2.0", {
        "package.json": JSON.stringify({ name, version: "1.2.0" }),
        "skills/npm/SKILL.md": skill(name),
      });
    const of = (name: string) => ({ name, source: { source: "npm", package: name } });
    const market = put(besides(place, "market"), {
      "marketplace.json": list(of("kit-of-npm"), of("other-kit")),
    });
    await place.run(["marketplace", "add", market]);
    const lockPath = join(place.cwd, ".indus/packages.lock");
    const rows = async (name: string) => {
      expect((await place.run(["add", `${name}@kits`, "--yes", "--team"], { env })).code).toBe(0);
      await place.run(["remove", name]);
      return JSON.parse(readFileSync(lockPath, "utf8")).packages[name];
    };
    const [good, other] = [await rows("kit-of-npm"), await rows("other-kit")];
    const { resolved, integrity, content } = other;
    const row = { ...good, resolved, integrity, content };
    writeFileSync(lockPath, JSON.stringify({ version: 1, packages: { "kit-of-npm": row } }));
    const added = await place.run(["add", "--yes"], { env });
    return { added, listed: (await place.run(["list"])).stdout };
  }

  it("not one that a team's lock file has in its place", async () => {
    const { added, listed } = await exchanged();
    expect(added.code).toBe(1);
    expect(added.stderr).toMatch(
      /kits now lists kit-of-npm as npm:kit-of-npm, but \S+ says other-kit@1\.2\.0/,
    );
    expect(listed).not.toContain("kit-of-npm");
  });

  it("which would come without the guard: the twin", LONG_ONLY, async () => {
    const guard = { file: "parts/packages/fetch-plugin.ts", guard: "if (!isListed)", instead: "if (false)" };
    const { added, listed } = await exchanged(commandWithout([guard]));
    expect(added).toMatchObject({ code: 0 });
    expect(listed).toContain("kit-of-npm");
  });
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

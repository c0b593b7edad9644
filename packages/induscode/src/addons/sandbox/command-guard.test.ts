// What a confined command must not change, where there is more than is looked through.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { localShell } from "indusagi/capabilities";
import { describe, expect, it, onTestFinished } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { isRoot, lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { createCommandScene } from "../../../../../tests/support/test-command-scene.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { guardedPlaces, putAway } from "./command-guard.ts";
import { confineCommands } from "./command-sandbox.ts";

const signal = new AbortController().signal;
const MAX_FOLDERS = 300;
const MAKE_MANY = `mkdir many && cd many && seq 1 ${MAX_FOLDERS} | xargs mkdir && cd ..`;
const PLANT =
  "cat zz/deep/.env; echo evil >> zz/deep/.npmrc; echo evil > zz/deep/AGENTS.md; mkdir zz/deep/.vscode";

/** `zz/deep`, which is not reached where there are that many folders. */
async function sceneHere() {
  const { root, home, env, close } = await createCommandScene();
  onTestFinished(() => close());
  mkdirSync(join(root, "zz/deep"), { recursive: true });
  for (const name of [".npmrc", ".env"]) writeFileSync(join(root, "zz/deep", name), "canary");
  const planted = (): readonly string[] => [
    readFileSync(join(root, "zz/deep/.npmrc"), "utf8"),
    ...["AGENTS.md", ".vscode"].filter((name) => existsSync(join(root, "zz/deep", name))),
  ];
  return { root, home, env, planted };
}

describe.each(rows(["bubblewrap", "landlock"] as const, theFirst))("a command at the level %s", (level) => {
  const strong = strongAt(level);
  const isMissing = lacksLevel(level, strong?.level === levelOf(level));

  it.skipIf(isMissing)("changes nothing that acts by a link or by git's settings", async () => {
    if (strong === undefined) throw new Error("it was there a moment ago");
    const { root, home, env } = await sceneHere();
    rmSync(join(root, ".git"), { recursive: true });
    for (const folder of [".claude", "skills/own", "data/hooks", "scripts/h"])
      mkdirSync(join(root, folder), { recursive: true });
    symlinkSync("../skills", join(root, ".claude/skills"));
    symlinkSync("../cmds", join(root, ".claude/commands"));
    writeFileSync(join(root, ".git"), "gitdir: data\n");
    writeFileSync(join(root, "data/config"), "[core]\n\thooksPath = scripts/h\n");
    const places = [
      "skills/own/SKILL.md",
      "data/hooks/post-checkout",
      "scripts/h/post-commit",
      "cmds/evil.md",
    ];
    const line = `mkdir cmds; for each in ${places.join(" ")}; do echo evil > $each; done; echo "[x]" >> data/config`;
    const harmed = (): readonly string[] => [
      ...places.filter((name) => existsSync(join(root, name))),
      ...(readFileSync(join(root, "data/config"), "utf8").includes("[x]") ? ["data/config"] : []),
    ];
    const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
    const { shell, close } = confineCommands(strong, facts);
    onTestFinished(async () => void (await close()));
    await shell.exec(line, { cwd: root, signal });
    expect(harmed()).toEqual([]);
    // The twin: unconfined, the same command does all of it.
    await localShell({ env }).exec(line, { cwd: root, signal });
    expect(harmed()).toEqual([...places, "data/config"]);
  });

  it.skipIf(isMissing)("changes in a repository only what its tool writes with each commit", async () => {
    if (strong === undefined) throw new Error("it was there a moment ago");
    const { root, home, env } = await sceneHere();
    const acting = [".hg/hgrc", ".jj/repo/config.toml", "_darcs/prefs/defaults", ".svn/wc.db"];
    const missing = [
      "a/.hg/hgrc",
      "a/.jj/workspace-config.toml",
      "a/.git/config.worktree",
      "a/.pijul/config",
    ];
    const free = [".hg/store/data", ".jj/repo/op_store/x", "_darcs/patches/x"];
    for (const name of [...acting, ...free]) {
      mkdirSync(join(root, dirname(name)), { recursive: true });
      writeFileSync(join(root, name), "kept");
    }
    for (const name of [".hg", ".jj", ".git"]) mkdirSync(join(root, "a", name), { recursive: true });
    const line = [...acting, ...free, ...missing]
      .map((name) => `mkdir -p ${dirname(name)}; echo evil > ${name}`)
      .join("; ");
    const harmed = (): readonly string[] =>
      [...acting, ...free, ...missing].filter(
        (name) => existsSync(join(root, name)) && readFileSync(join(root, name), "utf8") === "evil\n",
      );
    const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
    const { shell, close } = confineCommands(strong, facts);
    onTestFinished(async () => void (await close()));
    await shell.exec(line, { cwd: root, signal });
    expect(harmed()).toEqual(free);
    await localShell({ env }).exec(line, { cwd: root, signal }); // the twin
    expect(harmed()).toEqual([...acting, ...free, ...missing]);
  });

  it.skipIf(isMissing)(
    "reads nothing through a link in the working directory that is on the PATH",
    async () => {
      if (strong === undefined) throw new Error("it was there a moment ago");
      const { root, home, env: given } = await sceneHere();
      symlinkSync(join(home, ".ssh"), join(root, "tools"));
      symlinkSync(join(home, ".ssh"), join(root, "share"));
      const env = { ...given, PATH: [join(root, "tools"), join(root, "bin"), given.PATH].join(delimiter) };
      const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
      const { shell, close } = confineCommands(strong, facts);
      onTestFinished(async () => void (await close()));
      const line = `cat ${join(home, ".ssh/id_rsa")}`;
      expect((await shell.exec(line, { cwd: root, signal })).stdout).toBe("");
      expect((await localShell({ env }).exec(line, { cwd: root, signal })).stdout).toContain("canary");
    },
  );

  it.skipIf(isMissing)("runs where a protected name is a pipe, and puts nothing in its place", async () => {
    if (strong === undefined) throw new Error("it was there a moment ago");
    const { root, home, env } = await sceneHere();
    execFileSync("mkfifo", [join(root, "src/.npmrc"), join(root, "src/pipe")]);
    symlinkSync("pipe", join(root, "src/.envrc"));
    const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
    const { shell, close } = confineCommands(strong, facts);
    onTestFinished(async () => void (await close()));
    const line = "echo ran; cd src; rm .npmrc pipe; echo evil > .npmrc; echo evil > pipe";
    const { stdout } = await shell.exec(line, { cwd: root, signal });
    expect(stdout).toBe("ran\n");
    expect([".npmrc", ".envrc"].filter((name) => existsSync(join(root, "src", name)))).toEqual([]);
  });

  it.skipIf(isMissing)(
    "changes and reads nothing in folders that were not looked through, though it made too many itself",
    async () => {
      if (strong === undefined) throw new Error("it was there a moment ago");
      const { root, home, env, planted } = await sceneHere();
      const refuses = { read: (path: string) => path.endsWith("/.env") };
      const { shell, close } = confineCommands(strong, {
        ...{ root, personHome: home, env, withhold: [], isWritable: true, network: "off", refuses },
        maxFolders: MAX_FOLDERS,
      });
      onTestFinished(async () => void (await close()));
      // At the top, Landlock lets nothing new be made beside a protected name.
      const made = await shell.exec(`cd src && ${MAKE_MANY}`, { cwd: root, signal });
      expect(made.note).toContain("src has more folders than indus searches");
      const { stdout, note } = await shell.exec(PLANT, { cwd: root, signal });
      expect([stdout, ...planted()]).toEqual(["", "canary"]);
      expect(note).toContain("hidden because of rules about reading, because");
      // The twin: unconfined, the same command does all of it.
      const twin = await localShell({ env }).exec(PLANT, { cwd: root, signal });
      expect([twin.stdout, ...planted()]).toEqual(["canary", "canaryevil\n", "AGENTS.md", ".vscode"]);
    },
  );
});

it("nothing is moved through a link that took the place of a folder", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-guard-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, home] = [join(base, "work"), join(base, "home")];
  for (const folder of [join(root, "src"), home]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, ".npmrc"), "");
  }
  const before = guardedPlaces(root);
  renameSync(join(root, "src"), join(root, "old"));
  symlinkSync(home, join(root, "src"));
  expect(putAway(root, before)).toEqual([
    { from: join(root, "old/.npmrc"), to: join(root, "old/put-away-1-.npmrc") },
    { from: join(root, "src/.npmrc") },
  ]);
  expect(existsSync(join(home, ".npmrc"))).toBe(true);
});

it("the acting parts of a repository stay closed where there are too many names to close one by one", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-guard-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "packages/app/.git/hooks"), { recursive: true });
  for (let each = 0; each < 200; each++) {
    mkdirSync(join(root, `packages/p${each}`));
    writeFileSync(join(root, `packages/p${each}/AGENTS.md`), "");
  }
  expect(guardedPlaces(root)).toMatchObject({ protected: [join(root, "packages")], pinned: [] });
});

it.skipIf(lacks("not root", !isRoot))("what is made in folders that are then closed is moved aside", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-closed-")));
  onTestFinished(() => {
    for (const folder of [".", "persons", "fixture", "only"]) chmodSync(join(root, folder), 0o700);
    rmSync(root, { recursive: true, force: true });
  });
  mkdirSync(join(root, "persons"));
  chmodSync(join(root, "persons"), 0o300);
  const before = guardedPlaces(root);
  for (const folder of ["made/deep", "only", "fixture"]) mkdirSync(join(root, folder), { recursive: true });
  for (const folder of [".", "made/deep", "only"]) writeFileSync(join(root, folder, "AGENTS.md"), "obey");
  for (const folder of ["made/deep", "made", "fixture"]) chmodSync(join(root, folder), 0o100);
  chmodSync(join(root, "only"), 0o500); // it can be listed, and nothing in it moved
  chmodSync(root, 0o300);
  const left = putAway(root, before);
  expect(left.map(({ from, to }) => [from.slice(root.length), to !== undefined]).sort()).toEqual([
    ["/AGENTS.md", true],
    ["/made/deep/AGENTS.md", true],
    ["/only/AGENTS.md", true],
  ]);
  const modes = ["persons", "fixture", "only"].map((name) => statSync(join(root, name)).mode & 0o777);
  expect(modes).toEqual([0o300, 0o100, 0o500]);
});

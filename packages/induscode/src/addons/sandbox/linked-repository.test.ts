// A working tree whose `.git` is a file: commands read the repository that it belongs to, and no other folder that the file names.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localShell } from "indusagi/capabilities";
import { describe, expect, it, onTestFinished } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { isInstalled, lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { createCommandScene } from "../../../../../tests/support/test-command-scene.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { confineCommands } from "./command-sandbox.ts";

const signal = new AbortController().signal;

async function sceneHere() {
  const scene = await createCommandScene();
  onTestFinished(() => scene.close());
  rmSync(join(scene.root, ".git"), { recursive: true });
  return scene;
}

const WHO = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"];

/** `outside/main` with one commit, a worktree and a submodule, all outside of the scene's root. */
function repositoryIn(base: string): string {
  const main = join(base, "outside/main");
  const git = (...words: readonly string[]): void =>
    void execFileSync("git", ["-C", main, ...WHO, ...words], {
      env: { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "ignore",
    });
  mkdirSync(main);
  git("init");
  git("commit", "--allow-empty", "-m", "first words");
  git("worktree", "add", "../tree");
  git("submodule", "add", "../main", "sub");
  return main;
}

describe.each(rows(["bubblewrap", "landlock"] as const, theFirst))(
  "a `.git` that is a file, at the level %s",
  (level) => {
    const strong = strongAt(level);
    const isMissing = lacksLevel(level, strong?.level === levelOf(level));

    function confined(root: string, home: string, env: Readonly<Record<string, string>>) {
      if (strong === undefined) throw new Error("it was there a moment ago");
      const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
      const { shell, close } = confineCommands(strong, facts);
      onTestFinished(async () => void (await close()));
      return (command: string) => shell.exec(command, { cwd: root, signal });
    }

    it.skipIf(isMissing)(
      "opens no folder that does not name the working tree, which is said once",
      async () => {
        const { root, home, env } = await sceneHere();
        const main = join(home, "private/.git");
        mkdirSync(join(main, "objects"), { recursive: true });
        mkdirSync(join(main, "refs"));
        for (const name of ["HEAD", "config"]) writeFileSync(join(main, name), "canary");
        mkdirSync(join(root, "fake/worktrees/x"), { recursive: true });
        writeFileSync(join(root, "fake/worktrees/x/gitdir"), join(root, ".git"));
        writeFileSync(join(root, "fake/worktrees/x/commondir"), main);
        const read = `cat ${home}/.ssh/id_rsa ${main}/config`;
        for (const target of ["../home/.ssh", "../home", "..", "/", main, "fake/worktrees/x"]) {
          writeFileSync(join(root, ".git"), `gitdir: ${target}\n`);
          const exec = confined(root, home, env);
          const { stdout, note } = await exec(read);
          expect([target, stdout]).toEqual([target, ""]);
          if (target.startsWith("fake")) continue;
          expect(note).toContain("to which .git points, because it is not a repository that names");
          expect((await exec("true")).note).toBeUndefined();
        }
        // The twin: what was to be read is there.
        expect((await localShell({ env }).exec(read, { cwd: root, signal })).stdout).toBe("canarycanary");
      },
    );

    it.skipIf(isMissing || lacks("git", isInstalled("git")))(
      "opens the repository of a worktree and of a submodule",
      async () => {
        const { root, home, env } = await sceneHere();
        const main = repositoryIn(join(root, ".."));
        for (const tree of [join(main, "../tree"), join(main, "sub")]) {
          const { stdout, stderr } = await confined(join(tree), home, env)("git log --format=%s");
          expect([tree, stdout, stderr]).toEqual([tree, "first words\n", ""]);
        }
      },
    );
  },
);

import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import { isInstalled, lacks } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { until } from "../../../../../tests/support/until.ts";
import type { GitFiles } from "./git-place.ts";
import { type GitVerdicts, keptGitMayRun } from "./git-verdicts.ts";

/** A repository, and how many times something of it was read. */
function repository() {
  const top = createFolder();
  const git = (...words: readonly string[]) => spawnSync("git", ["-C", top, ...words]);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  put("a/b/c.txt", "c");
  put("x.txt", "x");
  for (const line of ["init -q", "config user.email a@b.c", "config user.name n", "add .", "commit -qm one"])
    git(...line.split(" "));
  let reads = 0;
  const local = localFs();
  const files: GitFiles = {
    ...local,
    readDir(path) {
      reads++;
      return local.readDir(path);
    },
  };
  const verdicts: GitVerdicts = new Map();
  const ask = () => keptGitMayRun(top, files, verdicts);
  /** Asks until the answer is kept: right after a change it is not. */
  const settle = () =>
    until(async () => {
      await ask();
      return verdicts.has(top);
    });
  return { top, git, put, ask, settle, reads: () => reads };
}

describe.skipIf(lacks("git", isInstalled("git")))("what was found out about a repository", () => {
  it("is kept while nothing changes that it depends on", async () => {
    const { ask, settle, put, reads } = repository();
    await settle();
    const before = reads();
    put("x.txt", "changed");
    put("new/file.txt", "new");
    expect(await ask()).toBeUndefined();
    expect(reads()).toBe(before);
  });

  it.each<[string, (made: ReturnType<typeof repository>) => void, string]>([
    ["a setting", ({ git }) => git("config", "core.fsmonitor", "evil"), "core.fsmonitor"],
    ["a hook", ({ put }) => put(".git/hooks/post-index-change", ""), "a hook"],
    ["other objects", ({ put }) => put(".git/objects/info/alternates", "/x"), "alternates"],
    [
      "a link deep in the repository",
      ({ top }) => symlinkSync("/x", join(top, ".git/objects/info/link")),
      "a link in it",
    ],
    [
      "a link, and the times set back",
      ({ top }) => {
        symlinkSync("/x", join(top, ".git/objects/info/link"));
        utimesSync(join(top, ".git/objects/info"), 1, 1);
      },
      "a link in it",
    ],
    [
      "a folder moved away, with a link in its place",
      ({ top }) => {
        renameSync(join(top, "a"), join(top, "moved"));
        symlinkSync("moved", join(top, "a"));
      },
      "but a link on disk",
    ],
    [
      "another repository in its place",
      ({ top }) => {
        renameSync(join(top, ".git"), join(top, "old"));
        writeFileSync(join(top, ".git"), "gitdir: /elsewhere\n");
      },
      "",
    ],
  ])("is found out anew after a change: %s", async (_what, change, why) => {
    const made = repository();
    await made.settle();
    change(made);
    expect(await made.ask()).toContain(why);
  });
});

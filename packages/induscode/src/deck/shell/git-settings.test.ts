import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import { gitMayRun, settingsMayRun } from "./git-settings.ts";

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });

const AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@example.com"] as const;

function repository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "indus-git-")));
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "add", "a.txt");
  return folder;
}

/** A repository of its own that has one thing from another. */
function linked(at: string, other: string, name: string): void {
  git(at, "init", "-q");
  rmSync(join(at, ".git", name), { recursive: true, force: true });
  mkdirSync(dirname(join(at, ".git", name)), { recursive: true });
  symlinkSync(join(other, name), join(at, ".git", name));
}

const tried = (folder: string): Promise<string | undefined> => gitMayRun(folder, localFs());

describe("git is asked without a question where it runs nothing", () => {
  it("in a repository as git makes it, with a remote and a branch, and in its folders", async () => {
    const folder = repository();
    git(folder, "remote", "add", "origin", "https://example.com/x.git");
    git(folder, "config", "user.name", "A");
    mkdirSync(join(folder, "src"));
    expect([await tried(folder), await tried(join(folder, "src"))]).toEqual([undefined, undefined]);
  });

  it("not where its settings name a program, which `git status` would run (the twin runs it)", async () => {
    const folder = repository();
    const canary = join(folder, "canary");
    git(folder, "config", "core.fsmonitor", `touch ${canary}; false`);
    expect(await tried(folder)).toContain("core.fsmonitor");
    git(folder, "status");
    expect(existsSync(canary)).toBe(true);
  });

  it.each([
    ["[diff]\n\texternal = ./x", "diff.external"],
    ['[diff "a"]\n\ttextconv = ./x', "diff.textconv"],
    ['[filter "a"]\n\tclean = ./x', "filter.clean"],
    ["[core]\n\tpager = ./x", "core.pager"],
    ["[core]\n\thooksPath = x", "core.hookspath"],
    ["[core]\n\tsshCommand = x", "core.sshcommand"],
    ["[include]\n\tpath = ../x", "include.path"],
    ['[includeIf "gitdir:/"]\n\tpath = x', "includeif.path"],
    ["[gpg]\n\tprogram = x", "gpg.program"],
    ["[alias]\n\tstatus = !id", "alias.status"],
    ["[core] fsmonitor = x", "[core] fsmonitor = x"],
    ["[core]\n\tfsmonitor", "core.fsmonitor"],
    ["[core]\nfs\\\nmonitor = x", "on another line"],
    ["[core]\n\teol = a \\\r\n[color]\n\tfsmonitor = ./mon", "on another line"],
    ["[color]\n[core] fsmonitor = ./mon", "[core] fsmonitor"],
    ["[advice]\n\tx.y = 1", "x.y = 1"],
    ["[diff.external]\n\tx = ./x", "[diff.external]"],
    ['[core "fsmonitor\0"]\n\teol = ./mon', "a NUL"],
    ['[remote "o"]\n\tpromisor = true', "remote.promisor"],
    ["[extensions]\n\tpartialClone = o", "extensions.partialclone"],
  ])("not with %j", async (settings, told) => {
    const folder = repository();
    appendFileSync(join(folder, ".git/config"), `${settings}\n`);
    expect(await tried(folder)).toContain(told);
  });

  it("nor where a caller overrules what it may, and a line only looks like that", async () => {
    const overruled = async (settings: string): Promise<string | undefined> => {
      const common = join(repository(), ".git");
      appendFileSync(join(common, "config"), `${settings}\n`);
      return settingsMayRun(common, [], localFs(), /^(?:alias\.|merge\.(?!driver)).*$/);
    };
    expect(await overruled('[alias]\n\ta = !x\n[merge "x"]\n\tname = x')).toBeUndefined();
    expect(await overruled('[alias]\n[filter "x"] clean = ./x')).toContain("[filter");
    expect(await overruled("[merge.x]\n\tdriver = ./x")).toContain("[merge.x]");
  });

  it("not with another repository that its index names, whose program git runs (twins: it is not in the index, or not there)", async () => {
    const folder = repository();
    const canary = join(folder, "canary");
    git(folder, "init", "-q", "sub");
    git(join(folder, "sub"), ...AUTHOR, "commit", "-q", "--allow-empty", "-m", "x");
    git(join(folder, "sub"), "config", "core.fsmonitor", `touch ${canary}; false`);
    git(folder, "status");
    expect([await tried(folder), existsSync(canary)]).toEqual([undefined, false]);
    for (const version of ["2", "4"]) {
      git(folder, "add", "sub");
      git(folder, "update-index", "--index-version", version);
      expect(await tried(folder)).toContain("another repository in sub");
    }
    git(folder, "status");
    expect(existsSync(canary)).toBe(true);
    rmSync(join(folder, "sub/.git"), { recursive: true });
    expect(await tried(folder)).toBeUndefined();
  });

  it.each([
    ["cut short", (index: Buffer) => index.subarray(0, 60)],
    ["of another version", (index: Buffer) => index.fill(5, 7, 8)],
    ["with a name outside", (index: Buffer) => index.fill("/", 12 + 62, 12 + 62 + 1)],
    ["with a name that ends early", (index: Buffer) => index.fill(0, 12 + 62 + 1, 12 + 62 + 2)],
    [
      "with an extension that says where other entries are",
      (index: Buffer) =>
        Buffer.concat([index.subarray(0, -20), Buffer.from("link\0\0\0\0"), index.subarray(-20)]),
    ],
    [
      "with a table of its entries",
      (index: Buffer) =>
        Buffer.concat([
          index.subarray(0, -20),
          Buffer.from("EOIE\0\0\0\x18"),
          Buffer.alloc(24),
          index.subarray(-20),
        ]),
    ],
  ])("not with an index %s", async (_what, changed) => {
    const folder = repository();
    const path = join(folder, ".git/index");
    writeFileSync(path, changed(readFileSync(path)));
    expect(await tried(folder)).toContain("indus cannot read the repository's index");
  });

  it("in a worktree that its repository knows, next to it or below it", async () => {
    const folder = repository();
    git(folder, ...AUTHOR, "commit", "-q", "-m", "x");
    for (const place of [`${folder}-tree`, join(folder, "tree")]) {
      git(folder, "worktree", "add", "-q", place);
      expect(await tried(place)).toBeUndefined();
    }
  });

  it.each([
    ["a .git file", (at, other) => writeFileSync(join(at, ".git"), `gitdir: ${other}\n`)],
    ["a linked .git", (at, other) => symlinkSync(other, join(at, ".git"))],
    [
      "a worktree that only this folder knows",
      (at, other) => {
        mkdirSync(join(at, "fake"));
        writeFileSync(join(at, ".git"), "gitdir: fake\n");
        writeFileSync(join(at, "fake/gitdir"), `${join(at, ".git")}\n`);
        writeFileSync(join(at, "fake/commondir"), `${other}\n`);
      },
    ],
    ["linked objects", (at, other) => linked(at, other, "objects")],
    ["a linked log", (at, other) => linked(at, other, "logs")],
    [
      "a linked object",
      (at, other) => linked(at, other, "objects/56/26abf0f72e58d7a153368ba57db4c673c0e171"),
    ],
    [
      "borrowed objects",
      (at, other) => {
        git(at, "init", "-q");
        writeFileSync(join(at, ".git/objects/info/alternates"), `${join(other, "objects")}\n`);
      },
    ],
  ] as const satisfies readonly (readonly [string, (at: string, other: string) => void])[])(
    "not where another repository is shown, through %s",
    async (_what, lead) => {
      const other = repository();
      git(other, ...AUTHOR, "commit", "-q", "-m", "x");
      const at = realpathSync(mkdtempSync(join(tmpdir(), "indus-git-")));
      lead(at, join(other, ".git"));
      expect(await tried(at)).toMatch(/leads to|has a link in it|uses objects from another repository/);
    },
  );

  it("not through a linked folder, which git sees where it really is", async () => {
    const folder = repository();
    git(folder, "init", "-q", "deep/sub");
    git(join(folder, "deep/sub"), "config", "core.fsmonitor", "x");
    mkdirSync(join(folder, "deep/sub/in"));
    symlinkSync("deep/sub/in", join(folder, "link"));
    expect(await tried(join(folder, "link"))).toContain("core.fsmonitor");
  });

  it("not where a folder in its index has become a link, which `git grep` follows", async () => {
    const folder = repository();
    const other = repository();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub/a.txt"), "two\n");
    git(folder, "add", "sub");
    expect(await tried(folder)).toBeUndefined();
    rmSync(join(folder, "sub"), { recursive: true });
    symlinkSync(other, join(folder, "sub"));
    expect(git(folder, "grep", "one", "sub")).toBe("sub/a.txt:one\n");
    expect(await tried(folder)).toContain("sub is a folder in the repository's index, but a link on disk");
  });

  it("not with a hook that looking runs, others in it, or where there is no repository of its own", async () => {
    const hooked = repository();
    writeFileSync(join(hooked, ".git/hooks/post-index-change"), "");
    expect(await tried(hooked)).toContain("hook");
    const nested = repository();
    mkdirSync(join(nested, ".git/modules"));
    expect(await tried(nested)).toContain("submodules");
    const bare = join(repository(), "bare");
    mkdirSync(join(bare, "objects"), { recursive: true });
    writeFileSync(join(bare, "HEAD"), "ref: refs/heads/main\n");
    expect(await tried(bare)).toContain("looks like a bare repository");
    const far = repository();
    writeFileSync(join(bare, "config"), "[core]\n\tfsmonitor = x\n");
    mkdirSync(join(far, "w"));
    writeFileSync(join(far, "w", ".git"), `gitdir: ${bare}\n`);
    expect(await tried(join(far, "w"))).toContain("core.fsmonitor");
  });
});

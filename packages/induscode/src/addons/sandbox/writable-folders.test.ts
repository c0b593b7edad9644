// Folders outside of the workspace that an answer lets commands change: which, and what they never change there.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localShell, type Shell } from "indusagi/capabilities";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInstalled, lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { sandboxAt } from "../../../../../tests/support/test-levels.ts";
import { until } from "../../../../../tests/support/until.ts";
import type { OutsideFolder } from "../../feature/permission.ts";
import { confineCommands } from "./command-sandbox.ts";
import { type FolderBounds, judgedFolder, whyNotGranted } from "./granted-folders.ts";

const STRONG = sandboxAt("bubblewrap").strong();
const THERE = STRONG?.level === "bubblewrap";
let base: string;
let root: string;
let shared: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "indus-writable-")));
  root = join(base, "work");
  shared = join(base, "shared");
  for (const each of [
    "work/sub",
    "person/notes",
    "person/bin",
    "shared/inner",
    "keys",
    "tools/bin",
    "tools/lib",
  ])
    mkdirSync(join(base, each), { recursive: true });
  writeFileSync(join(shared, "a.txt"), "the shared text");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const bounds = (more: Partial<FolderBounds> = {}): FolderBounds => ({
  ...{ root, personHome: join(base, "person") },
  writing: { programs: `/usr/bin:${join(base, "tools/bin")}` },
  ...more,
});
const why = (name: string, given = bounds()): string | undefined =>
  whyNotGranted(join(base, name), given, true);

describe("a folder that an answer can let commands change", () => {
  it("is one from which nothing runs, and that no rule is about (twin: each can be read)", () => {
    execFileSync("git", ["init", "--bare", "-q", join(base, "bare")]);
    mkdirSync(join(base, "person/hooks/inner"), { recursive: true });
    writeFileSync(join(base, "person/.gitconfig"), "[core]\n\thooksPath = ~/hooks\n");
    expect([why("shared"), why("person/notes")]).toEqual([undefined, undefined]);
    for (const [name, words] of [
      ["tools", "runs outside"],
      ["tools/bin", "runs outside"],
      ["tools/lib", "runs outside"],
      ["person/bin", "runs outside"],
      ["person/hooks", "runs outside"],
      ["person/hooks/inner", "runs outside"],
      ["bare", "own folder"],
      ["bare/hooks", "own folder"],
      ["work/sub", "in the working directory"],
    ] as const) {
      expect([name, why(name)]).toEqual([name, expect.stringContaining(words)]);
      expect([name, whyNotGranted(join(base, name), bounds())]).toEqual([name, undefined]);
    }
    const refused = { programs: "", isRefused: (path: string) => path === shared };
    expect(why("shared", bounds({ writing: refused }))).toContain("a rule denies");
    expect(why("shared", bounds({ writing: undefined }))).toContain("change no files");
    for (const name of ["", "person", "work"]) expect(why(name)).toBeDefined();
  });

  it("is none to which something in the working directory leads that acts later (twin: nothing leads there)", () => {
    mkdirSync(join(root, ".claude"));
    symlinkSync("../../shared", join(root, ".claude/skills"));
    expect(why("shared")).toContain("makes it act later");
    rmSync(join(root, ".claude"), { recursive: true });
    expect(why("shared")).toBeUndefined();
  });
});

describe.skipIf(lacksLevel("bubblewrap", THERE))("a command in the sandbox that may change a folder", () => {
  interface Given {
    readonly once?: OutsideFolder;
    readonly always?: readonly OutsideFolder[];
    readonly before?: () => void;
    readonly write?: (path: string) => boolean;
    readonly isReadOnly?: boolean;
    readonly programs?: string;
    readonly keptAt?: Parameters<typeof confineCommands>[1]["keptAt"];
  }
  const confine = (given: Given): ReturnType<typeof confineCommands> => {
    if (STRONG === undefined) throw new Error("no bubblewrap");
    return confineCommands(STRONG, {
      ...{
        root,
        personHome: join(base, "person"),
        env: { PATH: `${process.env.PATH}:${given.programs ?? ""}` },
      },
      ...{ withhold: [], isWritable: !given.isReadOnly, network: "off", keptAt: given.keptAt },
      folders: () => given.always ?? [],
      refuses: given.write ? { write: given.write } : {},
    });
  };
  const exec = (shell: Shell, command: string): ReturnType<Shell["exec"]> =>
    shell.exec(command, { cwd: root, signal: new AbortController().signal, timeoutMs: 60_000 });
  const run = async (command: string, given: Given): ReturnType<Shell["exec"]> => {
    const confined = confine(given);
    try {
      const shell = given.once === undefined ? confined.shell : confined.shellAt(given.once);
      given.before?.();
      return await exec(shell, command);
    } finally {
      await confined.close();
    }
  };
  const judged = (path = shared): OutsideFolder => {
    const found = judgedFolder(path, bounds(), true);
    if (found === undefined) throw new Error("it is not granted");
    return found;
  };
  const always = (): readonly OutsideFolder[] => [{ path: shared, isWritable: true }];

  it("changes it and nothing next to it; another one does not", async () => {
    const command =
      "echo x > ../shared/new && mkdir ../shared/made && rm ../shared/a.txt && mv ../shared/new ../shared/old";
    expect((await run(command, { always: [{ path: shared }] })).note).toContain(
      "is outside of the working directory",
    );
    expect(readdirSync(shared).sort()).toEqual(["a.txt", "inner"]);
    expect((await run(command, { once: judged() })).code).toBe(0);
    expect(readdirSync(shared).sort()).toEqual(["inner", "made", "old"]);
    expect((await run("echo y > ../shared/old; touch ../keys/x", { always: always() })).code).not.toBe(0);
    expect([readFileSync(join(shared, "old"), "utf8"), readdirSync(join(base, "keys"))]).toEqual(["y\n", []]);
  });

  it.skipIf(lacks("git", isInstalled("git")))("commits to a repository there", async () => {
    execFileSync("git", ["init", "-q", shared]);
    const git = "git -C ../shared -c user.name=Ada -c user.email=ada@example.org";
    const { code, stderr } = await run(`${git} add -A && ${git} commit -qm words`, { once: judged() });
    expect([code, stderr]).toEqual([0, ""]);
    const log = execFileSync("git", ["-C", shared, "log", "--format=%s"], { encoding: "utf8" });
    expect(log).toBe("words\n");
  });

  it("is told that an answer can let it change the folder, and where none can, that the person may be asked", async () => {
    const { note } = await run("touch ../shared/new", { always: [{ path: shared }] });
    expect(note).toContain(`the person can let commands change ${shared}`);
    const readOnly = await run("touch ../shared/new", { always: [{ path: shared }], isReadOnly: true });
    expect(readOnly.note).toContain("the person may be asked");
  });

  const plant =
    "cd ../shared && echo evil >> .git/hooks/post-commit; echo evil >> .git/config; echo evil >> inner/.npmrc; echo '{}' > .mcp.json; mkdir .claude .vscode; echo fine > plain.json";
  const guarded = (): void => {
    execFileSync("git", ["init", "-q", shared]);
    writeFileSync(join(shared, ".git/hooks/post-commit"), "mine");
    writeFileSync(join(shared, "inner/.npmrc"), "mine");
  };
  const planted = (): readonly string[] => [
    ...[".mcp.json", ".claude", ".vscode"].filter((name) => existsSync(join(shared, name))),
    ...[".git/hooks/post-commit", ".git/config", "inner/.npmrc"].filter((name) =>
      readFileSync(join(shared, name), "utf8").includes("evil"),
    ),
  ];

  it("changes nothing there that acts later, also nothing that appears meanwhile (twin: unconfined, it does)", async () => {
    guarded();
    const { note } = await run(plant, { once: judged() });
    expect(planted()).toEqual([]);
    expect(readFileSync(join(shared, "plain.json"), "utf8")).toBe("fine\n");
    for (const name of [".mcp.json", ".claude", ".vscode"])
      expect(note).toContain(`${join(shared, name)} was moved to ${join(shared, "put-away-")}`);
    await exec(localShell(), plant);
    expect(planted()).toHaveLength(6);
  });

  it("is cleaned up after as a job, at the latest when the session ends", async () => {
    const confined = confine({ always: always() });
    const handle = confined.shell.spawn("echo '{}' > ../shared/.mcp.json; exec sleep 600", { cwd: root });
    await until(() => existsSync(join(shared, ".mcp.json")));
    await confined.close();
    handle.kill();
    expect(existsSync(join(shared, ".mcp.json"))).toBe(false);
  });

  it("keeps what a rule is about in it, and, where it lies in a folder that is only read, what acts later", async () => {
    const isKept = (path: string): boolean => path === join(shared, "inner");
    await run("echo evil > ../shared/inner/x; echo fine > ../shared/y", { always: always(), write: isKept });
    expect([existsSync(join(shared, "inner/x")), existsSync(join(shared, "y"))]).toEqual([false, true]);
    mkdirSync(join(shared, "inner/.git/hooks"), { recursive: true });
    const inner = { path: join(shared, "inner"), isWritable: true } as const;
    const command = "cd ../shared; echo evil > inner/.git/hooks/x; echo evil > z; echo fine > inner/x";
    await run(command, { always: [{ path: shared }, inner] });
    expect(["z", "inner/.git/hooks/x", "inner/x"].filter((name) => existsSync(join(shared, name)))).toEqual([
      "inner/x",
    ]);
  });

  it("reaches no program of the machine by a socket below it (twin: by one in the working directory)", async () => {
    const connect = `require("node:net").connect(process.argv[2]).on("data", (data) => console.log(String(data)))
      .on("error", (error) => console.log(error.code))`;
    writeFileSync(join(root, "connect.cjs"), connect);
    const answers = async (socket: string): Promise<string> => {
      const server = createServer((near) => near.end("an answer"));
      await new Promise<void>((done) => server.listen(join(base, socket), done));
      try {
        return (await run(`node connect.cjs ../${socket}`, { always: always() })).stdout.trim();
      } finally {
        await new Promise((done) => server.close(done));
      }
    };
    expect([await answers("shared/inner/s"), await answers("work/s")]).toEqual(["ECONNREFUSED", "an answer"]);
  });

  it("does not change what links of the working directory make act (twin: without the link it does)", async () => {
    mkdirSync(join(root, ".claude"));
    mkdirSync(join(shared, "skills"));
    symlinkSync("../../shared/skills", join(root, ".claude/skills"));
    symlinkSync("../../shared/cmds", join(root, ".claude/commands"));
    const command = "echo evil > ../shared/skills/x; mkdir ../shared/cmds; true";
    const made = (): readonly string[] =>
      ["skills/x", "cmds"].filter((name) => existsSync(join(shared, name)));
    await run(command, { always: always() });
    expect(made()).toEqual([]);
    rmSync(join(root, ".claude"), { recursive: true });
    await run(command, { always: always() });
    expect(made()).toEqual(["skills/x", "cmds"]);
  });

  it("does not start if another folder or a link took its place (twin: nothing did)", async () => {
    const was = judged();
    const exchange = (): void => {
      renameSync(shared, join(base, "before"));
      symlinkSync(join(base, "keys"), shared);
    };
    await expect(run("touch ../shared/new", { once: was, before: exchange })).rejects.toThrow("replaced");
    const { note } = await run("touch ../shared/new", { always: always() });
    expect(note).toContain(`commands do not read or change ${shared}, although an answer allows it`);
    expect(readdirSync(join(base, "keys"))).toEqual([]);
    rmSync(shared);
    renameSync(join(base, "before"), shared);
    expect((await run("touch ../shared/new", { once: was })).code).toBe(0);
  });

  it("changes no folder of programs, whatever an answer says (twin: it is not on the PATH)", async () => {
    const always = [{ path: join(base, "tools"), isWritable: true }] as const;
    const made = join(base, "tools/bin/evil");
    const { note } = await run("touch ../tools/bin/evil", { always, programs: join(base, "tools/bin") });
    expect([existsSync(made), note]).toEqual([false, expect.stringContaining("runs outside of the sandbox")]);
    await run("touch ../tools/bin/evil", { always });
    expect(existsSync(made)).toBe(true);
  });

  it("changes nothing with a sandbox that is read-only", async () => {
    await run("touch ../shared/new", { always: always(), isReadOnly: true });
    expect(existsSync(join(shared, "new"))).toBe(false);
  });

  it("is recorded for each folder that it may change while it runs, and for no other", async () => {
    const begun: string[] = [];
    const keptAt = (folder: string) => ({ begin: () => void begun.push(folder), end: () => undefined });
    await run("true", { keptAt });
    await run("true", { always: [{ path: shared }], keptAt });
    expect(begun).toEqual([root, root]);
    await run("true", { always: always(), keptAt });
    expect(begun).toEqual([root, root, root, shared]);
  });
});

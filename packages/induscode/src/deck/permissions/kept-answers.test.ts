import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { beforeEach, describe, expect, it } from "vitest";
import type { PermissionAnswer, PermissionQuestion } from "../../feature/permission.ts";
import type { Access } from "../../feature/tool.ts";
import type { KeptAnswer } from "../contract.ts";
import { prefixRule } from "./kept-answers.ts";
import { createPermissions, type Permissions } from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

const never = new AbortController().signal;
let root: string;
let elsewhere: string;

beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-kept-")));
  root = join(base, "ws");
  elsewhere = join(base, "other");
  for (const folder of [root, elsewhere]) mkdirSync(join(folder, ".git"), { recursive: true });
});

interface Given {
  readonly in?: string;
  readonly kept?: readonly KeptAnswer[];
  readonly answers?: PermissionAnswer[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

function rules(sources: readonly string[] = []): readonly PermissionRule[] {
  return sources.map((source) => parseRule(source) as PermissionRule);
}

function permissionsOf(given: Given) {
  const questions: PermissionQuestion[] = [];
  const stored: KeptAnswer[] = [];
  const permissions = createPermissions({
    policy: { mode: "acceptEdits", allow: [], ask: rules(given.ask), deny: rules(given.deny) },
    root: given.in ?? root,
    realPath: localFs().realPath,
    kept: {
      answers: given.kept ?? [],
      place: "/home/permissions.json",
      add: async (answer) => void stored.push(answer),
    },
    ask: async (question) => {
      questions.push(question);
      return given.answers?.shift() ?? { kind: "no" };
    },
  });
  return { permissions, questions, stored };
}

const run = (command: string, cwd = root): Access => ({ kind: "execute", command, cwd });

async function passes(permissions: Permissions, access: Access, tool = "bash"): Promise<boolean> {
  return (await permissions.check({ tool, accesses: [access] }, never)).kind === "allow";
}

async function offered(access: Access, tool = "bash", more: Given = {}) {
  const { permissions, questions } = permissionsOf(more);
  await passes(permissions, access, tool);
  return questions[0]?.keep;
}

const HERE: PermissionAnswer = { kind: "always", where: "here" };
const EVERYWHERE: PermissionAnswer = { kind: "always", where: "everywhere" };

describe("an answer is kept as it was shown", () => {
  it("always here: the very command, at once and in the next session of that folder, alone or in a line", async () => {
    const { permissions, questions, stored } = permissionsOf({ answers: [HERE] });
    expect(await passes(permissions, run("npm test"))).toBe(true);
    expect(await passes(permissions, run("npm test"))).toBe(true);
    expect([questions.length, questions[0]?.keep]).toEqual([
      1,
      { exact: "bash(npm test)", prefix: "npm test *", folder: root },
    ]);
    const next = permissionsOf({ kept: stored }).permissions;
    expect(await passes(next, run("npm test && ls; pwd | wc -l"))).toBe(true);
    expect((await next.explain({ tool: "bash", accesses: [run("npm test")] })).rulings).toMatchObject([
      { rule: "bash(npm test)", layer: "folder", place: "/home/permissions.json" },
    ]);
    for (const wider of ["npm test -- -u", "npm tests", "npm", "npm test > out; make"])
      expect([wider, await passes(next, run(wider))]).toEqual([wider, false]);
    // the twin of another folder
    expect(
      await passes(permissionsOf({ kept: stored, in: elsewhere }).permissions, run("npm test", elsewhere)),
    ).toBe(false);
  });

  it("always everywhere: the same in another folder, and in no folder below it", async () => {
    const { permissions, stored } = permissionsOf({ answers: [EVERYWHERE] });
    await passes(permissions, run("make lint"));
    const next = permissionsOf({ kept: stored, in: elsewhere }).permissions;
    expect(await passes(next, run("make lint", elsewhere))).toBe(true);
    expect(await passes(next, run("make lint", join(elsewhere, ".git")))).toBe(false);
  });

  it("a prefix that the person wrote: commands that begin so, and none of the options that make another of it", async () => {
    const { permissions, stored } = permissionsOf({ answers: [{ ...HERE, pattern: "npm run build *" }] });
    expect(await passes(permissions, run("npm run build -- --watch"))).toBe(true);
    expect(stored).toEqual([{ folder: root, rule: "bash(npm run build *)" }]);
    expect(await passes(permissions, run("npm run build:all"))).toBe(false);
    expect(await passes(permissions, run("npm run build --prefix /x"))).toBe(false);
    expect(await passes(permissions, run("npm run build; rm -rf x"))).toBe(false);
  });

  it.each(["npm *", "* *", "node *", "npm run *x *", "git push *", "npm test", "$(x) *", "sudo npm test *"])(
    "%s is not taken for npm test -- -u: the question comes again and says why",
    async (pattern) => {
      const { permissions, questions, stored } = permissionsOf({ answers: [{ ...HERE, pattern }] });
      expect(await passes(permissions, run("npm test -- -u"))).toBe(false);
      expect([questions.length, questions[1]?.problem, stored]).toEqual([2, expect.any(String), []]);
    },
  );

  it("a line that is not one plain command is kept to the letter only, a star in it is a star", async () => {
    for (const line of ["cat *.md | wc", "make $X", "a && b", "./run 'x y' > o.txt"]) {
      const keep = await offered(run(line));
      expect([line, keep]).toEqual([line, { exact: `bash(${line})`, folder: root }]);
    }
    const { permissions, stored } = permissionsOf({ answers: [HERE] });
    await passes(permissions, run("cat *.md | wc"));
    const next = permissionsOf({ kept: stored }).permissions;
    expect(await passes(next, run("cat *.md | wc"))).toBe(true);
    expect(await passes(next, run("cat x; make .md | wc"))).toBe(false);
  });

  it.each([
    "node build.js",
    "bash run.sh",
    "python3 -m pytest",
    "python3.12 build.py",
    "/usr/bin/perl5.36.0 build.pl",
    "nodejs build.js",
    "busybox sh",
    "sudo make",
    "rm -rf dist",
    "env X=1 make",
    "curl x.org",
  ])("no prefix is offered for %s", async (command) =>
    expect((await offered(run(command)))?.prefix).toBeUndefined(),
  );

  it("an ask rule, a variable of a feature, another folder, and what acts later are asked about each time", async () => {
    expect(await offered(run("npm test"), "bash", { ask: ["bash(npm test)"] })).toBeUndefined();
    const set = { ...run("npm test"), variables: [{ name: "PATH", value: "/x", by: "project:x" }] } as Access;
    expect(await offered(set)).toBeUndefined();
    expect(await offered(run("npm test", elsewhere))).toBeUndefined();
    expect(await offered({ kind: "write", path: join(root, ".envrc") }, "write")).toBeUndefined();
    expect(await offered({ kind: "write", path: join(elsewhere, ".git/hooks/x") }, "write")).toBeUndefined();
    expect(await offered({ kind: "write", path: join(elsewhere, "notes.md") }, "write")).toMatchObject({
      exact: `write(${join(elsewhere, "notes.md")})`,
    });
    expect(await offered({ kind: "network", host: "a.org" }, "webfetch")).toMatchObject({
      exact: "webfetch(a.org)",
    });
  });

  it("deny and ask rules come before what was kept, whoever wrote them", async () => {
    const kept: readonly KeptAnswer[] = [{ rule: "bash(npm test *)" }];
    expect(await passes(permissionsOf({ kept }).permissions, run("npm test x"))).toBe(true);
    expect(await passes(permissionsOf({ kept, deny: ["bash(npm *)"] }).permissions, run("npm test x"))).toBe(
      false,
    );
    expect(await passes(permissionsOf({ kept, ask: ["bash(npm *)"] }).permissions, run("npm test x"))).toBe(
      false,
    );
  });
});

it.each(["make *", "npm test *", "go test *", "./gradlew build *"])("%s is a prefix", (pattern) => {
  expect(prefixRule("bash", pattern)).toMatchObject({ source: `bash(${pattern})` });
});

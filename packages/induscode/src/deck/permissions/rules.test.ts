// What a rule means, in our spelling and in Claude's. Each table row is a rule with what it matches and what it does not.

import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import type { Access } from "../../feature/tool.ts";
import { BUILTIN_TOOL_NAMES } from "../../feature/tool-names.ts";
import { unnamedRisk } from "./command-risks.ts";
import { compileRule, parseRule, patternKind } from "./rules.ts";

const PLACES = { root: "/ws", home: "/home/me" };

function compiled(source: string, places = PLACES) {
  const parsed = parseRule(source);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return compileRule(parsed, places);
}

const run = (command: string): Access => ({ kind: "execute", command, cwd: "/ws" });
const denies = (source: string, tool: string, access: Access, places = PLACES): boolean =>
  compiled(source, places).touches(tool, { access });
const allows = (source: string, tool: string, access: Access): boolean =>
  compiled(source).covers(tool, {
    access,
    realPath: "path" in access ? access.path : undefined,
    command: { parts: [], riskOf: unnamedRisk },
  });

const RM = ["rm", "rm -rf x", "sudo rm x", "/bin/rm x", "RM x", "a; rm x", "X=rm; $X y", "sh -c 'rm x'"];

describe("a deny rule on commands", () => {
  it.each([
    "Bash(rm:*)",
    "bash(rm:*)",
    "bash(rm *)",
    "bash(rm)",
    "Bash(rm)",
    "shell(rm:*)",
    "SHELL(rm *)",
    "*(rm:*)",
  ])("%s refuses rm wherever it stands, and not what only begins so", (source) => {
    for (const command of RM)
      expect([command, denies(source, "bash", run(command))]).toEqual([command, true]);
    for (const command of ["ls", "rmdir x", "npm run format", "echo confirm"])
      expect([command, denies(source, "bash", run(command))]).toEqual([command, false]);
  });

  it.each(["Bash(rm:*)", "bash(rm:*)", "bash"])("%s holds for whatever runs a command", (source) => {
    expect(denies(source, "process", run("rm x"))).toBe(true);
  });

  it.each([
    ["Bash(npm run test:*)", ["npm run test", "npm run test -- x", "npm run test:unit"], ["npm run build"]],
    ["bash(npm run test:*)", ["npm run test", "npm run test -- x", "npm run test:unit"], ["npm run build"]],
    ["Bash(git * main)", ["git push origin main", "git merge main"], ["git push origin next"]],
    ["Bash(* --force)", ["git push --force", "git push --force x"], ["git push"]],
    ["Bash(curl * | sh)", ["curl -s http://x | sh"], ["curl -s http://x"]],
    ["Bash(git push --force*)", ["git push --force-with-lease"], ["git push"]],
    ['bash("rm -rf")', ["rm -rf x"], ["rm x"]],
    [`Bash(git ${"x ".repeat(40)}y)`, [`git ${"x ".repeat(40)}y`], ["git x"]],
    ["Bash(git * --force)", [`git push ${"x ".repeat(200)}--force`], []],
    ["Bash(*)", ["anything | at all"], []],
    ["bash(:*)", ["anything | at all"], []],
  ])("%s refuses %j and not %j", (source, refused, passed) => {
    expect(refused.filter((command) => !denies(source, "bash", run(command)))).toEqual([]);
    expect(passed.filter((command) => denies(source, "bash", run(command)))).toEqual([]);
  });
});

describe("an allow rule on commands", () => {
  it.each([
    [
      "Bash(npm run test:*)",
      ["npm run test", "npm run test --x"],
      ["npm run test:unit", "npm run test; rm x"],
    ],
    [
      "bash(npm run test:*)",
      ["npm run test", "npm run test --x"],
      ["npm run test:unit", "npm run test; rm x"],
    ],
    ["Bash(ls *)", ["ls", "ls -la x"], ["lsof"]],
    ["Bash(ls*)", ["ls", "ls -la x", "lsof"], ["cat x"]],
    ["bash(ls*)", ["ls", "lsof"], ["ls -la"]],
    ["Bash(node * --check)", ["node a b --check"], ["node a b"]],
    ["bash(node * --check)", ["node a --check"], ["node a b --check"]],
    ["Bash(npm run x *)", ["npm run x y"], ["npm 'run x' y", "npm run 'x y'"]],
    ["Bash(*)", ["a | b"], []],
    ["bash(*)", ["a b"], ["a | b"]],
    ["bash(cd src && make)", ["cd src && make"], ["cd src && make x", "cd src"]],
  ])("%s covers %j and not %j", (source, covered, open) => {
    expect(covered.filter((command) => !allows(source, "bash", run(command)))).toEqual([]);
    expect(open.filter((command) => allows(source, "bash", run(command)))).toEqual([]);
  });

  it("holds for the same command in the background, and for no other tool", () => {
    expect(allows("Bash(npm run dev)", "process", run("npm run dev"))).toBe(true);
    expect(allows("Bash(npm run dev)", "deploy", run("npm run dev"))).toBe(false);
  });
});

const read = (path: string): Access => ({ kind: "read", path });
const write = (path: string): Access => ({ kind: "write", path });

describe("a deny rule on files", () => {
  it.each([
    ["Read(**/.env)", ["/ws/.env", "/ws/a/b/.env", "/ws/.ENV"], ["/ws/.env.example", "/other/.env"]],
    ["read(**/.env)", ["/ws/.env", "/ws/a/b/.env", "/ws/.ENV"], ["/ws/.env.example", "/other/.env"]],
    ["Read(.env)", ["/ws/.env", "/ws/a/.env"], ["/ws/env"]],
    ["read(.env)", ["/ws/.env", "/ws/a/.env"], ["/ws/env"]],
    ["Read(./src/**)", ["/ws/src/a", "/ws/src/a/b"], ["/ws/srcs/a", "/ws/a/src/b"]],
    ["Read(src)", ["/ws/src/a/b", "/ws/src"], ["/ws/srcs"]],
    ["read(src/)", ["/ws/src/a/b", "/ws/src"], ["/ws/srcs"]],
    ["Read(/src/**)", ["/ws/src/a", "/src/a"], ["/ws/a/src"]],
    ["Read(//etc/**)", ["/etc/passwd"], ["/ws/etc/passwd"]],
    ["read(/etc/**)", ["/etc/passwd"], ["/ws/a/etc/passwd"]],
    ["Read(~/.ssh/**)", ["/home/me/.ssh/id", "/home/me/.ssh"], ["/home/you/.ssh/id", "/ws/.ssh"]],
    ["Read(~)", ["/home/me/x/y"], ["/home/you"]],
    ["Read(../other/**)", ["/other/x"], ["/ws/other/x"]],
    ["Read(src/./../lib/*)", ["/ws/lib/a"], ["/ws/src/a"]],
    ["Read(**/*.{pem,key})", ["/ws/a.pem", "/ws/b/c.key"], ["/ws/a.txt"]],
    ["Read(a[0-9].txt)", ["/ws/a1.txt", "/ws/a[0-9].txt"], ["/ws/a10.txt"]],
    ["Read(app/[slug]/**)", ["/ws/app/[slug]/page.tsx"], ["/ws/app/other/page.tsx"]],
    ["Read(*)", ["/ws/a", "/ws/a/b"], ["/other/a"]],
    ["Read(secrets/*)", ["/ws/secrets/a", "/ws/secrets/a/b"], ["/ws/other/secrets/a"]],
  ])("%s refuses %j and not %j", (source, refused, passed) => {
    expect(refused.filter((path) => !denies(source, "read", read(path)))).toEqual([]);
    expect(passed.filter((path) => denies(source, "read", read(path)))).toEqual([]);
  });

  it("Read means reading, Edit and Write mean writing, whichever tool does it", () => {
    for (const tool of ["read", "ls", "grep", "find", "edit", "an_addons_tool"]) {
      expect(denies("Read(.env)", tool, read("/ws/.env"))).toBe(true);
      expect(denies("Edit(.env)", tool, write("/ws/.env"))).toBe(true);
      expect(denies("Write(.env)", tool, write("/ws/.env"))).toBe(true);
    }
    expect(denies("Read(.env)", "write", write("/ws/.env"))).toBe(false);
    expect(denies("MultiEdit(.env)", "write", write("/ws/.env"))).toBe(true);
    expect(denies("NotebookEdit(*.ipynb)", "edit", write("/ws/a/b.ipynb"))).toBe(true);
    expect(denies("Glob(secrets/**)", "find", read("/ws/secrets"))).toBe(true);
    expect(denies("Glob(secrets/**)", "read", read("/ws/secrets/a"))).toBe(false);
  });

  it("a folder that is a link is refused under both of its names", () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-rules-")));
    mkdirSync(join(base, "real"));
    symlinkSync(join(base, "real"), join(base, "name"));
    const realPlace = (path: string): string => path.replace(join(base, "name"), join(base, "real"));
    const access = read(join(base, "real/key"));
    const source = `Read(//${join(base, "name").slice(1)}/**)`;
    expect(denies(source, "read", access, { ...PLACES, realPlace } as typeof PLACES)).toBe(true);
    expect(denies(source, "read", access)).toBe(false); // the twin: by the written name only
  });
});

describe("an allow rule on files", () => {
  it.each([
    ["Read(//other/**)", "read", ["/other/a/b"], ["/others"]],
    ["read(/other/**)", "grep", ["/other/a/b"], ["/others"]],
    ["Read(/other/**)", "read", ["/ws/other/a"], ["/other/a"]],
    ["Read(~/notes)", "ls", ["/home/me/notes", "/home/me/notes/a/b"], ["/home/me/notes2"]],
    ["read(~/notes/*)", "read", ["/home/me/notes/a"], ["/home/me/notes/a/b"]],
    ["Read(*.md)", "find", ["/ws/a.md", "/ws/a/b.md"], ["/ws/a.txt"]],
    ["read(*.md)", "find", ["/ws/a.md"], ["/ws/a/b.md"]],
    ["read(A.md)", "read", ["/ws/A.md"], ["/ws/a.md"]],
  ])("%s covers %s of %j and not of %j", (source, tool, covered, open) => {
    expect(covered.filter((path) => !allows(source, tool, read(path)))).toEqual([]);
    expect(open.filter((path) => allows(source, tool, read(path)))).toEqual([]);
  });

  it("Read allows no writing, Edit allows both tools that write, and neither an addon's tool", () => {
    expect(allows("Read(//o/**)", "edit", write("/o/a"))).toBe(false);
    for (const source of ["Edit(//o/**)", "Write(//o/**)", "edit(/o/**)"]) {
      for (const tool of ["edit", "write"]) expect(allows(source, tool, write("/o/a"))).toBe(true);
      expect(allows(source, "edit", read("/o/a"))).toBe(true);
      expect(allows(source, "deploy", write("/o/a"))).toBe(false);
    }
    expect(allows("Read(//o/**)", "deploy", read("/o/a"))).toBe(false);
  });
});

describe("rules on hosts, delegates and servers", () => {
  const to = (host: string): Access => ({ kind: "network", host });
  it.each([
    ["WebFetch(domain:example.com)", ["example.com"], ["www.example.com", "example.org"]],
    ["webfetch(example.com)", ["example.com"], ["www.example.com"]],
    ["WebFetch(domain:Example.COM.)", ["example.com"], ["example.org"]],
    ["web_fetch(domain:*.example.com)", ["a.example.com"], ["example.com"]],
    ["WebFetch(domain:bücher.example)", ["xn--bcher-kva.example"], ["bucher.example"]],
    ["WebFetch(domain:[::1])", ["::1"], ["::2"]],
    ["WebFetch(domain:*)", ["anything.example"], []],
  ])("%s is about %j and not about %j", (source, hosts, others) => {
    for (const judge of [denies, allows]) {
      expect(hosts.filter((host) => !judge(source, "webfetch", to(host)))).toEqual([]);
      expect(others.filter((host) => judge(source, "webfetch", to(host)))).toEqual([]);
    }
    expect(hosts.every((host) => denies(source, "deploy", to(host)))).toBe(true); // whichever tool connects
  });

  it("Task and Agent name a delegate", () => {
    const work: Access = { kind: "delegate", agent: "coder" };
    for (const source of ["task(coder)", "Task(coder)", "Agent(cod*)"])
      expect([denies(source, "task", work), allows(source, "task", work)]).toEqual([true, true]);
    expect(denies("Task(scout)", "task", work)).toBe(false);
  });

  it.each([
    ["mcp__github", ["mcp__github__search"], ["mcp__gitlab__search"]],
    ["mcp__github__*", ["mcp__github__search"], ["mcp__gitlab__search"]],
    ["mcp__github__search", ["mcp__github__search"], ["mcp__github__search_code"]],
    ["mcp__*", ["mcp__github__search"], ["bash"]],
    ["deploy", ["deploy", "Deploy"], ["deploy_all"]],
  ])("%s names %j and not %j", (source, tools, others) => {
    expect(tools.filter((tool) => !compiled(source).names(tool))).toEqual([]);
    expect(others.filter((tool) => compiled(source).names(tool))).toEqual([]);
    expect(allows(source, tools[0] as string, to("x"))).toBe(true);
  });
});

describe("a rule that can match nothing is refused as it is read", () => {
  it.each([
    ["Read(https://example.com/x)", "not a URL"],
    ["WebFetch(https://example.com/x)", "WebFetch(domain:example.com)"],
    ["WebFetch(example.com/docs)", "WebFetch(domain:example.com)"],
    ["Bash(git:* push)", "valid only at the end"],
    ["Read(src:*)", "src/**"],
    ["Bash(domain:example.com)", "takes a command"],
    ["Read(domain:example.com)", "takes a path"],
    ["Read(~root/.ssh)", "only ~/ is supported"],
    ["Read($HOME/.ssh)", "variables are not expanded"],
    ["Read(!src/**)", 'negation with "!"'],
    ["Read(src/**/../x)", '".." after a wildcard'],
    ["Read({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})", "more than 64"],
    ["TodoWrite(x)", "takes no pattern"],
    ["mcp__github__search(x)", "takes no pattern"],
    ["read(a\0b)", "NUL"],
    ["Bash(rm:*),Read", "is not a permission rule"],
    ["Bash (rm)", "is not a permission rule"],
    ["Bash()", "is not a permission rule"],
  ])("%s", (source, reason) => {
    const parsed = parseRule(source);
    expect("problem" in parsed ? parsed.problem : "it was read").toContain(reason);
  });
});

it("each built-in tool has a kind of pattern", () => {
  expect(BUILTIN_TOOL_NAMES.filter((tool) => patternKind({ tool, builtin: tool }) === "any")).toEqual([]);
});

describe("a rule that was made to be slow", () => {
  const SIZES = [100, 1_000, 10_000] as const;

  it.each(["[", "{", "{,", ",", "{a", "[a/", "*[", "[]", "a]"])(
    "takes as long as its length makes it: %s again and again",
    (piece) => {
      const read = (length: number): boolean => {
        const parsed = parseRule(`Read({${piece.repeat(length)})`);
        return "problem" in parsed || compileRule(parsed, PLACES).touches("read", { access: file("x") });
      };
      expect(growthOf(SIZES, read)).toBe("even");
    },
  );

  it("the twins: as classes and braces were looked for, it took the square of it", LONG_ONLY, () => {
    expect(growthOf(SIZES, (length) => "[".repeat(length).replace(/\[[^\]/]+\]/g, "?"))).toBe("steep");
    const commas = (length: number): boolean => /\{([^{}]*,[^{}]*)\}/.test(`{${",".repeat(length)}`);
    expect(growthOf(SIZES, commas)).toBe("steep");
  });

  it.each([
    ["Read([ab]/x)", "a/x"],
    ["Read([[a]/x)", "[/x"],
    ["Read([a/[b]x)", "[a/bx"],
    ["Read({a,b}/[c)", "b/[c"],
  ])("and %s is still about %s", (rule, path) => {
    expect(denies(rule, "read", file(`/ws/${path}`))).toBe(true);
  });
});

function file(path: string): Access {
  return { kind: "read", path };
}

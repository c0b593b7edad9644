// What a refusal tells a person to write is accepted where rules are checked, and lets the call pass.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, localFs, textResult } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import type { Access, ToolContribution } from "../../feature/tool.ts";
import { toolsOf } from "../builtins/tools.ts";
import { ruleProblem } from "./check-rules.ts";
import type { PermissionRequest } from "./decision-types.ts";
import { createPermissions } from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-how-")));
mkdirSync(join(root, "sub"));
const never = new AbortController().signal;
const LEAVES = { leaving: { canStay: true, beside: () => 0 } };

const tool = (name: string, accesses: readonly Access[]): ToolContribution => ({
  tool: defineTool({
    name,
    description: "",
    parameters: { type: "object" },
    run: async () => textResult(""),
  }),
  accesses: () => accesses,
});

const run = (command: string, cwd = root): Access => ({ kind: "execute", command, cwd });
const reach = (host: string): Access => ({ kind: "network", host });
const HOSTS = [reach("a.example.com"), reach("b.example.com")];
const FILES: readonly Access[] = [
  { kind: "read", path: "/etc" },
  { kind: "write", path: "/opt" },
];
const ADDONS = [
  tool("deploy", HOSTS),
  tool("mcp__net__go", [reach("example.com")]),
  tool("mcp__net__copy", [...FILES, ...HOSTS]),
  tool("mcp__net__run", [run("*")]),
];
const SUBJECTS = {
  tools: [
    ...(["files", "search", "shell", "planning", "web"] as const).flatMap((group) => toolsOf(group)),
    tool("task", []),
    ...ADDONS,
  ],
  addonTools: new Set(ADDONS.map((each) => each.tool.name)),
  delegates: ["coder"],
  root,
};

type Call = Pick<PermissionRequest, "tool" | "accesses" | "leaving">;

const COMMANDS = [
  "make",
  "make; cat x | tee y",
  "make 'a b' (x",
  "make a:*",
  "make ",
  "make\n  install",
  "npm test > log",
  `make ${"word ".repeat(1_000)}`,
  "make *.c",
  "outside",
];
const PLACES = ["/opt/a.txt", "/opt/a (b).txt", "/opt/a [1]*{b,c}.txt", "/opt/blank ", "/opt/ä\n", "/opt/!x"];

const CALLS: readonly (readonly [string, Call])[] = [
  ...COMMANDS.flatMap((command): readonly (readonly [string, Call])[] => [
    [`bash ${command}`, { tool: "bash", accesses: [run(command)] }],
    [`process ${command}`, { tool: "process", accesses: [run(command)] }],
    [`outside ${command}`, { tool: "bash", accesses: [run(command)], ...LEAVES }],
  ]),
  ["bash elsewhere", { tool: "bash", accesses: [run("make", join(root, "sub"))] }],
  ["outside elsewhere", { tool: "bash", accesses: [run("make", join(root, "sub"))], ...LEAVES }],
  ...PLACES.flatMap((path): readonly (readonly [string, Call])[] =>
    (["read", "ls", "write", "edit"] as const).map((name) => {
      const kind = name === "read" || name === "ls" ? "read" : "write";
      return [`${name} ${path}`, { tool: name, accesses: [{ kind, path }] }];
    }),
  ),
  ...["example.com", "::1", "unknown", "xn--bcher-kva.example"].map(
    (host) => [`webfetch ${host}`, { tool: "webfetch", accesses: [reach(host)] }] as const,
  ),
  ...ADDONS.map(
    (each) => [each.tool.name, { tool: each.tool.name, accesses: each.accesses({}, root) }] as const,
  ),
];

function permissionsWith(allow: readonly PermissionRule[]) {
  return createPermissions({
    policy: { mode: "acceptEdits", allow, ask: [], deny: [] },
    ...{ root, home: "/home/nobody", realPath: localFs().realPath, files: localFs() },
  });
}

/** The rules that a shell makes of the advice. */
function advised(change: string): readonly string[] {
  const flags =
    /Start with (--allow [\s\S]*?)(?: or --permission-mode bypass)? to permit it\./.exec(change)?.[1] ?? "";
  const bare = /or with --allow (\w+)/.exec(change)?.[1];
  if (flags === "") return bare === undefined ? [] : [bare];
  const { stdout } = spawnSync("bash", ["-c", `printf '%s\\0' ${flags}`], { encoding: "utf8" });
  return stdout.split("\0").filter((word) => word !== "" && word !== "--allow");
}

describe("a rule that is advised", () => {
  it.each(CALLS)("is accepted and lets it pass: %s", async (_what, call) => {
    const { outcome, change = "" } = await permissionsWith([]).explain(call);
    expect([outcome, change]).toEqual(["ask", expect.stringMatching(/\S/)]);
    const sources = advised(change);
    if (sources.length === 0) expect(change).toMatch(/bypass,? to permit it\.$/);
    const rules = sources.map((source) => {
      const rule = parseRule(source);
      if ("problem" in rule) throw new Error(rule.problem);
      expect(ruleProblem(rule, "allow", SUBJECTS)).toBeUndefined();
      return rule;
    });
    const { kind } = await permissionsWith(rules).check(call, never);
    expect(kind).toBe(sources.length === 0 ? "refuse" : "allow");
  });

  it("is missing only where no rule can name the call, or would permit more", async () => {
    for (const [what, call] of CALLS) {
      const { change = "" } = await permissionsWith([]).explain(call);
      const isUnnamed = /(?:bash|process|outside) .*[*]|word word|blank|\n$/.test(what);
      expect([what, advised(change).length === 0]).toEqual([what, isUnnamed]);
    }
  });

  it("the twin: a pattern for a tool that takes none is refused where rules are checked", () => {
    expect(parseRule("mcp__net__go(example.com)")).toEqual({
      problem: expect.stringContaining("this tool takes no pattern"),
    });
  });
});

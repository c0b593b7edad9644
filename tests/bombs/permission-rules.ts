// Rules of a repository's settings, held against calls; and commands of the model, held against a person's rules.

import { proxyTarget } from "../../packages/induscode/src/addons/sandbox/hosts/host-reach.ts";
import { conditionHolds } from "../../packages/induscode/src/addons/source/gate-condition.ts";
import { createGateEffort } from "../../packages/induscode/src/addons/source/gate-effort.ts";
import { ruleProblem } from "../../packages/induscode/src/deck/permissions/check-rules.ts";
import { unnamedRisk } from "../../packages/induscode/src/deck/permissions/command-risks.ts";
import { compileRule, parseRule } from "../../packages/induscode/src/deck/permissions/rules.ts";
import { looksOf } from "../../packages/induscode/src/deck/shell/harmless.ts";
import { MAX_LINE_CHARS, readCommand } from "../../packages/induscode/src/deck/shell/read-command.ts";
import { NotAsked } from "../../packages/induscode/src/feature/dispatch/time-budget.ts";
import type { Access, ToolContribution } from "../../packages/induscode/src/feature/tool.ts";
import { protectedBelow } from "../../packages/induscode/src/store/protected-names.ts";
import { type Bombs, each, MANY, noises, RUNS, rows, run } from "./make.ts";
import { ofTexts, type Parser } from "./parser.ts";

const PLACES = { root: "/w", home: "/home/a", realPlace: (path: string): string => path };
const tool = (name: string): ToolContribution => ({ tool: { name } }) as unknown as ToolContribution;
const SUBJECTS = {
  tools: ["bash", "read", "edit", "webfetch", "task"].map(tool),
  addonTools: new Set<string>(),
  delegates: ["reviewer"],
  root: "/w",
};
const ACCESSES: readonly (readonly [string, Access])[] = [
  ["bash", { kind: "execute", command: "git diff --stat", cwd: "/w" }],
  ["bash", { kind: "execute", command: `npm ${"run ".repeat(1_000)}`, cwd: "/w" }],
  ["read", { kind: "read", path: "/w/a/b/c" } as Access],
  ["edit", { kind: "write", path: `/w/${"a/".repeat(1_000)}b` } as Access],
  ["webfetch", { kind: "network", host: "a.example" }],
  ["task", { kind: "delegate", agent: "reviewer" }],
];

function judge(source: string, accesses: readonly (readonly [string, Access])[] = ACCESSES): unknown {
  const rule = parseRule(source);
  if ("problem" in rule) return rule.problem.slice(0, 200) + rule.problem.slice(source.length);
  const said = ruleProblem(rule, "deny", SUBJECTS)?.text ?? "";
  const compiled = compileRule(rule, PLACES);
  for (const [name, access] of accesses) {
    const realPath = "path" in access ? { realPath: access.path } : {};
    compiled.touches(name, { access, ...realPath });
    const resolved = { access, ...realPath, command: { parts: [], riskOf: unnamedRisk } };
    compiled.covers(name, resolved);
    compiled.risk(name, resolved);
  }
  return said.slice(source.length);
}

const PATTERNS: Bombs = {
  ...RUNS,
  "stars between letters": () => run("*a"),
  "stars between words": () => run("* a "),
  "folders of any depth": () => run("**/"),
  "a name below folders of any depth": () => `${run("**/a/", 4_000)}b`,
  alternatives: () => run("{a,b}"),
  "a wide alternative": () => `{${run("a,")}b}`,
  "alternatives in alternatives": () => `${run("{a,")}b${run("}")}`,
  "alternatives without end": () => run("{a,"),
  "classes without end": () => run("[a"),
  "classes and folders": () => run("[a/"),
  "folders above": () => run("../"),
  "folders as they are": () => run("./"),
  "variables in front": () => run("$a"),
  "closed and blank": () => `a)${run(" ")}b`,
  "closed again and again": () => run(") "),
  "rules in a rule": () => run("a),b("),
  "a command of options": () => run("-a=b* "),
  "an option of equals signs": () => `git -${run("=")}*`,
  "a command of quotes": () => run(`"a" 'b' `),
  "a host of dots": () => `domain:${run("a.")}`,
  "a host of another alphabet": () => `domain:${run("ü")}`,
  "an address": () => `https://${run("a/")}`,
  "stars at the end": () => `a${run(":*")}`,
  ...noises("(){}[]*?/,:.-=ab \\\"'", 10),
};
const TOOLS = ["bash", "Bash", "read", "Edit", "webfetch", "task", "*", "mcp__a"];

const isLong = process.env.INDUS_TESTS === "all";
const COMMANDS: Bombs = {
  ...RUNS,
  ...each(RUNS, (text) => `npm run ${text}`, "behind a program: "),
  operators: () => run("a;b|c&&d "),
  substitutions: () => run("$("),
  "closed substitutions": () => `${run("$(", 100_000)}a${run(")", 100_000)}`,
  redirections: () => run("<a>b "),
  "redirections with numbers": () => run("2>&1 "),
  "less-than signs and blanks": () => run("< "),
  continuations: () => run("\\\n"),
  "the rule again and again": () => run("rm -rf / "),
  "the rule's beginning": () => run("rm -"),
  "a word that goes on": () => `rm${run("-")}`,
  assignments: () => run("A=b "),
  "words in quotes": () => run("'a' \"b\" "),
  "here documents": () => run("<<A\n"),
  "options of git": () => `git ${run("-c a=b ")}`,
  "a script of sed": () => `sed s/${run("a")}/${run("b")}/g`,
  "a script of sed without end": () => `sed s/${run("a")}`,
  "many words": () => rows(MANY, (at) => `a${at}`, " "),
  ...noises(";|&<>(){}$`\"'\\ \nabrm-=", 10),
};
const RULES = [
  "bash(rm -rf *)",
  "Bash(git push:*)",
  "bash(npm run *)",
  "Bash(a * b * c)",
  "bash(sed *)",
  "bash($(a) *)",
];

function judgeCommand(command: string): unknown {
  const access: Access = { kind: "execute", command, cwd: "/w" };
  const rules = isLong ? RULES : RULES.slice(0, 3);
  for (const rule of rules) judge(rule, [["bash", access]]);
  return undefined;
}

const PATHS: Bombs = each({ ...RUNS, ...noises("./\\~ ab*[]{}", 25) }, (text) => `/w/${text}`);

function judgePath(path: string): unknown {
  protectedBelow("/w", path);
  for (const rule of ["read(**/.env)", "Edit(src/**)", "edit(/w/*a*/**/b)", "Read(//etc/**)"])
    judge(rule, [["edit", { kind: "write", path } as Access]]);
  return undefined;
}

/** A rule of a data gate may be as long as a manifest lets it, and the text as long as a call. */
function judgeGate(text: string): unknown {
  const effort = createGateEffort();
  const rules = [text.slice(0, 128), `*${"a".repeat(126)}`, "*a*b*c?"];
  try {
    for (let at = 0; at < 50; at++)
      conditionHolds(
        { argument: "command", glob: rules, startsWith: [], contains: [] },
        { command: text },
        effort,
      );
    return undefined;
  } catch (error) {
    if (error instanceof NotAsked) return error.message;
    throw error;
  }
}

/** As long as a line is read, and longer. */
const LINES: Bombs = {
  ...each(COMMANDS, (text) => text.slice(0, MAX_LINE_CHARS)),
  ...each(RUNS, (text) => text, "longer than is read: "),
  ...each(
    {
      subshells: () => run("("),
      groups: () => run("{ "),
      "substitutions in quotes": () => run('"$('),
      "backquotes in backquotes": () => run("`\\`"),
      "defaults in defaults": () => run("${a:-"),
      "documents without end": () => run("<<a "),
      "branches without end": () => run("if a; then "),
      "loops in loops": () => run("for a in b; do "),
      "words of a loop in a loop": () => run("for a in b c d e f g h; do "),
      "functions of functions": () => run("f() { "),
      "wrappers of wrappers": () => run("env timeout 5 nice "),
      "shells of shells": () => run('sh -c "'),
      "evals of evals": () => run("eval "),
      "variables that grow": () => `a=b; ${run('a="$a$a"; ')}`,
      folders: () => run("cd a; "),
      "folders in branches": () => run("cd a || cd b || "),
      "many commands": () => run("a;"),
    },
    (text) => text.slice(0, MAX_LINE_CHARS),
  ),
};

function judgeLine(line: string): unknown {
  const { parts, unclear } = readCommand(line, { cwd: "/w", home: "/home/a" });
  for (const part of parts) looksOf(part);
  const riskOf = unnamedRisk;
  const facts = { riskOf, parts: parts.map((part) => ({ ...part, opens: [], hosts: [], riskOf })) };
  for (const source of RULES) {
    const rule = parseRule(source);
    if ("problem" in rule) return rule.problem;
    const compiled = compileRule(rule, PLACES);
    const resolved = { access: { kind: "execute", command: line, cwd: "/w" } as Access, command: facts };
    compiled.touches("bash", resolved);
    compiled.mayTouch("bash", resolved);
    for (const part of facts.parts) compiled.coversPart("bash", part, false);
  }
  return unclear;
}

const HOSTS: Bombs = {
  ...each(RUNS, (text) => `http://${text}`, "a name: "),
  ...each(RUNS, (text) => `http://a.example:${text}`, "a port: "),
  "a name of dots": () => `http://${run(".")}:80`,
  labels: () => `http://${run("a.")}b:443`,
  escapes: () => `http://${run("%61")}`,
  "persons in front": () => `http://${run("a@")}b`,
  "an address without end": () => `http://[${run(":1")}`,
  ...each(noises(":/[]@.%1aü", 30), (text) => `http://${text}`),
};

export const RULE_PARSERS: readonly Parser[] = [
  ofTexts("command lines", LINES, judgeLine),
  ofTexts("requests to the proxy", HOSTS, (text) => {
    const target = proxyTarget(text, 80);
    return "problem" in target ? target.problem : undefined;
  }),
  ofTexts("permission rules", PATTERNS, (text) => {
    for (const name of TOOLS) judge(`${name}(${text})`);
    return judge(text);
  }),
  ofTexts("commands of the model", COMMANDS, judgeCommand),
  ofTexts("paths in calls", PATHS, judgePath),
  ofTexts("conditions of gates", { ...RUNS, ...each(PATTERNS, (text) => text, "a glob: ") }, judgeGate),
];

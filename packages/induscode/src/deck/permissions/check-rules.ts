// Whether a rule can match anything in this session. A rule that cannot match is a mistake that lets a call through, so it is reported
// before the first call (012, 034).

import { nearest } from "indusagi/core";
import type { ToolContribution } from "../../feature/tool.ts";
import { FOREIGN_TOOL_NAMES, OUTSIDE } from "../../feature/tool-names.ts";
import { canCover } from "./command-pattern.ts";
import { compileRule, isAbout, type PermissionRule, patternKind } from "./rules.ts";

/** What a session has that rules can name. */
export interface RuleSubjects {
  readonly tools: readonly ToolContribution[];
  /** Names of the tools contributed by addons: what such a tool touches follows from its grants, not from its arguments. */
  readonly addonTools: ReadonlySet<string>;
  readonly delegates: readonly string[];
  readonly root: string;
}

/** Why a rule matches nothing here. */
interface RuleProblem {
  readonly text: string;
  /** `mistake`: it can never match. `absent`: it names something that may exist in another folder, such as an addon's tool. */
  readonly kind: "mistake" | "absent";
}

export function ruleProblem(
  rule: PermissionRule,
  list: "allow" | "ask" | "deny",
  subjects: RuleSubjects,
): RuleProblem | undefined {
  const { source, pattern } = rule;
  const unknown = unknownName(rule, subjects);
  if (unknown || pattern === undefined) return unknown;
  const meant = subjects.tools.filter(({ tool }) => isAbout(rule, tool.name));
  if (patternKind(rule) === "command" && list === "allow" && !canCover(pattern))
    return mistake(`"${source}" can never match: a rule with a star covers one program with plain arguments`);
  if ((list !== "allow" || rule.spelling === "claude") && SEVERAL.test(pattern))
    return mistake(`"${source}" can never match: write one rule for each tool`);
  const isStatic =
    rule.builtin === "websearch" || meant.every(({ tool }) => subjects.addonTools.has(tool.name));
  return isStatic && meant.length > 0 && !meant.some((tool) => isTouched(rule, tool, subjects))
    ? mistake(
        `"${source}" can never match: ${rule.tool} touches nothing that the pattern could match; write ${rule.tool}`,
      )
    : undefined;
}

/** The problem of a rule whose tool or delegate does not exist here. */
export function unknownName(
  rule: PermissionRule,
  { tools, delegates }: Pick<RuleSubjects, "tools" | "delegates">,
): RuleProblem | undefined {
  const { source, pattern } = rule;
  if (rule.builtin === undefined && !tools.some(({ tool }) => isAbout(rule, tool.name)))
    return unknownTool(rule, tools);
  if (pattern === undefined || patternKind(rule) !== "agent") return undefined;
  if (delegates.some((name) => covers(pattern, name))) return undefined;
  const near = nearest(pattern, delegates);
  return near === undefined
    ? { kind: "absent", text: `"${source}": no delegate "${pattern}" here` }
    : mistake(`"${source}" can never match: unknown delegate "${pattern}"; did you mean "${near}"?`);
}

function mistake(text: string): RuleProblem {
  return { kind: "mistake", text };
}

/** `Bash(a),Read(b)` in one text. */
const SEVERAL = /\)(?:\s*,\s*|\s+)[A-Za-z_*][\w*.-]*\(/;

function unknownTool({ tool, source }: PermissionRule, tools: readonly ToolContribution[]): RuleProblem {
  const names = [...tools.map((each) => each.tool.name), OUTSIDE];
  const isForeign = /^[A-Z]/.test(tool);
  const near = nearest(tool, isForeign ? [...FOREIGN_TOOL_NAMES, ...names] : names);
  if (near === undefined) return { kind: "absent", text: `"${source}": no tool "${tool}" here` };
  return mistake(`"${source}" can never match: unknown tool "${tool}"; did you mean "${near}"?`);
}

function covers(pattern: string, agent: string): boolean {
  return compileRule(
    { source: "", tool: "task", builtin: "task", pattern, spelling: "own" },
    { root: "/", home: "/" },
  ).touches("task", { access: { kind: "delegate", agent } });
}

/** Assumes that what it touches is the same for all arguments. */
function isTouched(
  rule: PermissionRule,
  { tool, accesses }: ToolContribution,
  { root }: RuleSubjects,
): boolean {
  const compiled = compileRule(rule, { root, home: "/" });
  try {
    return accesses({}, root).some((access) => compiled.touches(tool.name, { access }));
  } catch {
    return true; // it reads its arguments after all
  }
}

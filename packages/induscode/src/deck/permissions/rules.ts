// One permission rule: `tool` or `tool(pattern)`, in our spelling (`bash(npm run *)`) or in Claude's (`Bash(npm run:*)`). A rule that
// allows needs a call that is understood completely; one that asks or denies is tried on every reading of it.

import { brief, matchWildcard } from "indusagi/core";
import type { RuleLayer } from "../../feature/decision.ts";
import type { Access } from "../../feature/tool.ts";
import { builtinToolName, OUTSIDE } from "../../feature/tool-names.ts";
import { isHarmlessVariable } from "../../feature/variables.ts";
import { leadingOptions } from "../shell/options.ts";
import { commandPattern, commandPatternProblem } from "./command-pattern.ts";
import {
  type PathPattern,
  type PatternPlaces,
  pathPattern,
  pathPatternProblem,
  type Spelling,
} from "./path-pattern.ts";
import type { PartFacts, ResolvedAccess, RiskOf } from "./resolved-access.ts";

export interface PermissionRule {
  /** As the person wrote it. */
  readonly source: string;
  /** A tool's name as written, or `*`. */
  readonly tool: string;
  /** The built-in tool that is meant, if it is one. */
  readonly builtin?: string | undefined;
  /** It is about commands that leave the sandbox; to allow, no other rule covers those. */
  readonly isOutside?: true | undefined;
  /** Absent: every call of the tool. */
  readonly pattern?: string | undefined;
  readonly spelling: Spelling;
  /** The flag, or the file and setting, that defines it. */
  readonly place?: string | undefined;
  /** Whose rule it is; default: that of the flags. */
  readonly layer?: RuleLayer | undefined;
}

/** What a pattern is about, determined by the tool. */
type PatternKind = "command" | "path" | "host" | "agent" | "none" | "any";

const KINDS: Readonly<Record<string, PatternKind>> = {
  bash: "command",
  process: "command",
  read: "path",
  write: "path",
  edit: "path",
  ls: "path",
  grep: "path",
  find: "path",
  webfetch: "host",
  websearch: "host",
  task: "agent",
  todo_set: "none",
  todo_read: "none",
  enter_plan_mode: "none",
  exit_plan_mode: "none",
  ask_user: "none",
  find_tools: "none",
  call_tool: "none",
  list_mcp_resources: "none",
  read_mcp_resource: "none",
};

export function patternKind({ tool, builtin }: Pick<PermissionRule, "tool" | "builtin">): PatternKind {
  if (builtin !== undefined) return KINDS[builtin] ?? "any";
  return tool.startsWith("mcp__") ? "none" : "any";
}

/** A longer rule is a mistake or an attack: reading rules may take time for each character. */
export const MAX_RULE_CHARS = 4_096;

const RULE = /^([A-Za-z0-9_.*-]+)(?:\((.*)\))?$/s;

/** Parses one rule, or says what is wrong with it. Whether its tool exists is a separate check (`check-rules.ts`). */
export function parseRule(source: string): PermissionRule | { readonly problem: string } {
  if (source.length > MAX_RULE_CHARS)
    return {
      problem: `"${brief(source)}" has ${source.length} characters; a permission rule may have at most ${MAX_RULE_CHARS}`,
    };
  const match = RULE.exec(source.trim());
  const tool = match?.[1];
  const pattern = match?.[2]?.trim();
  if (tool === undefined || pattern === "")
    return {
      problem: `"${source}" is not a permission rule; write tool or tool(pattern), e.g. bash(npm test) or edit(src/**)`,
    };
  const isOutside = tool === OUTSIDE;
  const builtin = isOutside ? "bash" : builtinToolName(tool);
  const rule: PermissionRule = {
    source,
    tool,
    builtin,
    isOutside: isOutside || undefined,
    spelling: /^[A-Z]/.test(tool) ? "claude" : "own",
  };
  if (pattern === undefined) return rule;
  const kind = patternKind(rule);
  const problem = patternProblem(kind, pattern);
  if (problem !== undefined) return { problem: `"${source}" can never match: ${problem}` };
  const isAll = kind === "command" && rule.spelling === "claude" && /^:?\*$/.test(pattern);
  return isAll ? rule : { ...rule, pattern };
}

function patternProblem(kind: PatternKind, pattern: string): string | undefined {
  if (pattern.includes("\0")) return "nothing that a call touches contains a NUL";
  if (kind === "command") return commandPatternProblem(pattern);
  if (kind === "path") return pathPatternProblem(pattern);
  if (kind === "host") return hostPatternProblem(pattern);
  if (kind === "none") return "this tool takes no pattern; write only its name";
  return undefined;
}

function hostPatternProblem(pattern: string): string | undefined {
  const host = pattern.replace(/^domain:\s*/, "");
  if (/^[\p{L}\p{N}._*?-]+$/u.test(host) || /^\[?[0-9a-f:.]+\]?$/i.test(host)) return undefined;
  const found = /^(?:[a-z]+:\/\/)?([\w.*-]+)(?:[:/]|$)/i.exec(host)?.[1];
  return `it takes a host name${found === undefined ? "" : `; write WebFetch(domain:${found})`}`;
}

/** A rule, with patterns resolved to one session's places. */
export interface CompiledRule extends Pick<PermissionRule, "source" | "pattern" | "place" | "layer"> {
  /** It names files, whichever tool reads or writes them. */
  readonly isAboutFiles: boolean;
  /** For allow rules: an access of this tool is completely understood and covered. */
  readonly covers: (tool: string, resolved: ResolvedAccess) => boolean;
  /** For allow rules: the option of a command that keeps the rule from covering it. */
  readonly risk: (tool: string, resolved: ResolvedAccess) => string | undefined;
  /** For allow rules: one command of a line is understood and covered, if it runs in the working directory. */
  readonly coversPart: (tool: string, part: PartFacts, leaves: boolean) => boolean;
  readonly riskOfPart: (tool: string, part: PartFacts, leaves: boolean) => string | undefined;
  /** For ask and deny rules: why it is uncertain whether the rule is about a command. */
  readonly mayTouch: (tool: string, resolved: ResolvedAccess) => string | undefined;
  /** For ask and deny rules: the rule is about any part of an access, under any reading, whichever tool does it. */
  readonly touches: (tool: string, resolved: ResolvedAccess) => boolean;
  /** The rule is about every call of a tool, even if the call touches nothing. */
  readonly names: (tool: string) => boolean;
}

export function compileRule(rule: PermissionRule, places: PatternPlaces): CompiledRule {
  const { source, pattern, spelling } = rule;
  const isAboutFiles = rule.builtin === "read" || isEdit(rule.builtin);
  const command = commandPattern(pattern ?? "", spelling, places.root);
  let paths: PathPattern | undefined;
  const path = (): PathPattern => {
    paths ??= pathPattern(pattern ?? "", spelling, places);
    return paths;
  };
  /** A file that a command opens or looks at is read or written, and a host is reached, whichever tool it goes through. */
  const touchesPlace = (part: PartFacts): boolean =>
    (pattern !== undefined &&
      (rule.builtin === "read" || (part.writesNamed === true && isEdit(rule.builtin))) &&
      part.named?.some((place) => path().touches(place)) === true) ||
    part.hosts.some((host) => rule.builtin === "webfetch" && matchesHost(pattern ?? "*", host)) ||
    [...part.opens, ...(part.mayOpen ?? []), ...(part.looks ?? [])].some(
      ({ access, realPath }) =>
        (access.kind === "read" || access.kind === "write") &&
        access.path !== "" &&
        forbidsDeed(rule, access) &&
        (pattern === undefined ||
          path().touches(access.path) ||
          (realPath !== undefined && path().touches(realPath))),
    );
  return {
    source,
    place: rule.place,
    layer: rule.layer,
    pattern,
    isAboutFiles,
    covers(tool, { access, realPath, command: facts, leaving }) {
      if (!allows(rule, tool, access, leaving !== undefined)) return false;
      if (pattern === undefined) return true;
      switch (access.kind) {
        case "execute":
          // elsewhere, or with other variables, it is a different command
          return (
            access.cwd === places.root && !access.variables && command.covers(access.command, riskOf(facts))
          );
        case "network":
          return matchesHost(pattern, access.host);
        case "delegate":
          return matchWildcard(pattern, access.agent);
        default:
          return realPath !== undefined && path().covers(realPath);
      }
    },
    risk: (tool, { access, command: facts, leaving }) =>
      pattern !== undefined &&
      access.kind === "execute" &&
      access.cwd === places.root &&
      allows(rule, tool, access, leaving !== undefined)
        ? command.risk(access.command, riskOf(facts))
        : undefined,
    coversPart(tool, part, leaves) {
      const words = knownWords(part);
      if (words === undefined || !allows(rule, tool, COMMAND, leaves)) return false;
      return pattern === undefined || (isIn(part, places.root) && command.coversWords(words, part.riskOf));
    },
    riskOfPart(tool, part, leaves) {
      const words = knownWords(part);
      if (words === undefined || pattern === undefined || !allows(rule, tool, COMMAND, leaves))
        return undefined;
      return isIn(part, places.root) ? command.riskIn(words, part.riskOf) : undefined;
    },
    mayTouch(tool, { access, command: facts, isConfined, leaving }) {
      if (access.kind !== "execute" || facts === undefined) return undefined;
      if (rule.isOutside && !leaving) return undefined;
      if (rule.builtin === "webfetch" && pattern !== undefined && !isConfined) {
        const going = facts.parts.find((part) => part.hidesHost);
        if (going) return `which host "${brief(going.text)}" reaches is known only at run time`;
      }
      if (pattern === undefined) return undefined;
      // What runs in the sandbox is kept from these by the kernel and the proxy, read or not.
      const isAboutPlaces = isAboutFiles || rule.builtin === "webfetch";
      if (isAboutPlaces && !isConfined) {
        const why = facts.unread ?? unnamedFiles(rule, facts.parts);
        if (why !== undefined) return why;
      }
      if (!isAbout(rule, tool) && !forbidsDeed(rule, access)) return undefined;
      if (facts.unclear !== undefined) return facts.unclear;
      const part = facts.parts.find(
        (each) => each.isHidden || readingsOf(each).some((words) => command.touchesWords(words) === "maybe"),
      );
      return part && `not all of "${brief(part.text)}" is known before it runs`;
    },
    touches(tool, resolved) {
      const { access, realPath, command: facts } = resolved;
      if (rule.isOutside && !resolved.leaving) return false;
      if (facts && !isAbout(rule, tool) && facts.parts.some(touchesPlace)) return true;
      if (!isAbout(rule, tool) && !forbidsDeed(rule, access)) return false;
      if (pattern === undefined) return true;
      switch (access.kind) {
        case "execute":
          if (
            facts?.parts.some((part) =>
              readingsOf(part).some((words) => command.touchesWords(words) === "yes"),
            )
          )
            return true;
          return command.touches(access.command) || setting(access).some(command.touches);
        case "network":
          return matchesHost(pattern, access.host);
        case "delegate":
          return matchWildcard(pattern.toLowerCase(), access.agent.toLowerCase());
        default:
          if (path().touches(access.path)) return true;
          return realPath !== undefined && realPath !== access.path && path().touches(realPath);
      }
    },
    names: (tool) => pattern === undefined && !rule.isOutside && isAbout(rule, tool),
  };
}

/** Why the files of a command, which it does not name, may be those of a rule. */
function unnamedFiles({ builtin }: PermissionRule, parts: readonly PartFacts[]): string | undefined {
  for (const { text, unnamedReads: reads, unnamedChanges: changes } of parts) {
    if (builtin === "read" && reads !== undefined)
      return `"${brief(text)}" may read files that it does not name (${reads}), and no sandbox hides them`;
    if (isEdit(builtin) && changes !== undefined)
      return `"${brief(text)}" may change files that it does not name (${changes}), and no sandbox protects them`;
  }
  return undefined;
}

/** If nothing is known about a command, a star covers nothing. */
function riskOf(facts: ResolvedAccess["command"]): RiskOf {
  return facts?.riskOf ?? ((_wanted, words) => words.join(" "));
}

const COMMAND: Access = { kind: "execute", command: "", cwd: "" };

/** The words of a command, if all are known and nothing before them could change what it does. */
function knownWords({ words, variables }: PartFacts): readonly string[] | undefined {
  const values = words.map(({ value }) => value);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  const isPlain = variables.every(
    ({ name, value }) => value !== undefined && isHarmlessVariable("", name, value),
  );
  return isPlain ? (values as readonly string[]) : undefined;
}

/** As written, and without the options before the subcommand: `git -c x=y push`, `npm --silent publish`. */
function readingsOf({ words }: PartFacts): readonly (readonly (string | undefined)[])[] {
  const [program, ...rest] = words.map(({ value }) => value);
  const at = leadingOptions(rest);
  const all = [program, ...rest];
  return words.length === 0 ? [] : at === 0 ? [all] : [all, [program, ...rest.slice(at)]];
}

function isIn({ folders }: PartFacts, root: string): boolean {
  return folders?.every((folder) => folder === root) ?? false;
}

/** The variables of a command, as a shell line would set them. */
function setting({ variables = [] }: Extract<Access, { kind: "execute" }>): readonly string[] {
  return variables.map(({ name, value }) => `${name}=${value}`);
}

/** Whether a rule means a tool by its name, in any spelling. */
export function isAbout({ tool: written, builtin }: PermissionRule, tool: string): boolean {
  if (builtin === tool) return true;
  const [wanted, found] = [written.toLowerCase(), tool.toLowerCase()];
  const isServer = /^mcp__[^_]+(?:_[^_]+)*$/.test(wanted); // all tools of one server
  return matchWildcard(wanted, found) || (isServer && found.startsWith(`${wanted}__`));
}

/** A rule that forbids `bash`, `read` or `edit` means the action, whichever tool does it. */
function forbidsDeed({ builtin, pattern }: PermissionRule, { kind }: Access): boolean {
  if (kind === "execute") return builtin === "bash";
  if (kind === "network") return builtin === "webfetch" && pattern !== undefined;
  return kind === "read" ? builtin === "read" : kind === "write" && isEdit(builtin);
}

/** A rule that allows means the tool, and the built-in tools that do the same action. */
function allows(rule: PermissionRule, tool: string, { kind }: Access, leaves: boolean): boolean {
  const { builtin } = rule;
  if (leaves && !rule.isOutside) return false;
  if (builtin === undefined) return isAbout(rule, tool) && isExact(rule.tool, tool);
  if (builtin === tool) return true;
  if (kind === "execute") return builtin === "bash" && tool === "process";
  if (kind === "read") return (builtin === "read" && READERS.has(tool)) || (isEdit(builtin) && isEdit(tool));
  return kind === "write" && isEdit(builtin) && isEdit(tool);
}

const READERS: ReadonlySet<string> = new Set(["ls", "grep", "find", "edit"]);

function isEdit(tool: string | undefined): boolean {
  return tool === "edit" || tool === "write";
}

/** Matching is case-sensitive where something is allowed. */
function isExact(written: string, tool: string): boolean {
  return matchWildcard(written, tool) || tool.startsWith(`${written}__`);
}

function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.replace(/^domain:\s*/, "").replace(/^\[|\]$/g, "");
  return matchWildcard(asciiHost(wanted), host.toLowerCase());
}

/** As a URL spells it: `Bücher.example.` is `xn--bcher-kva.example`. */
function asciiHost(host: string): string {
  const bare = host.toLowerCase().replace(/\.$/, "");
  if (/^[\x20-\x7e]*$/.test(bare)) return bare;
  return URL.canParse(`http://${bare}`) ? new URL(`http://${bare}`).hostname : bare;
}

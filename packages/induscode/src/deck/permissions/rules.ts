// One permission rule: `tool` or `tool(pattern)`. For commands the pattern is words (`bash(npm run *)`: a final `*` is
// any further words); for files it is a path glob, relative to the working directory, absolute or `~/`.

import { homedir } from "node:os";
import { basename, join } from "node:path";
import { matchPathGlob, matchWildcard } from "indusagi/core";
import type { Access } from "../../feature/contract.ts";
import {
  LONGEST_RULE_WORDS,
  possibleCommands,
  simpleCommandWords,
  withoutContinuations,
} from "./shell-words.ts";

export interface PermissionRule {
  /** As the person wrote it. */
  readonly source: string;
  /** A tool name, or `*`. */
  readonly tool: string;
  /** Absent: every call of the tool. */
  readonly pattern?: string;
}

const RULE = /^([A-Za-z0-9_*-]+)(?:\((.*)\))?$/s;

/** Reads one rule, or says what is wrong with it. */
export function parseRule(source: string): PermissionRule | { readonly problem: string } {
  const match = RULE.exec(source.trim());
  const pattern = match?.[2]?.trim();
  if (!match?.[1] || pattern === "") {
    return {
      problem: `"${source}" is not a permission rule; write tool or tool(pattern), e.g. bash(npm test) or edit(src/**)`,
    };
  }
  if (pattern !== undefined && pattern.split(/\s+/).length > LONGEST_RULE_WORDS && !pattern.includes("/")) {
    return { problem: `"${source}" has more than ${LONGEST_RULE_WORDS} words` };
  }
  return { source, tool: match[1], ...(pattern === undefined ? {} : { pattern }) };
}

/** One access with the facts the rules are held against. */
export interface ResolvedAccess {
  readonly access: Access;
  /** Of a file access: where it really leads. Rules that allow look only at this. */
  readonly realPath?: string;
}

/** Whether an allow or ask rule covers one access of a call: all of it is understood, and it matches. */
export function ruleCovers(
  rule: PermissionRule,
  tool: string,
  { access, realPath }: ResolvedAccess,
  root: string,
): boolean {
  if (!matchesTool(rule, tool)) return false;
  if (rule.pattern === undefined) return true;
  switch (access.kind) {
    case "execute": {
      if (access.cwd !== root) return false; // the same words elsewhere are another command
      if (rule.pattern === access.command) return true;
      const words = simpleCommandWords(access.command);
      return words !== undefined && matchesWords(rule.pattern.split(/\s+/), words);
    }
    case "network":
      return matchWildcard(rule.pattern, access.host);
    case "delegate":
      return matchWildcard(rule.pattern, access.agent);
    default:
      return realPath !== undefined && matchPathGlob(absoluteGlob(rule.pattern, root), realPath);
  }
}

/** Whether a rule is about every call of a tool, also where the tool touches nothing. */
export function ruleNames(rule: PermissionRule, tool: string): boolean {
  return rule.pattern === undefined && matchesTool(rule, tool);
}

/** Whether a deny rule touches any part of an access, under any reading of it. */
export function ruleTouches(
  rule: PermissionRule,
  tool: string,
  { access, realPath }: ResolvedAccess,
  root: string,
): boolean {
  if (!matchesTool(rule, tool) && !namesDeed(rule, access)) return false;
  const { pattern } = rule;
  if (pattern === undefined) return true;
  switch (access.kind) {
    case "execute": {
      if (withoutContinuations(access.command).includes(pattern)) return true;
      const wanted = [...pattern.replace(/\s+\*$/, "").split(/\s+/), "*"]; // further words never save a command
      return possibleCommands(access.command).some(
        (words) =>
          matchesWords(wanted, words) || matchesWords(wanted, [basename(words[0] ?? ""), ...words.slice(1)]),
      );
    }
    case "network":
      return matchWildcard(pattern, access.host);
    case "delegate":
      return matchWildcard(pattern, access.agent);
    default: {
      const glob = absoluteGlob(pattern, root).toLowerCase(); // a case-insensitive volume must not open a way round
      return [access.path, realPath ?? access.path].some((path) => matchPathGlob(glob, path.toLowerCase()));
    }
  }
}

function matchesTool(rule: PermissionRule, tool: string): boolean {
  return rule.tool === "*" || rule.tool === tool;
}

/** A rule that forbids `read` or `edit` means the deed, whichever tool does it. */
function namesDeed({ tool }: PermissionRule, { kind }: Access): boolean {
  return kind === "read" ? tool === "read" : kind === "write" && (tool === "edit" || tool === "write");
}

function matchesWords(pattern: readonly string[], words: readonly string[]): boolean {
  const fixed = pattern.at(-1) === "*" ? pattern.slice(0, -1) : pattern;
  if (fixed.length !== pattern.length ? words.length < fixed.length : words.length !== fixed.length)
    return false;
  return fixed.every((wanted, index) => matchWildcard(wanted, words[index] as string));
}

function absoluteGlob(pattern: string, root: string): string {
  if (pattern.startsWith("/")) return pattern;
  if (pattern.startsWith("~/")) return join(homedir(), pattern.slice(2));
  return `${root === "/" ? "" : root}/${pattern.replace(/^\.\//, "")}`;
}

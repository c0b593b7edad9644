import type { PermissionMode, PermissionPolicy } from "../deck/permissions/permissions.ts";
import { type PermissionRule, parseRule } from "../deck/permissions/rules.ts";
import type { Flags } from "./flags.ts";
import { EXIT_USAGE, Problem } from "./problem.ts";
import type { Settings } from "./settings.ts";

/** The rules and the mode of a session. A bad rule on the command line ends the start, one in a file is left out and told. */
export function permissionPolicy(
  flags: Flags,
  { permissions = {} }: Settings,
  notices: string[],
): PermissionPolicy {
  const fromFlag = (name: "allow" | "deny"): readonly PermissionRule[] =>
    (flags[name] ?? []).map((source) => {
      const rule = parseRule(source);
      if ("problem" in rule) throw new Problem(`--${name}: ${rule.problem}`, EXIT_USAGE);
      return rule;
    });
  const fromFile = (name: "allow" | "ask" | "deny"): readonly PermissionRule[] =>
    (permissions[name] ?? []).flatMap((source) => {
      const rule = parseRule(source);
      if (!("problem" in rule)) return [rule];
      notices.push(`permissions.${name}: ${rule.problem}; it is left out`);
      return [];
    });
  return {
    mode: (flags["permission-mode"] as PermissionMode | undefined) ?? permissions.mode ?? "acceptEdits",
    allow: [...fromFlag("allow"), ...fromFile("allow")],
    ask: fromFile("ask"),
    deny: [...fromFlag("deny"), ...fromFile("deny")],
  };
}

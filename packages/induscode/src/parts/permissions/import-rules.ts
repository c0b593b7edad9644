// The permissions of another agent's settings as rules here: each row with the rule that it becomes, or why it becomes none.

import { brief, isTable } from "indusagi/core";
import { parseRule } from "../../deck/permissions/rules.ts";

/** In the order in which they decide: a refusal wins over a question, and a question over a permission. */
export const LISTS = ["deny", "ask", "allow"] as const;
type List = (typeof LISTS)[number];

export interface ImportedRule {
  readonly list: List;
  /** As it stands in the file. */
  readonly written: string;
  /** As a rule here; absent if it becomes none. */
  readonly rule?: string;
  /** Why not, or what is different. */
  readonly why?: string;
}

export interface ImportedRules {
  readonly rows: readonly ImportedRule[];
  /** What else the permissions say, and why it is not taken. */
  readonly others: readonly string[];
}

/** Reads the table `permissions` of settings. */
export function importRules(permissions: Readonly<Record<string, unknown>>): ImportedRules {
  const others: string[] = [];
  const rows = LISTS.flatMap((list): readonly ImportedRule[] => {
    const found = permissions[list];
    if (found === undefined) return [];
    if (Array.isArray(found)) return found.map((written) => imported(list, written));
    others.push(`permissions.${list}: expected a list, found ${JSON.stringify(found).slice(0, 40)}`);
    return [];
  });
  for (const [key, value] of Object.entries(permissions)) {
    if ((LISTS as readonly string[]).includes(key)) continue;
    const shown = brief(JSON.stringify(value) ?? "", 60);
    others.push(`permissions.${key} ${shown}: ${OTHERS[key] ?? "indus has no equivalent"}`);
  }
  return { rows, others };
}

const OTHERS: Readonly<Record<string, string | undefined>> = {
  defaultMode: "a mode is chosen with /settings permissions.mode, and never by importing",
  additionalDirectories:
    "a session has only one folder: write a rule for files elsewhere, such as Read(//path/**)",
  disableBypassPermissionsMode: "the machine's managed settings can limit the mode",
};
function imported(list: List, written: unknown): ImportedRule {
  if (typeof written !== "string")
    return { list, written: brief(JSON.stringify(written) ?? ""), why: "it is not a string" };
  const rule = parseRule(written);
  if ("problem" in rule) return { list, written, why: rule.problem };
  if (rule.isOutside) return { list, written, why: "in indus, this is a rule about leaving the sandbox" };
  if (rule.builtin === undefined && !/^(?:mcp__|\*)/.test(rule.tool))
    return { list, written, why: `indus has no tool ${rule.tool}` };
  if (list === "allow" && rule.tool === "*")
    return {
      list,
      written,
      why: "a star allows everything: that is the mode bypass, which you choose yourself",
    };
  return { list, written, rule: written };
}

/** The table in a file of settings; undefined if it has none. */
export function permissionsIn(settings: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isTable(settings) || !isTable(settings.permissions)) return undefined;
  return settings.permissions;
}

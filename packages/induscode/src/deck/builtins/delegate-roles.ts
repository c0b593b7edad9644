// What delegates may use of the session that they work for.

import { BUILTIN_TOOLS, MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";
import type { ToolContribution } from "../../feature/tool.ts";
import { TASK_TOOL } from "../../feature/tool-names.ts";
import { PERSON_TOOLS } from "./person-desk.ts";

/** A delegate that can be given work, and the tools of its session. */
export interface DelegateRole {
  readonly name: string;
  /** Default `all`: every tool of the session but `task` and `process`. */
  readonly toolCollection?: "read-only" | "coding" | "all";
  /** If given, the only tools it has from its collection. */
  readonly tools?: readonly string[];
  /** `*` for all. */
  readonly withheldTools?: readonly string[];
}

// Delegates do not delegate further, and a delegate waits for what it starts: a job that keeps running would have no owner. Nobody is at
// its session.
const NEVER: readonly string[] = [TASK_TOOL, "process", ...PERSON_TOOLS];

/** Whether a role's session has a tool that the main session has. */
export function hasTool(role: DelegateRole, name: string): boolean {
  const { withheldTools = [] } = role;
  if (NEVER.includes(name) || withheldTools.includes(name) || withheldTools.includes("*")) return false;
  if (role.tools && !role.tools.includes(name)) return false;
  const { toolCollection = "all" } = role;
  if (toolCollection === "all") return true;
  return READ_ONLY_NAMES.includes(name) || (toolCollection === "coding" && MUTATING_NAMES.includes(name));
}

/** A delegate's file that names tools that do not exist: a mistyped name restricts less than it says. */
export interface UnknownTools {
  readonly source: string;
  readonly tools: readonly string[];
  /** The file lists the delegate's tools, and none of them exists: it has no tool at all. */
  readonly isBare: boolean;
}

/** A tool of a feature that the person turned off is not a mistyped name. */
const SHIPPED: readonly string[] = BUILTIN_TOOLS.map(({ name }) => name);

/** Tools that roles name and the session does not have. */
export function unknownTools(
  roles: readonly (DelegateRole & { readonly source: string })[],
  contributions: readonly Pick<ToolContribution, "tool">[],
): readonly UnknownTools[] {
  const there = new Set(["*", TASK_TOOL, ...contributions.map(({ tool }) => tool.name)]);
  const isKnown = (name: string): boolean => there.has(name) || SHIPPED.includes(name);
  return roles.flatMap(({ source, tools, withheldTools = [] }) => {
    const isBare = tools?.every((name) => !there.has(name) || NEVER.includes(name)) === true;
    const unknown = [...(tools ?? []), ...withheldTools].filter((name) => !isKnown(name));
    if (unknown.length === 0 && !isBare) return [];
    return [{ source, tools: isBare ? tools : unknown, isBare }];
  });
}

const NOT_CHANGING: ReadonlySet<string> = new Set([...READ_ONLY_NAMES, "todo_set", "todo_read"]);

/** Whether a delegate of this role can change nothing. */
export function onlyReads({ toolCollection, tools }: DelegateRole): boolean {
  return toolCollection === "read-only" || (tools?.every((name) => NOT_CHANGING.has(name)) ?? false);
}

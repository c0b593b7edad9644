// The available delegates, and the feature that contributes the tool for them.

import { BUILTIN_TOOLS, MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";
import type { FeatureModule } from "../../feature/install.ts";
import type { ToolContribution } from "../../feature/tool.ts";
import { PERSON_TOOLS } from "./person-desk.ts";
import { askedAgents, TASK_TOOL, taskTool } from "./task-tool.ts";
import { createToolFeature } from "./tool-feature.ts";

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

export interface DelegatesFacts {
  readonly roles: readonly DelegateRole[];
  /** One delegate at a time, whatever it can do: a recording is replayed in the order in which it was made. */
  readonly oneByOne?: boolean;
}

// Delegates do not delegate further, and a delegate waits for what it starts: a job that keeps running would have no owner. Nobody is at
// its session.
const NEVER: readonly string[] = [TASK_TOOL, "process", ...PERSON_TOOLS];

export function delegatesFeature({ roles, oneByOne = false }: DelegatesFacts): FeatureModule {
  const worksAlone = (agent: string): boolean => {
    const role = roles.find(({ name }) => name === agent);
    return role !== undefined && (oneByOne || !onlyReads(role));
  };
  const tool = taskTool({ agents: roles.map(({ name }) => name), worksAlone, oneByOne });
  return createToolFeature({
    id: "builtin:delegates",
    displayName: "Delegates",
    uses: [
      {
        capability: { kind: "sessions", spawn: true, message: true, restore: true },
        required: true,
        reason: "runs a session of its own for each delegate, speaks to it and continues it",
      },
    ],
    tools: () => [
      {
        tool,
        accesses: (input) => [...new Set(askedAgents(input))].map((agent) => ({ kind: "delegate", agent })),
        // A delegate that may change something has the workspace to itself, like a call that writes.
        alone: (input) => askedAgents(input).some(worksAlone),
        waits: true,
      },
    ],
  });
}

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

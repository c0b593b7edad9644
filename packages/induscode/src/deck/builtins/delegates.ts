// Who work can be handed to, and the feature that brings the tool for it.

import { MUTATING_NAMES, READ_ONLY_NAMES } from "indusagi/capabilities";
import type { FeatureModule, ToolContribution } from "../../feature/contract.ts";
import { PERSON_TOOLS } from "./person-desk.ts";
import { askedAgents, TASK_TOOL, taskTool } from "./task-tool.ts";
import { createToolFeature } from "./tool-feature.ts";

/** Who can be handed work, and which tools its session has. */
export interface DelegateRole {
  readonly name: string;
  /** Default `all`: every tool of the session but `task` and `process`. */
  readonly toolCollection?: "read-only" | "coding" | "all";
  /** The only tools it has, of those in its collection. */
  readonly tools?: readonly string[];
  /** `*` for all. */
  readonly withheldTools?: readonly string[];
}

export interface DelegatesFacts {
  readonly roles: readonly DelegateRole[];
  /** One delegate at a time, whatever it may do: a recording is played in the order in which it was made. */
  readonly oneByOne?: boolean;
}

// Work is handed on once, and a delegate waits for what it starts: a job that goes on would be nobody's.
// Nobody sits at its session.
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
    uses: { kind: "sessions", spawn: true, message: true, restore: false },
    reason: "runs a session of its own for each delegate",
    tools: [
      {
        tool,
        accesses: (input) => [...new Set(askedAgents(input))].map((agent) => ({ kind: "delegate", agent })),
        // One that may change something has the workspace to itself, as a call that writes has.
        alone: (input) => askedAgents(input).some(worksAlone),
        waits: true,
      },
    ],
  });
}

/** Whether a role's session has a tool, where the main session has it. */
export function hasTool(role: DelegateRole, name: string): boolean {
  const { withheldTools = [] } = role;
  if (NEVER.includes(name) || withheldTools.includes(name) || withheldTools.includes("*")) return false;
  if (role.tools && !role.tools.includes(name)) return false;
  const { toolCollection = "all" } = role;
  if (toolCollection === "all") return true;
  return READ_ONLY_NAMES.includes(name) || (toolCollection === "coding" && MUTATING_NAMES.includes(name));
}

/** A file of a delegate that names tools which are not there: a mistyped name narrows less than it says. */
export interface UnknownTools {
  readonly source: string;
  readonly tools: readonly string[];
}

/** What roles name and a session does not have. */
export function unknownTools(
  roles: readonly (DelegateRole & { readonly source: string })[],
  contributions: readonly Pick<ToolContribution, "tool">[],
): readonly UnknownTools[] {
  const known = new Set(["*", TASK_TOOL, ...contributions.map(({ tool }) => tool.name)]);
  return roles.flatMap(({ source, tools = [], withheldTools = [] }) => {
    const unknown = [...tools, ...withheldTools].filter((name) => !known.has(name));
    return unknown.length === 0 ? [] : [{ source, tools: unknown }];
  });
}

const NOT_CHANGING: ReadonlySet<string> = new Set([...READ_ONLY_NAMES, "todo_set", "todo_read"]);

/** Whether a delegate of this role can change nothing. */
export function onlyReads({ toolCollection, tools }: DelegateRole): boolean {
  return toolCollection === "read-only" || (tools?.every((name) => NOT_CHANGING.has(name)) ?? false);
}

// The tool `task`: hands an objective to a delegate, which works on it in a session of its own and answers once.

import {
  defineTool,
  failureResult,
  MUTATING_NAMES,
  READ_ONLY_NAMES,
  type ToolResult,
  textResult,
} from "indusagi/capabilities";
import { type JsonValue, type SessionKey, sessionKey } from "indusagi/core";
import type { FeatureModule, ToolContribution } from "../../feature/contract.ts";
import { delegateAccess, stringArgument } from "./accesses.ts";
import { PERSON_TOOLS } from "./person.ts";
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

/** One piece of work, as the model wrote it. */
export interface DelegateWork {
  readonly objective: string;
  /** What the delegate also needs to know. */
  readonly context?: string;
}

/** How it ended; `report` is what the model reads. */
export interface DelegateReport {
  readonly ok: boolean;
  readonly report: string;
  /** Dollars, as far as prices are known. */
  readonly cost: number;
}

/** Runs a delegate, by its name, to its end. Rejects with `Aborted` where the signal fires, once the delegate has ended. */
export type DelegateRunner = (
  agent: string,
  work: DelegateWork,
  signal: AbortSignal,
) => Promise<DelegateReport>;

/** Whom a session hands work to. */
export const DELEGATES: SessionKey<DelegateRunner> = sessionKey("delegates");

export interface DelegatesFacts {
  readonly roles: readonly DelegateRole[];
  /** One delegate at a time, whatever it may do: a recording is played in the order in which it was made. */
  readonly oneByOne?: boolean;
}

export const TASK_TOOL = "task";

// Work is handed on once, and a delegate waits for what it starts: a job that goes on would be nobody's.
// Nobody sits at its session.
const NEVER: readonly string[] = [TASK_TOOL, "process", ...PERSON_TOOLS];

const MAX_WORDS_BYTES = 64 * 1024;

export function delegatesFeature({ roles, oneByOne = false }: DelegatesFacts): FeatureModule {
  const names = roles.map(({ name }) => name);
  const roleOf = (input: JsonValue): DelegateRole | undefined => {
    const agent = stringArgument(input, "agent");
    return roles.find(({ name }) => name === agent);
  };
  const tool = defineTool({
    name: TASK_TOOL,
    description:
      "Hand work to a delegate: an agent with a context of its own, which sees only what you write here and answers " +
      "once. Say what is to be done, what you know already, and what the answer must hold. Delegates that only read " +
      "work side by side when you call them in one reply.",
    parameters: {
      type: "object",
      properties: {
        agent: { type: "string", enum: names, description: "The delegate's name." },
        objective: { type: "string", description: "What is to be done, and what the answer must hold." },
        context: {
          type: "string",
          description: "What the delegate needs to know: paths, findings, decisions.",
        },
      },
      required: ["agent", "objective"],
      additionalProperties: false,
    },
    run: async (input, { signal, framework }): Promise<ToolResult> => {
      const role = roleOf(input);
      const objective = stringArgument(input, "objective");
      const context = stringArgument(input, "context");
      if (role === undefined) {
        const found = stringArgument(input, "agent") ?? "nothing";
        return failureResult(`expected agent to be one of ${names.join(", ")}, found ${found}`);
      }
      if (objective === undefined) return failureResult("expected an objective, found nothing");
      if (Buffer.byteLength(objective) + Buffer.byteLength(context ?? "") > MAX_WORDS_BYTES)
        return failureResult(
          `expected at most ${MAX_WORDS_BYTES} bytes: put the rest into a file and name it`,
        );
      const run = framework.session?.get(DELEGATES);
      if (run === undefined) return failureResult("there is no session to hand work on");
      const work = { objective, ...(context === undefined ? {} : { context }) };
      const { ok, report, cost } = await run(role.name, work, signal);
      if (cost > 0) framework.report?.cost(cost);
      return ok ? textResult(report) : failureResult(report);
    },
  });
  // One that may change something has the workspace to itself, as a call that writes has.
  const alone = (input: JsonValue): boolean => {
    const role = roleOf(input);
    return role !== undefined && (oneByOne || !onlyReads(role));
  };
  return createToolFeature({
    id: "builtin:delegates",
    displayName: "Delegates",
    uses: { kind: "sessions", spawn: true, message: false, restore: false },
    reason: "runs a session of its own for each delegate",
    tools: [{ tool, accesses: delegateAccess, alone, waits: true }],
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

// The checks before commit: whether a contribution was declared, is granted and has a free name. A name means one
// thing for the life of a session: it stays with its first claimant, even after that is gone.

import type { DefinedTool } from "indusagi/capabilities";
import { covers } from "../capabilities.ts";
import type { Command } from "../command.ts";
import type { FeatureDescriptor, FeatureId, HostCapability } from "../descriptor.ts";
import { isHookEvent } from "../events.ts";
import type { BackgroundTask, ProviderContribution } from "../install.ts";
import { otherMeaning } from "../tool-names.ts";

/** Core command names that no addon may claim. */
export const RESERVED_ACTION_NAMES: readonly string[] = ["help", "quit", "exit", "clear", "model", "compact"];

// What every major provider accepts as a tool name. A command name is typed by hand, so it is kept as simple.
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const COMMAND_NAME = /^[a-z0-9][a-z0-9:_-]{0,63}$/;

/** Who claimed which name. Names that differ only in case look like one name to a reader. */
export interface ClaimedNames {
  /** Who owns it, and its spelling; a name that `during` claims twice also counts as taken. */
  readonly takenFrom: (kind: NameKind, name: string, during: Claims) => Claim | undefined;
  /** Keeps the claimed names. */
  readonly keep: (claims: Claims) => void;
  readonly ownerOf: (kind: NameKind, name: string) => FeatureId | undefined;
  /** Passes one feature's names to its successor. */
  readonly pass: (from: FeatureId, to: FeatureId) => void;
}

type NameKind = "tool" | "command" | "task" | "provider";

interface Claim {
  readonly name: string;
  readonly owner: FeatureId;
}

/** What one feature claims while it is committed. */
export interface Claims {
  readonly owner: FeatureId;
  readonly names: Map<string, Claim>;
}

export function createClaimedNames(): ClaimedNames {
  const kept = new Map<string, Claim>();
  return {
    takenFrom(kind, name, { owner, names }) {
      const key = keyOf(kind, name);
      const earlier = kept.get(key);
      return names.get(key) ?? (earlier?.owner === owner ? undefined : earlier);
    },
    keep({ names }) {
      for (const [key, claim] of names) kept.set(key, claim);
    },
    ownerOf: (kind, name) => kept.get(keyOf(kind, name))?.owner,
    pass(from, to) {
      for (const [key, claim] of kept) if (claim.owner === from) kept.set(key, { ...claim, owner: to });
    },
  };
}

/** Adds a name to the claims. */
export function claim({ owner, names }: Claims, kind: NameKind, name: string): void {
  names.set(keyOf(kind, name), { name, owner });
}

function keyOf(kind: NameKind, name: string): string {
  return `${kind} ${kind === "tool" ? name.toLowerCase() : name}`;
}

/** Whose a name is already, for the feature that is being committed. */
export type Taken = (kind: NameKind, name: string) => Claim | undefined;

/** Why something is not committed. */
export interface Refusal {
  readonly reason: string;
  readonly conflict: boolean;
}

export function refuseTool(
  tool: DefinedTool,
  descriptor: FeatureDescriptor,
  granted: readonly HostCapability[],
  taken: Taken,
): Refusal | undefined {
  if (!TOOL_NAME.test(tool.name))
    return {
      reason: `"${tool.name}" is not a valid tool name: expected 1 to 64 letters, digits, _ or -`,
      conflict: false,
    };
  const isOfServer = descriptor.runtime === "mcp";
  const meaning = descriptor.runtime === "builtin" ? undefined : otherMeaning(tool.name, isOfServer);
  if (meaning !== undefined)
    return {
      reason: `the tool name "${tool.name}" is a word of permission rules, for ${meaning}: rename the tool`,
      conflict: false,
    };
  if (!descriptor.declaredTools.includes(tool.name))
    return { reason: `the tool "${tool.name}" was not declared`, conflict: false };
  if (!covers(granted, { kind: "contribute_tool", name: tool.name })) {
    return { reason: `no grant to contribute the tool "${tool.name}"`, conflict: false };
  }
  const first = taken("tool", tool.name);
  if (first !== undefined) {
    const clash = first.name === tool.name ? "" : `, as "${first.name}"`;
    return { reason: `the tool name "${tool.name}" is taken by ${first.owner}${clash}`, conflict: true };
  }
  return undefined;
}

/** Why nothing can be called so; undefined if it can. */
export function commandNameProblem(name: string): string | undefined {
  if (COMMAND_NAME.test(name)) return undefined;
  return `"${name}" is not a valid command name: expected lower-case letters, digits, - _ :`;
}

export function refuseCommand(
  command: Command,
  descriptor: FeatureDescriptor,
  reserved: readonly string[],
  taken: Taken,
): Refusal | undefined {
  const { name } = command;
  const misnamed = commandNameProblem(name);
  if (misnamed !== undefined) return { reason: misnamed, conflict: false };
  if (!descriptor.declaredCommands.includes(name))
    return { reason: `the command "/${name}" was not declared`, conflict: false };
  if (descriptor.runtime !== "builtin" && reserved.includes(name)) {
    return { reason: `the command name "/${name}" is reserved for the host`, conflict: true };
  }
  const owner = taken("command", name)?.owner;
  return owner === undefined
    ? undefined
    : { reason: `the command name "/${name}" is taken by ${owner}`, conflict: true };
}

export function refuseHook(
  name: string,
  descriptor: FeatureDescriptor,
  granted: readonly HostCapability[],
): Refusal | undefined {
  const what = name.startsWith("intercept:") ? `interceptor of ${name.slice(10)}` : `handler of ${name}`;
  if (!name.startsWith("intercept:") && !isHookEvent(name))
    return { reason: `"${name}" is not an event`, conflict: false };
  if (!descriptor.declaredHooks.includes(name))
    return { reason: `the ${what} was not declared`, conflict: false };
  if (!covers(granted, { kind: "contribute_hook", point: name })) {
    return { reason: `no grant to contribute the ${what}`, conflict: false };
  }
  return undefined;
}

export function refuseTask(
  task: BackgroundTask,
  descriptor: FeatureDescriptor,
  granted: readonly HostCapability[],
  taken: Taken,
): Refusal | undefined {
  if (!descriptor.declaredTasks.includes(task.id))
    return { reason: `the task "${task.id}" was not declared`, conflict: false };
  if (!covers(granted, { kind: "background_task" }))
    return { reason: `no grant to run the task "${task.id}"`, conflict: false };
  const owner = taken("task", task.id)?.owner;
  return owner === undefined
    ? undefined
    : { reason: `the task name "${task.id}" is taken by ${owner}`, conflict: true };
}

/** `known`: provider names that belong to the product or the person. */
export function refuseProvider(
  { config, secret }: ProviderContribution,
  granted: readonly HostCapability[],
  known: readonly string[],
  taken: Taken,
): Refusal | undefined {
  const { id, baseUrl } = config;
  const hosts = [URL.parse(baseUrl)?.hostname ?? ""];
  if (!covers(granted, { kind: "network", purpose: "", hosts }))
    return { reason: `no grant to reach ${hosts[0]}, the host of the provider "${id}"`, conflict: false };
  if (secret !== undefined && !covers(granted, { kind: "secret", id: secret }))
    return {
      reason: `no grant to use the secret ${secret}, the key of the provider "${id}"`,
      conflict: false,
    };
  const owner = known.includes(id) ? "the host" : taken("provider", id)?.owner;
  return owner === undefined
    ? undefined
    : { reason: `the provider name "${id}" is taken by ${owner}`, conflict: true };
}

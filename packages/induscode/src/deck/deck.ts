// The session's tools: what the registry committed, behind the boundary, as one tool box.

import type { ToolContext } from "indusagi/capabilities";
import { compileSchema } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";
import type { SessionHooks } from "../feature/dispatch/hooks.ts";
import type { InstalledTool, ToolContribution } from "../feature/tool.ts";
import { builtinToolName } from "../feature/tool-names.ts";
import { createBoundary } from "./boundary/boundary.ts";
import type { BoundaryDeps, FoundTool } from "./boundary/boundary-deps.ts";
import { ended } from "./boundary/ended.ts";
import type { Deck } from "./contract.ts";
import { definitionOf, isOfServer, NOTHING_OFFERED, offerTools } from "./offered-tools.ts";
import type { Permissions } from "./permissions/permissions.ts";
import { meantCall, toolsOfServers } from "./tools-of-servers.ts";

export interface DeckDeps {
  /** As a function: the current tools of a session whose features come and go. */
  readonly tools: readonly InstalledTool[] | (() => readonly InstalledTool[]);
  /** Runs the command lines of people and features; default: the tool `bash` among those. */
  readonly commandTool?: BoundaryDeps["commandTool"];
  /** The feature that owns, or owned, a tool. */
  readonly ownerOf?: (tool: string) => string | undefined;
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  readonly authority: BoundaryDeps["authority"];
  readonly author?: BoundaryDeps["author"];
  readonly sandbox?: BoundaryDeps["sandbox"];
  readonly onFault?: NonNullable<BoundaryDeps["onFault"]>;
  readonly onDecision?: NonNullable<BoundaryDeps["onDecision"]>;
  readonly secrets?: NonNullable<BoundaryDeps["secrets"]>;
  readonly context: (signal: AbortSignal) => ToolContext;
  readonly beforeChange?: NonNullable<BoundaryDeps["beforeChange"]>;
  readonly onProgress?: NonNullable<BoundaryDeps["onProgress"]> | undefined;
  readonly perform?: BoundaryDeps["perform"];
  /** How many bytes of MCP servers' tools each request may have; beyond, they are only named. */
  readonly toolBytes?: number | undefined;
}

/** Builds the deck of one session. Throws a TypeError that names what is missing. */
export function createDeck(given: DeckDeps): Deck {
  requireDeps(given);
  const { tools, ownerOf, toolBytes, ...deps } = given;
  const present = typeof tools === "function" ? tools : () => tools;
  let usable: readonly InstalledTool[] = [];
  let ofServersThen: readonly InstalledTool[] = [];
  let offered = NOTHING_OFFERED;
  let ofServers: readonly ToolContribution[] = [];
  let shown: readonly ToolContribution[] = [];
  let descriptors: Deck["descriptors"] = [];
  let named: Deck["named"] = [];
  beginTurn();
  const find = (name: string): FoundTool | undefined =>
    findTool(present(), name) ?? ofServers.find(({ tool }) => tool.name === name);
  const { cwd, home } = deps.context(new AbortController().signal);
  const boundary = createBoundary({
    find,
    names: () => [...descriptors, ...named].map(({ name }) => name),
    ownerOf,
    definitionOf: (name) => named.find((each) => each.name === name),
    ...deps,
  });
  /** A tool that a rule denies stands for nothing. */
  const standsFor = (call: ToolCall): ToolCall | string =>
    ofServers.some(({ tool }) => tool.name === call.name) ? meantCall(call, offered) : call;
  const meant = (call: ToolCall): ToolCall => {
    const found = standsFor(call);
    return typeof found === "string" ? call : found;
  };
  return {
    get descriptors() {
      return descriptors;
    },
    get named() {
      return named;
    },
    beginTurn,
    beginRequest,
    meant,
    ownerOf: (tool) => find(tool)?.feature ?? ownerOf?.(tool),
    exec: boundary.exec,
    async run(call, signal) {
      const found = standsFor(call);
      if (typeof found === "string") return ended(call, "failed", found);
      const outcome = await boundary.run(found, signal);
      return found === call ? outcome : { finalInput: found.input, ...outcome };
    },
    waits(call) {
      const { name, input } = meant(call);
      const contribution = find(name);
      try {
        return (
          contribution?.waits ??
          contribution?.accesses(input, cwd, home).some((access) => access.kind === "execute") ??
          false
        );
      } catch {
        return false; // the boundary reports unreadable arguments, as an outcome
      }
    },
    warmUp: async () => {
      // A schema that does not compile is reported by the call that needs it.
      await Promise.allSettled(shown.map((contribution) => compileSchema(contribution.tool.parameters)));
    },
  };

  /** A tool whose calls are all refused would only cost the model a turn. */
  function isShown({ tool, always, rests }: ToolContribution & Pick<InstalledTool, "rests">): boolean {
    return !rests?.() && deps.permissions.refusesAll(tool.name, always) === undefined;
  }

  function beginTurn(): void {
    ofServersThen = present().filter(isOfServer);
    show(present().filter(isShown));
  }

  function beginRequest(): void {
    const now = present().filter(isOfServer);
    if (isSameList(now, ofServersThen)) return;
    ofServersThen = now;
    show([...usable.filter((each) => !isOfServer(each)), ...now.filter(isShown)]);
  }

  /** Tools shown before keep their places, so that the provider's cache of the list stays valid. */
  function show(now: readonly InstalledTool[]): void {
    if (isSameList(now, usable)) return;
    usable = now;
    offered = offerTools(now, offered, toolBytes);
    ofServers = toolsOfServers(offered, () => offered).filter(isShown);
    const byName = new Map(
      [...offered.described, ...ofServers].map((each) => [each.tool.name, each] as const),
    );
    const kept = shown.flatMap(({ tool }) => byName.get(tool.name) ?? []);
    shown = [...new Set([...kept, ...byName.values()])];
    descriptors = shown.map((contribution) => contribution.tool.descriptor());
    named = offered.deferred.map(definitionOf);
  }
}

function isSameList(one: readonly InstalledTool[], other: readonly InstalledTool[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}

/** The tool of that name, or the one that it means in another spelling: models know some tools by other agents' names. */
function findTool(tools: readonly InstalledTool[], name: string): InstalledTool | undefined {
  const named = (wanted: string | undefined): InstalledTool | undefined =>
    tools.find(({ tool }) => tool.name === wanted);
  // No two tools' names differ only in case.
  return (
    named(name) ??
    tools.find(({ tool }) => tool.name.toLowerCase() === name.toLowerCase()) ??
    named(builtinToolName(name))
  );
}

const NEEDED = {
  tools: ["a list", "a function"],
  permissions: ["an object"],
  hooks: ["an object"],
  authority: ["an object"],
  context: ["a function"],
} as const;

/** For callers without types. */
function requireDeps(given: unknown): void {
  const deps = (given ?? {}) as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(NEEDED).flatMap(([name, expected]: readonly [string, readonly string[]]) => {
    const found = kindOf(deps[name]);
    return expected.includes(found) ? [] : [`${name} must be ${expected.join(" or ")}, found ${found}`];
  });
  if (wrong.length > 0)
    throw new TypeError(`createDeck takes { ${Object.keys(NEEDED).join(", ")} }: ${wrong.join("; ")}`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === undefined || value === null) return "nothing";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

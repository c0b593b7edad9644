// The session's tools: what the registry committed, behind the boundary, as one tool box.

import type { ToolContext } from "indusagi/capabilities";
import { compileSchema } from "indusagi/core";
import type { ToolContribution } from "../feature/contract.ts";
import type { SessionHooks } from "../feature/hooks.ts";
import { type BoundaryDeps, createBoundary } from "./boundary.ts";
import type { Deck } from "./contract.ts";
import type { Permissions } from "./permissions/permissions.ts";

export interface DeckDeps {
  readonly tools: readonly ToolContribution[];
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  readonly authority: BoundaryDeps["authority"];
  readonly onFault?: NonNullable<BoundaryDeps["onFault"]>;
  readonly secrets?: NonNullable<BoundaryDeps["secrets"]>;
  readonly context: (signal: AbortSignal) => ToolContext;
}

/** A deck whose tools may become others between two turns. */
export interface LiveDeck extends Deck {
  /** From the next turn on; idle only, because a turn shows the model one set of tools. */
  readonly replace: (tools: readonly ToolContribution[]) => void;
  /** What it holds now. */
  readonly contributions: () => readonly ToolContribution[];
}

/** Builds the deck of one session. */
export function createDeck({ tools: first, ...deps }: DeckDeps): LiveDeck {
  const byName = new Map<string, ToolContribution>();
  let tools: readonly ToolContribution[] = [];
  let descriptors: Deck["descriptors"] = [];
  replace(first);
  const cwd = deps.context(new AbortController().signal).cwd;
  return {
    get descriptors() {
      return descriptors;
    },
    replace,
    contributions: () => tools,
    ...createBoundary({ tools: byName, ...deps }),
    waits: ({ name, input }) => {
      const contribution = byName.get(name);
      try {
        return (
          contribution?.waits ??
          contribution?.accesses(input, cwd).some((access) => access.kind === "execute") ??
          false
        );
      } catch {
        return false; // arguments that cannot be read are told by the boundary, as an outcome
      }
    },
    warmUp: async () => {
      // A schema that does not compile is told by the call that needs it.
      await Promise.allSettled(tools.map((contribution) => compileSchema(contribution.tool.parameters)));
    },
  };
  function replace(next: readonly ToolContribution[]): void {
    tools = next;
    byName.clear();
    for (const contribution of next) byName.set(contribution.tool.name, contribution);
    descriptors = next.map((contribution) => contribution.tool.descriptor());
  }
}

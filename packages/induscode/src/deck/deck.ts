// The session's tools: what the registry committed, behind the boundary, as one tool box.

import type { ToolContext } from "indusagi/capabilities";
import { compileSchema } from "indusagi/core";
import type { ToolContribution } from "../feature/contract.ts";
import type { SessionHooks } from "../feature/hooks.ts";
import { createBoundary } from "./boundary.ts";
import type { Deck } from "./contract.ts";
import type { Permissions } from "./permissions/permissions.ts";

export interface DeckDeps {
  readonly tools: readonly ToolContribution[];
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  readonly context: (signal: AbortSignal) => ToolContext;
}

/** Builds the deck of one session. */
export function createDeck({ tools, permissions, hooks, context }: DeckDeps): Deck {
  const byName = new Map(tools.map((contribution) => [contribution.tool.name, contribution]));
  const cwd = context(new AbortController().signal).cwd;
  return {
    descriptors: tools.map((contribution) => contribution.tool.descriptor()),
    ...createBoundary({ tools: byName, permissions, hooks, context }),
    waits: ({ name, input }) => {
      try {
        return (
          byName
            .get(name)
            ?.accesses(input, cwd)
            .some((access) => access.kind === "execute") ?? false
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
}

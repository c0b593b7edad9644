// The session's tools: what the registry committed, behind the boundary, as one tool box.

import type { ToolContext } from "indusagi/capabilities";
import type { ToolContribution } from "../feature/contract.ts";
import { createBoundary } from "./boundary.ts";
import type { Deck } from "./contract.ts";
import type { Permissions } from "./permissions/permissions.ts";

export interface DeckDeps {
  readonly tools: readonly ToolContribution[];
  readonly permissions: Permissions;
  readonly context: (signal: AbortSignal) => ToolContext;
}

/** Builds the deck of one session. */
export function createDeck({ tools, permissions, context }: DeckDeps): Deck {
  const byName = new Map(tools.map((contribution) => [contribution.tool.name, contribution]));
  return {
    descriptors: tools.map((contribution) => contribution.tool.descriptor()),
    run: createBoundary({ tools: byName, permissions, context }),
  };
}

// The feature that contributes the tool for delegates.

import { type DelegateRole, onlyReads } from "../../deck/builtins/delegate-roles.ts";
import { createToolFeature } from "../../deck/builtins/tool-feature.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { askedAgents, taskTool } from "./task-tool.ts";

export interface DelegatesFacts {
  readonly roles: readonly DelegateRole[];
  /** One delegate at a time, whatever it can do: a recording is replayed in the order in which it was made. */
  readonly oneByOne?: boolean | undefined;
}

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

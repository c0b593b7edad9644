// The names of a crew's worktrees, and where they are.

import { join } from "node:path";

/** The name of a ticket's tree and branch: readable, and unique to this ticket. */
export function treeName({ id, title }: { readonly id: string; readonly title: string }): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["ticket"];
  return `${words.join("-").slice(0, 40).replace(/-$/, "")}-${id.slice(-8)}`;
}

export function treesIn(crewFolder: string): string {
  return join(crewFolder, "trees");
}

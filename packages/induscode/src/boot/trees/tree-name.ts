// What the worktrees of a crew are called, and where they lie.

import { join } from "node:path";

/** What a ticket's tree and branch are called: to be read, and of this ticket alone. */
export function treeName({ id, title }: { readonly id: string; readonly title: string }): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["ticket"];
  return `${words.join("-").slice(0, 40).replace(/-$/, "")}-${id.slice(-8)}`;
}

export function treesIn(crewFolder: string): string {
  return join(crewFolder, "trees");
}

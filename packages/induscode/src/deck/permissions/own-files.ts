// The files that a session's permitted calls have made, by real path.

import type { GitFiles } from "../shell/git-place.ts";
import type { PermissionDecision } from "./decision-types.ts";
import type { ResolvedAccess } from "./resolved-access.ts";

export interface OwnFiles {
  /** Returns the decision. If the call may run, what it writes and is not there yet will be this session's. */
  readonly noted: (
    decision: PermissionDecision,
    resolved: readonly ResolvedAccess[],
  ) => Promise<PermissionDecision>;
  readonly has: (realPath: string) => boolean;
}

export function createOwnFiles(files: Pick<GitFiles, "stat"> | undefined): OwnFiles {
  const made = new Set<string>();
  return {
    async noted(decision, resolved) {
      if (decision.kind !== "allow") return decision;
      const all = [
        ...resolved,
        ...resolved.flatMap(({ command }) => command?.parts.flatMap(({ opens }) => opens) ?? []),
      ];
      for (const { access, realPath } of all)
        if (access.kind === "write" && realPath !== undefined && !(await isThere(realPath)))
          made.add(realPath);
      return decision;
    },
    has: (realPath) => made.has(realPath),
  };

  async function isThere(path: string): Promise<boolean> {
    return files === undefined || (await files.stat(path).then(Boolean, () => false));
  }
}

// Looks up what a decision needs to know of the machine: where paths really lead, and what a command line does.

import type { GitVerdicts } from "../shell/git-verdicts.ts";
import type { CommandFactsDeps } from "./command-facts.ts";
import type { PermissionRequest } from "./decision-types.ts";
import type { PermissionMode } from "./modes.ts";
import type { ResolvedAccess } from "./resolved-access.ts";

interface ResolverDeps
  extends Pick<CommandFactsDeps, "home" | "isBash" | "realPath" | "files" | "isOwn" | "hasFileRules"> {
  readonly mode: () => PermissionMode;
  readonly isPlanning: () => boolean;
}

/** `isCheck`: not only what rules refuse matters. */
export type ResolveAccesses = (
  request: PermissionRequest,
  isCheck?: boolean,
) => Promise<readonly ResolvedAccess[]>;

export function createResolver({ mode, isPlanning, ...deps }: ResolverDeps): ResolveAccesses {
  const { realPath, hasFileRules } = deps;
  const gitVerdicts: GitVerdicts = new Map();
  return resolveAll;

  /** Some modes let a command pass whatever git may run; before the check itself, only what rules refuse matters. */
  function asksGit(isConfined: boolean, isCheck: boolean): boolean {
    const passes = !isPlanning() && (mode() === "bypass" || (mode() === "auto" && isConfined));
    return hasFileRules || (isCheck && !passes);
  }

  async function resolveAll(
    { accesses, confined, leaving }: PermissionRequest,
    isCheck = true,
  ): Promise<readonly ResolvedAccess[]> {
    return Promise.all(
      accesses.map(async (access): Promise<ResolvedAccess> => {
        if (access.kind === "execute") {
          const { commandFacts } = await import("./command-facts.ts");
          return {
            access,
            command: await commandFacts(access.command, access.cwd, {
              ...deps,
              gitVerdicts,
              asksGit: asksGit(confined === true, isCheck),
            }),
            isConfined: confined ? true : undefined,
            leaving,
          };
        }
        if (access.kind !== "read" && access.kind !== "write") return { access };
        try {
          return { access, realPath: await realPath(access.path) };
        } catch {
          return { access }; // fails closed: without a real place it stays undecided; deny rules see the written path
        }
      }),
    );
  }
}

// What a person allowed "this session". Kept as the literal things that were shown, never as patterns: a name with a star
// in it must not become a rule that covers more.

import { dirname } from "node:path";
import { isInside } from "indusagi/core";
import type { Access } from "../../feature/contract.ts";
import { isProtected } from "./protected-names.ts";
import type { ResolvedAccess } from "./rules.ts";

/** One allowed thing of one tool: a command in its folder, a host, or files. */
type SessionGrant =
  | { readonly kind: "execute"; readonly tool: string; readonly command: string; readonly cwd: string }
  | { readonly kind: "network"; readonly tool: string; readonly host: string }
  | { readonly kind: "delegate"; readonly tool: string; readonly agent: string }
  /** `place` is a folder with everything in it, or one file. */
  | {
      readonly kind: Access["kind"] & ("read" | "write");
      readonly tool: string;
      readonly place: string;
      readonly whole: boolean;
    };

export interface SessionGrants {
  readonly add: (tool: string, shown: ResolvedAccess) => void;
  readonly cover: (tool: string, resolved: ResolvedAccess) => boolean;
}

export function createSessionGrants(root: string): SessionGrants {
  const grants: SessionGrant[] = [];
  return {
    add(tool, shown) {
      const grant = grantFor(tool, shown, root);
      if (grant) grants.push(grant);
    },
    cover: (tool, resolved) => grants.some((grant) => grant.tool === tool && covers(grant, resolved, root)),
  };
}

/** What a "this session" answer to this access would allow, for the person to read. */
export function describeSessionGrant(tool: string, shown: ResolvedAccess, root: string): string {
  const grant = grantFor(tool, shown, root);
  if (!grant) return `${tool}, this once`;
  if (grant.kind === "execute") return `${tool}(${grant.command})`;
  if (grant.kind === "network") return `${tool}(${grant.host})`;
  if (grant.kind === "delegate") return `${tool}(${grant.agent})`;
  return grant.whole ? `${tool} anywhere in ${grant.place}` : `${tool}(${grant.place})`;
}

/** Undefined where nothing may be remembered: a path whose real place cannot be told. */
function grantFor(
  tool: string,
  { access, realPath }: ResolvedAccess,
  root: string,
): SessionGrant | undefined {
  if (access.kind === "execute") return { kind: "execute", tool, command: access.command, cwd: access.cwd };
  if (access.kind === "network") return { kind: "network", tool, host: access.host };
  if (access.kind === "delegate") return { kind: "delegate", tool, agent: access.agent };
  if (realPath === undefined) return undefined;
  // Inside the working directory a question has a special reason, and the answer is about that one file.
  const whole = !isInside(root, realPath);
  return { kind: access.kind, tool, place: whole ? dirname(realPath) : realPath, whole };
}

function covers(grant: SessionGrant, { access, realPath }: ResolvedAccess, root: string): boolean {
  switch (grant.kind) {
    case "execute":
      return access.kind === "execute" && access.command === grant.command && access.cwd === grant.cwd;
    case "network":
      return access.kind === "network" && access.host === grant.host;
    case "delegate":
      return access.kind === "delegate" && access.agent === grant.agent;
    default:
      if (access.kind !== grant.kind || realPath === undefined) return false;
      if (!grant.whole) return realPath === grant.place;
      return (
        isInside(grant.place, realPath) && !isProtected(grant.place, realPath) && !isInside(root, realPath)
      );
  }
}

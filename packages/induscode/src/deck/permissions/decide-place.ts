// Whether reading or writing a place, or another deed by itself, is open: no rule and no mode lets it pass without a question.

import { relative, resolve } from "node:path";
import { isInside } from "indusagi/core";
import { holdsAnswers } from "../../store/answers.ts";
import { actsByLink } from "../../store/linked-places.ts";
import { type Acts, protectedAs } from "../../store/protected-names.ts";
import type { PermissionMode } from "./modes.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import type { CompiledRule } from "./rules.ts";

interface PlaceDeciderDeps {
  /** The mode in force: while a plan is made, read-only. */
  readonly mode: () => PermissionMode;
  readonly allowRules: readonly CompiledRule[];
  /** The working directory, as a real path. */
  readonly root: string;
  /** Where the product stores the person's data, as a real path; absent: nowhere. */
  readonly store?: string | undefined;
  readonly readable: readonly string[];
  readonly isDocument: (realPath: string) => boolean;
}

interface PlaceDecider {
  /** Why it is open for this tool; undefined if it is not. */
  readonly openReason: (tool: string, place: ResolvedAccess) => string | undefined;
  /** It stores the person's answers. */
  readonly isAnswer: (place: ResolvedAccess) => boolean;
  /** What `bypass` allows must end with the session: anything written in the home is seen by all later ones. */
  readonly isKeptForLater: (place: ResolvedAccess) => boolean;
}

const WHAT_ACTS: Readonly<Record<Acts, string>> = {
  "agents read as instructions": "agents read it as instructions",
  "configures tools that run automatically": "it configures tools that run automatically",
};

export function createPlaceDecider({
  mode,
  allowRules,
  root,
  store,
  readable,
  isDocument,
}: PlaceDeciderDeps): PlaceDecider {
  return { openReason, isAnswer, isKeptForLater };

  function openReason(tool: string, resolved: ResolvedAccess): string | undefined {
    if (allowRules.some((rule) => rule.covers(tool, resolved))) return undefined;
    const { access, realPath: real } = resolved;
    if (isKeptForLater(resolved)) return `${tool} writes ${real}, which later sessions use`;
    if (mode() === "bypass") return undefined;
    if (access.kind === "delegate") return undefined; // its own actions are asked about when they happen
    if (access.kind === "execute") return "no rule allows this command";
    if (access.kind === "network") return `no rule allows a connection to ${access.host}`;
    const verb = access.kind === "read" ? "reads" : "writes";
    if (real === undefined) return `${tool} ${verb} ${access.path}, whose real path cannot be determined`;
    if (access.kind === "read" && readable.some((folder) => isInside(folder, real))) return undefined;
    if (!isInside(root, real)) return `${tool} ${verb} outside the working directory: ${real}`;
    const acts = access.kind === "write" ? actsLater(access.path, real) : undefined;
    if (acts) return `${relative(root, real)} is protected: ${WHAT_ACTS[acts]}`;
    const isAsked = access.kind === "write" && mode() === "ask";
    return isAsked ? `the permission mode is ask and ${tool} writes ${relative(root, real)}` : undefined;
  }

  function isAnswer({ access, realPath: real }: ResolvedAccess): boolean {
    return access.kind === "write" && store !== undefined && real !== undefined && holdsAnswers(store, real);
  }

  function isKeptForLater({ access, realPath: real }: ResolvedAccess): boolean {
    if (access.kind !== "write" || store === undefined || real === undefined) return false;
    return isInside(store, real) && !(isInside(store, root) && isInside(root, real));
  }

  function actsLater(path: string, real: string): Acts | undefined {
    return (
      protectedAs(root, real, resolve(root, path)) ??
      actsByLink(root, real) ??
      (isDocument(real) ? "agents read as instructions" : undefined)
    );
  }
}

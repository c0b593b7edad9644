// Which files an allowed call may open in the end: a path may lead elsewhere by then.

import type { FsScope } from "indusagi/capabilities";
import { isInside } from "indusagi/core";
import type { PermissionMode } from "./modes.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import type { CompiledRule } from "./rules.ts";

interface ScopeDeps {
  /** The mode in force. */
  readonly mode: () => PermissionMode;
  readonly denyRules: readonly CompiledRule[];
  readonly denial: (tool: string, resolved: readonly ResolvedAccess[]) => CompiledRule | undefined;
  readonly openReason: (tool: string, place: ResolvedAccess) => string | undefined;
}

/**
 * Turns the decision about paths into one about the places that are opened in the end: those of the call, and those that need no
 * question. A tool that looks below a folder must not see there what a deny rule names.
 */
export function fileScope(
  tool: string,
  resolved: readonly ResolvedAccess[],
  { mode, denyRules, denial, openReason }: ScopeDeps,
): FsScope | undefined {
  const places = resolved.flatMap(({ access, realPath: real }) =>
    real !== undefined && (access.kind === "read" || access.kind === "write")
      ? [{ kind: access.kind, real }]
      : [],
  );
  // A command can go anywhere, and so can everything in bypass.
  const isBound = places.length > 0 && mode() !== "bypass" && resolved.every(isNoCommand);
  const hasDenials = denyRules.some((rule) => rule.pattern !== undefined); // the other rules refuse whole calls
  if (!isBound && !hasDenials) return undefined;
  const permits =
    (kind: "read" | "write") =>
    (path: string): boolean => {
      const place: ResolvedAccess = { access: { kind, path }, realPath: path };
      if (denial(tool, [place])) return false;
      if (!isBound || places.some((each) => covers(each, kind, path))) return true;
      return openReason(tool, place) === undefined;
    };
  return {
    mayRead: permits("read"),
    mayWrite: permits("write"),
    allows: isBound ? "what this call was permitted" : "what no deny rule applies to",
  };
}

function isNoCommand({ access }: ResolvedAccess): boolean {
  return access.kind !== "execute";
}

interface PermittedPlace {
  readonly kind: "read" | "write";
  readonly real: string;
}

/** Reading covers what is below a folder; writing covers the file, its own content, and the folders made for it. */
function covers({ kind, real }: PermittedPlace, asked: "read" | "write", path: string): boolean {
  if (kind === "read") return asked === "read" && isInside(real, path);
  return path === real || (asked === "write" && isInside(path, real));
}

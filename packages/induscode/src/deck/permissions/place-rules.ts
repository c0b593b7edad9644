// What rules say about files, for a guard that checks places and not calls: the sandbox keeps a command from what a rule refuses, and
// from what a rule asks about, because nobody is asked there.

import type { PatternPlaces } from "./path-pattern.ts";
import type { PermissionPolicy } from "./permissions.ts";
import { compileRule } from "./rules.ts";

/** Undefined if no rule is about files. Expects real paths. */
export function createPlaceRules(
  policy: Pick<PermissionPolicy, "ask" | "deny">,
  places: Pick<PatternPlaces, "root" | "home" | "twins">,
): ((kind: "read" | "write", path: string) => boolean) | undefined {
  const rules = [...policy.deny, ...policy.ask]
    .map((rule) => compileRule(rule, places))
    .filter((rule) => rule.isAboutFiles);
  if (rules.length === 0) return undefined;
  return (kind, path) =>
    rules.some((rule) =>
      // A rule that refuses all reading is about the tools that read: no command can start without reading.
      TOOLS[kind].some(
        (tool) =>
          (kind === "write" || rule.pattern !== undefined) &&
          rule.touches(tool, { access: { kind, path }, realPath: path }),
      ),
    );
}

/** The tools named by rules about reading, and about writing. */
const TOOLS = { read: ["read"], write: ["write", "edit"] } as const;

// What rules say about files, for a guard that checks places and not calls: the sandbox keeps a command from what a rule refuses, and
// from what a rule asks about, because nobody is asked there.

import type { PatternPlaces } from "./path-pattern.ts";
import type { PermissionPolicy } from "./permissions.ts";
import { compileRule } from "./rules.ts";

type IsRefused = (path: string) => boolean;

/** Undefined if no rule is about files; `read` is absent if none is about reading them. Expects real paths. */
export function createPlaceRules(
  policy: Pick<PermissionPolicy, "ask" | "deny">,
  places: Pick<PatternPlaces, "root" | "home" | "twins">,
): { readonly read?: IsRefused | undefined; readonly write: IsRefused } | undefined {
  const named = [...policy.deny, ...policy.ask].map((rule) => ({ ...rule, ...compileRule(rule, places) }));
  const rules = named.filter((rule) => rule.isAboutFiles);
  if (rules.length === 0) return undefined;
  const touches =
    (kind: "read" | "write", tools: readonly string[], among: typeof rules): IsRefused =>
    (path) =>
      among.some((rule) =>
        tools.some((tool) => rule.touches(tool, { access: { kind, path }, realPath: path })),
      );
  // A rule that refuses all reading is about the tools that read: no command can start without reading.
  const onReading = rules.filter(({ builtin, pattern }) => builtin === "read" && pattern !== undefined);
  return {
    read: onReading.length === 0 ? undefined : touches("read", ["read"], onReading),
    write: touches("write", ["write", "edit"], rules),
  };
}

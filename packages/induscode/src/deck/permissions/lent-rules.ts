// Rules that allow for a while, as those that a typed command asks for.

import type { PatternPlaces } from "./path-pattern.ts";
import { type CompiledRule, compileRule, type PermissionRule } from "./rules.ts";

/** Adds them to the rules that allow; the returned function takes them back. */
export function lendRules(
  allowRules: CompiledRule[],
  rules: readonly PermissionRule[],
  places: PatternPlaces,
): () => void {
  const lent = rules.map((rule) => compileRule(rule, places));
  allowRules.push(...lent);
  return () => {
    const rest = allowRules.filter((rule) => !lent.includes(rule));
    allowRules.splice(0, allowRules.length, ...rest);
  };
}

// A decision by a rule, in words.

import type { RuleLayer, Ruling } from "../../feature/decision.ts";
import type { CompiledRule } from "./rules.ts";

export function rulingByRule(what: string, outcome: Ruling["outcome"], rule: CompiledRule): Ruling {
  const verb = { allow: "allows it", ask: "asks first", deny: "denies it" }[outcome];
  return { what, outcome, why: `the rule "${rule.source}" ${verb}`, ...ruleFacts(rule) };
}

/** Which rule it is, and where it was defined. */
export function ruleFacts({ source, place, layer = "flags" }: CompiledRule): {
  readonly rule: string;
  readonly layer: RuleLayer;
  readonly place?: string | undefined;
} {
  return { rule: source, layer, place };
}

// What can be said of a matcher before anything runs: the names that it lists, and that it can never match.

import type { HookEventRow } from "./hook-events.ts";

/** No sign of a regular expression. */
const PLAIN = /^[\w ,|-]*$/;
/** As a permission rule is written: with a sign that no tool's name has. */
const RULE = /^\w+\(([^()|]*)\)$/;

/** The names that a matcher lists; undefined for one that is a regular expression. */
export function plainNames(matcher: string): readonly string[] | undefined {
  return PLAIN.test(matcher) ? matcher.split(/[|,]/).map((name) => name.trim()) : undefined;
}

type UsedRow = Extract<HookEventRow, { readonly moment: unknown }>;

/** Why a hook with this matcher never runs; undefined if it may. */
export function neverMatches(matcher: string, { matches }: UsedRow): string | undefined {
  if (matches === "nothing" || matcher.trim() === "" || matcher === "*") return undefined;
  const said = `its matcher ${JSON.stringify(matcher)}`;
  if (matches === "tool" && /[ :/]/.test(RULE.exec(matcher)?.[1] ?? ""))
    return `${said} is a rule, and no tool is called so: write the tool's name, and the rule as "if"`;
  const names = plainNames(matcher);
  if (typeof matches === "string" || names === undefined) return undefined;
  if (names.some((name) => matches.includes(name))) return undefined;
  return `${said} never matches: the only ${matches.length === 1 ? "reason here is" : "reasons here are"} ${matches.join(" and ")}`;
}

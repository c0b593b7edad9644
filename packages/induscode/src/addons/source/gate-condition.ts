// What a manifest may require of a tool's arguments: text rules that take time in proportion to the text. Regular
// expressions are unsupported on purpose: a repository's pattern would decide how long the session waits.

import { includesText, type JsonValue, matchWildcard } from "indusagi/core";
import type { GateEffort } from "./gate-effort.ts";

/** Holds if, for each kind of rule that is given, at least one rule matches. */
export interface ArgumentCondition {
  /** The name of the argument to look at. */
  readonly argument: string;
  /** `*` is any run and `?` any character; the whole text must match. */
  readonly glob: readonly string[];
  readonly startsWith: readonly string[];
  readonly contains: readonly string[];
}

/** The longest glob, in characters. */
export const MAX_GLOB_LENGTH = 128;
/** The longest text that globs are matched against. */
export const MAX_GLOB_TEXT_LENGTH = 65_536;

/**
 * Whether the named argument matches. Runs of white space count as one blank, in rules and in text, so that `rm  -rf` still
 * matches `rm -rf`; an argument that is not text is compared as its JSON. A missing argument never matches; one that is too
 * long for globs always does, because a limit must not be a way past a gate. Throws once `effort` is used up.
 */
export function conditionHolds(condition: ArgumentCondition, args: JsonValue, effort: GateEffort): boolean {
  const value = argumentNamed(condition.argument, args);
  if (value === undefined) return false;
  const text = effort.textOf(condition.argument, () =>
    foldBlanks(typeof value === "string" ? value : JSON.stringify(value)),
  );
  const isTooLong = text.length > MAX_GLOB_TEXT_LENGTH;
  const anyFits = (rules: readonly string[], fits: (rule: string) => boolean): boolean =>
    rules.length === 0 || rules.some((rule) => fits(foldBlanks(rule)));
  return (
    anyFits(condition.startsWith, (start) => text.startsWith(start)) &&
    anyFits(condition.contains, (part) => {
      effort.spend(text.length);
      return includesText(text, part);
    }) &&
    anyFits(condition.glob, (glob) => {
      if (!isTooLong) effort.spend(text.length * stepsOf(glob));
      return isTooLong || matchWildcard(glob, text);
    })
  );
}

/** How often a glob looks at each character: with a `?`, once for every 32 characters of the glob. */
function stepsOf(glob: string): number {
  return glob.includes("?") ? Math.ceil(glob.length / 32) : 1;
}

function argumentNamed(name: string, args: JsonValue): JsonValue | undefined {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

function foldBlanks(text: string): string {
  return text.replace(/\s+/g, " ");
}

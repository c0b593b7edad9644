// The part of a tool's schema that the host checks arguments against. The schema comes from the addon and the check runs in
// the host's own thread, so only what takes bounded time is kept: evaluating a whole schema can hang.

import type { JsonSchema, JsonValue } from "indusagi/core";

interface CheckableSchema {
  readonly schema: JsonSchema;
  /** What the host leaves to the program, in words; empty if it checks everything. */
  readonly unchecked: readonly string[];
}

/** Objects and lists with every reference followed: each may have to look at each value of the arguments. */
const MAX_PARTS = 500;
/** How many plain values of a list, such as an enum, cost as much as one part. */
const VALUES_A_PART = 10;

/** Keywords whose cost is not bounded by the size of the schema and of the value. */
const COSTLY: readonly string[] = ["pattern", "patternProperties", "format", "uniqueItems"];
/** References that are resolved while a value is checked. */
const DYNAMIC: readonly string[] = ["$dynamicRef", "$recursiveRef"];

/**
 * The schema without the keywords that may take forever. If it refers to itself or to something it does not contain, or
 * expands to more than {@link MAX_PARTS}, the host checks only that the arguments are an object and leaves the rest to the
 * program.
 */
export function checkableSchema(schema: JsonSchema): CheckableSchema {
  const text = JSON.stringify(schema);
  const lost: Lost = {
    keywords: new Set(),
    refers: false,
    hasCostly: COSTLY.some((key) => text.includes(`"${key}"`)),
  };
  const copy = withoutCostly(schema, lost) as JsonSchema;
  const problem = excessOf(copy);
  if (problem !== undefined) return { schema: { type: "object" }, unchecked: [problem] };
  return { schema: copy, unchecked: [...lost.keywords].sort() };
}

/** What was omitted from a part of the schema. */
interface Lost {
  readonly keywords: Set<string>;
  /** Whether it refers to another part, which may have lost something. */
  refers: boolean;
  /** Whether the whole schema may have anything to lose. */
  readonly hasCostly: boolean;
}

function withoutCostly(value: JsonValue, lost: Lost, isNames = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutCostly(item, lost));
  if (typeof value !== "object" || value === null) return value;
  if (isNames)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutCostly(item, lost)]));
  // Otherwise names that only a pattern allowed would now be refused.
  const isOpen = Object.hasOwn(value, "patternProperties");
  const kept: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (key.startsWith("__") || BASES.includes(key)) continue;
    if (key === "$ref") lost.refers = true;
    if (
      COSTLY.includes(key) ||
      (isOpen && key === "additionalProperties") ||
      (lost.hasCostly && REST.includes(key))
    ) {
      lost.keywords.add(key);
      continue;
    }
    const part: Lost = { ...lost, keywords: new Set(), refers: false };
    const copy = LITERAL.includes(key) ? item : withoutCostly(item, part, NAMED.includes(key));
    const isLooser = part.keywords.size > 0 || (part.refers && lost.hasCostly);
    for (const keyword of part.keywords) lost.keywords.add(keyword);
    lost.refers ||= part.refers;
    if (isLooser && STRICTER.includes(key)) lost.keywords.add(key);
    else kept.push([key, copy]);
  }
  return Object.fromEntries(kept);
}

/** Keywords that refuse more when the schema below them takes more. */
const STRICTER: readonly string[] = ["not", "oneOf", "if"];
/** Keywords that depend on what others matched, in this part or in one that it refers to. */
const REST: readonly string[] = ["unevaluatedProperties", "unevaluatedItems", "maxContains"];

/** Other ways to change what a reference means; keys that begin with `__` are the checker's own notes. */
const BASES: readonly string[] = ["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];
/** Objects whose keys are names, not keywords. */
const NAMED: readonly string[] = ["properties", "$defs", "definitions", "dependentSchemas"];
/** Values that are not schemas. */
const LITERAL: readonly string[] = ["enum", "const", "default", "examples", "required", "dependentRequired"];

/** Why the schema cannot be checked in bounded time; undefined if it can. Takes bounded time itself. */
function excessOf(root: JsonSchema): string | undefined {
  let left = MAX_PARTS;
  const open = new Set<JsonValue>();

  function visit(value: JsonValue, isNames = false): string | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    left -= 1 + (Array.isArray(value) ? Math.floor(value.length / VALUES_A_PART) : 0);
    if (left < 0) return `it expands to more than ${MAX_PARTS} parts`;
    if (Array.isArray(value)) return firstProblem(value, (item) => visit(item));
    if (open.has(value)) return "it refers to itself";
    open.add(value);
    const problem = firstProblem(Object.entries(value), ([key, item]) =>
      isNames ? visit(item) : visitKeyword(key, item),
    );
    open.delete(value);
    return problem;
  }

  function visitKeyword(key: string, item: JsonValue): string | undefined {
    if (key === "$defs" || key === "definitions") return undefined; // counted where something refers to them
    if (DYNAMIC.includes(key)) return `it uses ${key}`;
    if (key !== "$ref") return visit(item, NAMED.includes(key));
    const target = typeof item === "string" ? targetOf(root, item) : undefined;
    return target === undefined ? "it refers to something that it does not contain" : visit(target);
  }

  return visit(root);
}

function firstProblem<T>(
  items: readonly T[],
  problemOf: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// Plain names only: the checker might interpret any other spelling differently.
const REFERENCE = /^#(\/[\w.$-]+)*$/;

/** What `#/a/b` names in the schema. */
function targetOf(root: JsonSchema, reference: string): JsonValue | undefined {
  if (!REFERENCE.test(reference)) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of reference.split("/").slice(1)) {
    if (typeof at !== "object" || at === null || Array.isArray(at) || !Object.hasOwn(at, step))
      return undefined;
    at = at[step];
  }
  return at;
}

// A schema of any dialect as one of draft 2020-12 that contains all it refers to: models and checks are given the same.

import { isTable, type JsonObject, type JsonValue } from "../json-value.ts";
import { brief } from "../trim-ends.ts";
import { holdsOf } from "./schema-keywords.ts";
import type { Reference, SchemaSource } from "./schema-source.ts";

export interface Translation {
  readonly schema: JsonObject;
  /** What it no longer says, in words. */
  readonly lost: readonly string[];
  /** Whether a part of it refers to another. */
  readonly refers: boolean;
  /** Whether its size and that of a value do not bound what a check costs. */
  readonly isCostly: boolean;
}

/** Names of parts and dialects, which nothing needs once each reference is a pointer; and what is written in another way. */
const DROPPED: readonly string[] = [
  ...[
    "$schema",
    "$vocabulary",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "additionalItems",
  ],
];
/** What an old dialect heeds beside a reference. */
const BESIDE_A_REFERENCE: readonly string[] = [
  ...["$ref", "$defs", "definitions", "title", "description", "default", "examples"],
];
/** Keywords that may take any time: patterns, and what may go round in circles or hold everything against everything. */
const COSTLY: readonly string[] = [
  ...["$ref", "$dynamicRef", "$recursiveRef", "pattern", "patternProperties", "format", "uniqueItems"],
];
/** Keywords that refuse more when others take more. */
const STRICTER: readonly string[] = [
  ...["not", "oneOf", "if", "then", "else", "maxContains", "unevaluatedItems", "unevaluatedProperties"],
];

/** Never refuses: what has no meaning here is named as lost. */
export function translateSchema(source: SchemaSource): Translation {
  const exact = translation(source, false);
  // What is lost takes everything, and no value may be refused because of that.
  if (exact.lost.length === 0) return exact;
  const looser = translation(source, true);
  return { ...looser, lost: [...new Set([...exact.lost, ...looser.lost])] };
}

function translation({ root, isOld, referred }: SchemaSource, isLooser: boolean): Translation {
  const lost = new Set<string>();
  let isCostly = false;
  const places = new Map<JsonObject, string>();
  const references: { readonly copy: JsonObject; readonly target: JsonObject }[] = [];
  const schema = copied(root, "#") as JsonObject;
  // Grows meanwhile: a part that is brought in may refer to others.
  for (const { copy, target } of references) copy.$ref = places.get(target) ?? broughtIn(target);
  return { schema, lost: [...lost], refers: references.length > 0, isCostly };

  function copied(part: JsonValue, at: string): JsonValue {
    if (!isTable(part)) return part;
    const original = part as JsonObject;
    places.set(original, at);
    const copy: JsonObject = {};
    const besides: JsonValue[] = [];
    for (const [keyword, value] of Object.entries(original)) {
      const isIgnored = isOld && "$ref" in original && !BESIDE_A_REFERENCE.includes(keyword);
      if (isIgnored || DROPPED.includes(keyword) || keyword.startsWith("__")) continue;
      isCostly ||= COSTLY.includes(keyword);
      if (isLooser && isStricter(keyword, original)) lost.add(keyword);
      else if (isReference(keyword)) refer(original, keyword, copy, besides);
      else if (keyword === "items" && Array.isArray(value)) copyTuple(value, original, copy, at);
      else if (keyword === "dependencies") copyDependencies(value as JsonObject, original, copy, at);
      else if (keyword in BOUNDS) copyBound(keyword, original, copy);
      else if (isMeant(keyword, value)) copy[keyword] = copyOf(keyword, value, `${at}/${keyword}`);
    }
    if (besides.length > 0) copy.allOf = [...((copy.allOf as JsonValue[] | undefined) ?? []), ...besides];
    return copy;
  }

  function copyOf(keyword: string, value: JsonValue, at: string): JsonValue {
    const holds = holdsOf(keyword);
    if (holds === undefined || holds === "value") return value;
    if (Array.isArray(value)) return value.map((item, index) => copied(item, `${at}/${index}`));
    if (holds !== "named schemas") return copied(value, at);
    const entries = Object.entries(value as JsonObject);
    const kept = keyword === "patternProperties" ? entries.filter(([name]) => isPattern(name)) : entries;
    return Object.fromEntries(kept.map(([name, item]) => [name, copied(item, `${at}/${pointerStep(name)}`)]));
  }

  function refer(from: JsonObject, keyword: Reference, copy: JsonObject, besides: JsonValue[]): void {
    const target = referred(from, keyword);
    if (!target.ok) lost.add(target.why);
    else if (typeof target.part === "boolean") besides.push(target.part);
    else {
      const holder: JsonObject = keyword === "$ref" || !("$ref" in from) ? copy : {};
      if (holder !== copy) besides.push(holder);
      holder.$ref = ""; // until every part has its place
      references.push({ copy: holder, target: target.part });
    }
  }

  /** Puts a part that stands where schemas do not among the definitions. */
  function broughtIn(target: JsonObject): string {
    const definitions = (schema.$defs ?? {}) as JsonObject;
    schema.$defs = definitions;
    let name = "part";
    for (let at = 2; Object.hasOwn(definitions, name); at++) name = `part${at}`;
    const at = `#/$defs/${name}`;
    definitions[name] = copied(target, at);
    return at;
  }

  function isMeant(keyword: string, value: JsonValue): boolean {
    if (keyword === "pattern") return isPattern(value as string);
    // The checker looks a format up in an ordinary object.
    if (keyword === "format") return !((value as string) in Object.prototype);
    return holdsOf(keyword) !== undefined || typeof value !== "object"; // a table of the author's own means nothing here
  }

  function isPattern(text: string): boolean {
    try {
      return new RegExp(text, "u") instanceof RegExp;
    } catch {
      lost.add(`"${brief(text)}" is not a valid pattern`);
      return false;
    }
  }

  /** Up to 2019-09, `items` may be a list, and `additionalItems` is what comes after it. */
  function copyTuple(items: readonly JsonValue[], original: JsonObject, copy: JsonObject, at: string): void {
    if ("prefixItems" in original) return;
    if (items.length > 0) copy.prefixItems = copyOf("prefixItems", [...items], `${at}/prefixItems`);
    if (original.additionalItems !== undefined) copy.items = copied(original.additionalItems, `${at}/items`);
  }

  /** Up to draft 7, one keyword for lists of names and for schemas. */
  function copyDependencies(
    dependencies: JsonObject,
    original: JsonObject,
    copy: JsonObject,
    at: string,
  ): void {
    const [lists, schemas] = [true, false].map((isList) =>
      Object.fromEntries(Object.entries(dependencies).filter(([, item]) => Array.isArray(item) === isList)),
    );
    if (lists && !("dependentRequired" in original)) copy.dependentRequired = lists;
    if (schemas && !("dependentSchemas" in original))
      copy.dependentSchemas = copyOf("dependentSchemas", schemas, `${at}/dependentSchemas`);
  }
}

function isStricter(keyword: string, { patternProperties }: JsonObject): boolean {
  return (
    STRICTER.includes(keyword) || (keyword === "additionalProperties" && patternProperties !== undefined)
  );
}

function isReference(keyword: string): keyword is Reference {
  return keyword === "$ref" || keyword === "$dynamicRef" || keyword === "$recursiveRef";
}

/** In draft 4, `exclusiveMinimum: true` says something of `minimum`. */
const BOUNDS: Readonly<Record<string, string>> = { exclusiveMinimum: "minimum", exclusiveMaximum: "maximum" };

function copyBound(keyword: string, original: JsonObject, copy: JsonObject): void {
  const value = original[keyword];
  const bound = BOUNDS[keyword] ?? "";
  if (typeof value === "number") copy[keyword] = value;
  else if (value === true && original[bound] !== undefined) copy[keyword] = original[bound]; // stricter than the bound itself
}

function pointerStep(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

// A schema as it came: every part of it checked for its keywords, and what its references refer to.

import { isTable, type JsonObject, type JsonValue } from "../json-value.ts";
import { brief } from "../trim-ends.ts";
import { expectedOf, holdsOf } from "./schema-keywords.ts";

/** Why a schema is none, in words that follow its name. */
export class SchemaProblem extends Error {}

export type Reference = "$ref" | "$dynamicRef" | "$recursiveRef";

/** What a reference refers to: a part of the schema, or why there is none. */
export type Target =
  | { readonly ok: true; readonly part: JsonObject | boolean }
  | { readonly ok: false; readonly why: string };

export interface SchemaSource {
  readonly root: JsonObject;
  /** Whether what stands beside a `$ref` has no meaning, as in draft 3 to 7. */
  readonly isOld: boolean;
  readonly referred: (from: JsonObject, keyword: Reference) => Target;
}

/** The base of a schema that does not name itself. */
const NO_NAME = "schema:///";

/** Throws a {@link SchemaProblem} for a keyword that holds what it must not. */
export function schemaSource(root: JsonObject): SchemaSource {
  const { $schema } = root;
  const dialect = typeof $schema === "string" ? /draft-0([3-7])\b/.exec($schema)?.[1] : undefined;
  const bases = new Map<JsonObject, string>();
  const resources = new Map<string, JsonObject>();
  const anchors = new Map<string, JsonObject>();
  const dynamic = new Map<string, number>();
  resources.set(NO_NAME, root);
  addParts(root, NO_NAME, "schema");
  return { root, isOld: dialect !== undefined, referred };

  function addParts(part: JsonValue, outer: string, at: string): void {
    if (!isTable(part)) return;
    const object = part as JsonObject;
    const base = named(object, outer);
    bases.set(object, base);
    for (const [keyword, value] of Object.entries(object)) {
      const expected = expectedOf(keyword, value);
      const place = `${at}/${brief(keyword)}`;
      if (expected !== undefined)
        throw new SchemaProblem(`${brief(place, 300)} must be ${expected}, found ${found(value)}`);
      for (const [name, item] of partsOf(keyword, value)) addParts(item, base, `${place}${name}`);
    }
  }

  /** Notes the names of a part, and returns the base of the references in it. */
  function named(part: JsonObject, outer: string): string {
    const { $id, id, $anchor, $dynamicAnchor, $recursiveAnchor } = part;
    const hasId = dialect === undefined || Number(dialect) <= 4;
    const own = typeof $id === "string" ? $id : hasId && typeof id === "string" ? id : undefined;
    const url = own === undefined ? undefined : URL.parse(own, outer);
    let base = outer;
    if (url && url.hash.length > 1) anchors.set(url.href, part);
    else if (url) {
      url.hash = "";
      base = url.href;
      resources.set(base, part);
    }
    for (const anchor of [$anchor, $dynamicAnchor])
      if (typeof anchor === "string") anchors.set(`${base}#${anchor}`, part);
    const again = $recursiveAnchor === true ? RECURSIVE : $dynamicAnchor;
    if (typeof again === "string") dynamic.set(again, (dynamic.get(again) ?? 0) + 1);
    return base;
  }

  function referred(from: JsonObject, keyword: Reference): Target {
    const reference = String(from[keyword]);
    const base = bases.get(from) ?? NO_NAME;
    const url = URL.parse(reference, base);
    const [resource = "", fragment = ""] = url?.href.split(/#(.*)/s) ?? [];
    const named = keyword === "$recursiveRef" ? RECURSIVE : fragment;
    const shown = `"${brief(reference)}"`;
    if (keyword !== "$ref" && (dynamic.get(named) ?? 0) > 1)
      return { ok: false, why: `what its ${keyword} ${shown} refers to depends on where it is used` };
    const start = resources.get(resource);
    if (start === undefined && !reference.startsWith("#"))
      return { ok: false, why: `it refers to ${shown}, which is not part of it and is not fetched` };
    const part = start && (anchors.get(`${resource}#${fragment}`) ?? partAt(start, fragment));
    if (typeof part !== "boolean" && !isTable(part))
      return { ok: false, why: `it refers to ${shown}, which it does not contain` };
    // A part that stands where schemas do not, such as in a table of the author's own.
    if (isTable(part) && !bases.has(part as JsonObject)) addParts(part as JsonObject, resource, shown);
    return { ok: true, part: part as JsonObject | boolean };
  }
}

/** The name that marks `$recursiveAnchor: true` among the dynamic anchors; no anchor has a blank in its name. */
const RECURSIVE = "$recursiveAnchor true";

/** The schemas that a keyword holds, each with its place below it. */
export function partsOf(
  keyword: string,
  value: JsonValue,
): readonly (readonly [place: string, part: JsonValue])[] {
  const holds = holdsOf(keyword);
  if (holds === undefined || holds === "value") return [];
  if (Array.isArray(value)) return value.map((item, at) => [`/${at}`, item]);
  if (holds === "schema" || holds === "schema or schemas") return [["", value]];
  return Object.entries(value as JsonObject).map(([name, item]) => [`/${brief(name)}`, item]);
}

/** What a JSON pointer, as written after the `#` of a URL, leads to. */
export function partAt(start: JsonObject, pointer: string): JsonValue | undefined {
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  let at: JsonValue | undefined = start;
  for (const step of pointer.split("/").slice(1)) {
    const name = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as JsonObject)[name];
  }
  return at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign, which stands for itself
  }
}

function found(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= 60
    ? text
    : Array.isArray(value)
      ? "a list"
      : isTable(value)
        ? "an object"
        : "a long text";
}

// Schemas from outside: whatever an author handed over, in whichever dialect, as a schema of draft 2020-12 or as a reason.

import { describeError } from "../faults.ts";
import { isTable, type JsonObject, type JsonValue } from "../json-value.ts";
import { plainJson } from "../plain-json.ts";
import { plainSchema } from "./plain-schema.ts";
import { partAt, partsOf, SchemaProblem, schemaSource } from "./schema-source.ts";
import { translateSchema } from "./translate-schema.ts";

/** A schema as models and checks are given it, or why there is none. */
export type SchemaReading =
  | {
      readonly ok: true;
      /** Of draft 2020-12, plain, and containing whatever it refers to. */
      readonly schema: JsonObject;
      /** What it no longer says, in words: nothing is held against that. Empty if it says everything. */
      readonly unchecked: readonly string[];
      /** Whether its size and that of a value do not bound what a check costs. */
      readonly isCostly: boolean;
    }
  | { readonly ok: false; readonly problem: string };

/** Reads a schema of any dialect. Takes bounded time and never throws, whatever it is given. Nothing is fetched. */
export function readSchema(foreign: unknown): SchemaReading {
  const simple = plainSchema(foreign);
  return simple === undefined ? readAnySchema(foreign) : { ok: true, unchecked: [], ...simple };
}

/** The same for whatever it is, by the whole way. */
export function readAnySchema(foreign: unknown): SchemaReading {
  const plain = plainJson(foreign);
  if (!plain.ok) return plain;
  const root = typeof plain.value === "boolean" ? ofBoolean(plain.value) : plain.value;
  if (!isTable(root))
    return {
      ok: false,
      problem: `expected a schema (an object), found ${Array.isArray(root) ? "a list" : JSON.stringify(plain.value).slice(0, 60)}`,
    };
  try {
    const { schema, lost, refers, isCostly } = translateSchema(schemaSource(root as JsonObject));
    if (refers) requireEnd(schema);
    return { ok: true, schema, unchecked: lost, isCostly };
  } catch (error) {
    return { ok: false, problem: error instanceof SchemaProblem ? error.message : describeError(error) };
  }
}

function ofBoolean(takesAll: boolean): JsonObject {
  return takesAll ? {} : { not: {} };
}

/** Keywords whose schemas are held against the same value. */
const IN_PLACE: readonly string[] = [
  ...["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"],
];
/** How many schemas in a row may be held against one value. */
const MAX_IN_A_ROW = 200;

/** Refuses a schema that refers to itself for the same value, such as `{ "$ref": "#" }`: no check of it would end. */
function requireEnd(root: JsonObject): void {
  const heights = new Map<JsonValue, number>();
  const parts: JsonValue[] = [root];
  for (const part of parts) {
    if (!isTable(part)) continue;
    height(part as JsonObject, 0);
    for (const [keyword, value] of Object.entries(part as JsonObject))
      parts.push(...partsOf(keyword, value).map(([, item]) => item));
  }

  function height(part: JsonObject, depth: number): number {
    const known = heights.get(part);
    if (known !== undefined && depth + known <= MAX_IN_A_ROW) return known;
    if (depth > MAX_IN_A_ROW)
      throw new SchemaProblem(
        `it refers to itself without end, or more than ${MAX_IN_A_ROW} of its parts in a row apply to one value`,
      );
    const below = IN_PLACE.flatMap((keyword) => inPlace(keyword, part[keyword]));
    const found = 1 + Math.max(0, ...below.map((item) => height(item, depth + 1)));
    heights.set(part, found);
    return found;
  }

  function inPlace(keyword: string, value: JsonValue | undefined): readonly JsonObject[] {
    if (value === undefined) return [];
    const items =
      keyword === "$ref"
        ? [schemaPart(root, value as string)]
        : partsOf(keyword, value).map(([, item]) => item);
    return items.filter((item): item is JsonObject => isTable(item));
  }
}

/** What a reference of a schema that was read refers to. */
export function schemaPart(schema: JsonObject, reference: string): JsonValue | undefined {
  return partAt(schema, reference.slice(1));
}

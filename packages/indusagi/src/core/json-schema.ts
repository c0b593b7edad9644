// Holds values against JSON Schemas of any dialect.

import { isTable, type JsonObject } from "./json-value.ts";
import { readSchema } from "./read-schema.ts";

export type { JsonObject, JsonValue } from "./json-value.ts";

/** A JSON Schema for an object of named arguments. */
export type JsonSchema = JsonObject;

/** Describes what is wrong with a value in words a model can act on; undefined if it fits. Never rejects. */
export type SchemaCheck = (value: unknown) => Promise<string | undefined>;

const checks = new WeakMap<JsonSchema, SchemaCheck>();

/**
 * The check for `schema`, which may come from anywhere and be of any dialect; it is read once per schema object. An ordinary
 * check is made at once, one that may take long on a thread of its own. A schema that is none takes no value, and its check
 * says why. Never rejects.
 */
export async function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known) return known;
  const reading = readSchema(schema);
  const check = reading.ok
    ? await checkOf(reading.schema)
    : async () => `their schema is not valid: ${reading.problem}`;
  if (isTable(schema)) checks.set(schema, check);
  return check;
}

async function checkOf(schema: JsonObject): Promise<SchemaCheck> {
  const { schemaInterpreter } = await import("./schema-interpreter.ts");
  const effort = effortOf(schema);
  return async (value) => {
    const isQuick = effort !== undefined && effort * countOf(value) <= MAX_QUICK_STEPS;
    return isQuick
      ? schemaInterpreter.problemOf(schema, value)
      : (await import("./check-thread.ts")).problemOnThread(schema, value);
  };
}

/** Some ten milliseconds: no caller notices. */
const MAX_QUICK_STEPS = 100_000;

/** Keywords whose cost the sizes of the schema and of the value do not bound. */
const COSTLY: readonly string[] = ["$ref", "pattern", "patternProperties", "format", "uniqueItems"];

/** How much a schema may look at for each value that it is held against; undefined if nobody can tell. */
function effortOf(schema: JsonObject): number | undefined {
  const text = JSON.stringify(schema);
  // A property of such a name counts as well; its check is only made elsewhere.
  return COSTLY.some((keyword) => text.includes(`"${keyword}":`)) ? undefined : countOf(schema);
}

/** How many values a value holds, itself among them. */
function countOf(value: unknown): number {
  const all = [value];
  // Grows meanwhile.
  for (const each of all)
    if (typeof each === "object" && each !== null) for (const item of Object.values(each)) all.push(item);
  return all.length;
}

/** Why `schema` is not a valid schema, of whatever dialect; undefined if it is. Never throws. */
export function schemaProblem(schema: unknown): string | undefined {
  const reading = readSchema(schema);
  return reading.ok ? undefined : reading.problem;
}

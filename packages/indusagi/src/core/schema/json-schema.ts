// Holds values against JSON Schemas of any dialect.

import { isTable, type JsonObject } from "../json-value.ts";
import { readSchema, type SchemaReading } from "./read-schema.ts";

export type { JsonObject, JsonValue } from "../json-value.ts";

/** A JSON Schema for an object of named arguments. */
export type JsonSchema = JsonObject;

/** Describes what is wrong with a value in words a model can act on; undefined if it fits. Never rejects. */
export type SchemaCheck = (value: unknown) => Promise<string | undefined>;

/**
 * The check for `schema`, which may come from anywhere and be of any dialect. It is read once for each schema object, by the
 * first check. An ordinary check is made at once, one that may take long on a thread of its own. A schema that is none takes no
 * value, and its check says why. Never rejects.
 */
export async function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const { schemaInterpreter } = await import("./schema-interpreter.ts");
  return async (value) => {
    const { reading, effort } = readOnce(schema);
    if (!reading.ok) return invalid(reading.problem);
    const isQuick = effort !== undefined && effort * countOf(value) <= MAX_QUICK_STEPS;
    return isQuick
      ? schemaInterpreter.problemOf(reading.schema, value)
      : (await import("./check-thread.ts")).problemOnThread(reading.schema, value);
  };
}

/**
 * The same for one value, on this thread however long it takes: for a process that keeps nobody else waiting and may have no
 * memory for a thread. Never rejects.
 */
export async function problemHere(schema: JsonSchema, value: unknown): Promise<string | undefined> {
  const { schemaInterpreter } = await import("./schema-interpreter.ts");
  const { reading } = readOnce(schema);
  return reading.ok ? schemaInterpreter.problemOf(reading.schema, value) : invalid(reading.problem);
}

const invalid = (problem: string): string => `their schema is not valid: ${problem}`;

interface ReadSchema {
  readonly reading: SchemaReading;
  /** How much a check may look at for each value; undefined if nobody can tell. */
  readonly effort: number | undefined;
}

const readings = new WeakMap<JsonSchema, ReadSchema>();

function readOnce(schema: JsonSchema): ReadSchema {
  const known = readings.get(schema);
  if (known) return known;
  const reading = readSchema(schema);
  const read = { reading, effort: reading.ok && !reading.isCostly ? countOf(reading.schema) : undefined };
  if (isTable(schema)) readings.set(schema, read);
  return read;
}

/** Some ten milliseconds: no caller notices. */
const MAX_QUICK_STEPS = 100_000;

/** How many values a value holds, itself among them. */
function countOf(value: unknown): number {
  const all = [value];
  // Grows meanwhile.
  for (const each of all)
    if (typeof each === "object" && each !== null) for (const item of Object.values(each)) all.push(item);
  return all.length;
}

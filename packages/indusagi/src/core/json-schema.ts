// Holds values against JSON Schemas of any dialect.

import { describeError } from "./faults.ts";
import { isTable, type JsonObject } from "./json-value.ts";
import { readSchema } from "./read-schema.ts";
import { brief } from "./trim-ends.ts";

export type { JsonObject, JsonValue } from "./json-value.ts";

/** A JSON Schema for an object of named arguments. */
export type JsonSchema = JsonObject;

/** Describes what is wrong with a value in words a model can act on; undefined if it is valid. Never throws. */
export type SchemaCheck = (value: unknown) => string | undefined;

const checks = new WeakMap<JsonSchema, SchemaCheck>();

/**
 * The check for `schema`, compiled once per schema object. It is an interpreter: it loads in a tenth of the time that a
 * compiling validator takes, a tool call needs it only once, and it never turns untrusted data into code. Never rejects: a
 * schema that is none takes no value, and the check says why.
 */
export async function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known) return known;
  const reading = readSchema(schema);
  const check = reading.ok
    ? await checkOf(reading.schema)
    : () => `their schema is not valid: ${reading.problem}`;
  if (isTable(schema)) checks.set(schema, check);
  return check;
}

async function checkOf(schema: JsonObject): Promise<SchemaCheck> {
  const { Validator } = await import("@cfworker/json-schema");
  try {
    const validator = new Validator(schema, "2020-12", false);
    return (value) => {
      try {
        const { valid, errors } = validator.validate(value);
        return valid ? undefined : explain(errors);
      } catch (error) {
        return cannot(error);
      }
    };
  } catch (error) {
    return () => cannot(error);
  }
}

function cannot(error: unknown): string {
  return `they cannot be held against their schema: ${brief(describeError(error), MAX_ERROR_CHARS)}`;
}

/** Why `schema` is not a valid schema, of whatever dialect; undefined if it is. Never throws. */
export function schemaProblem(schema: unknown): string | undefined {
  const reading = readSchema(schema);
  return reading.ok ? undefined : reading.problem;
}

const MAX_PROBLEMS = 5;
/** For one error, which can quote a whole enum. */
const MAX_ERROR_CHARS = 500;

interface SchemaError {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly error: string;
}

// Keywords that only repeat an error found deeper.
const SUMMARIES: ReadonlySet<string> = new Set([
  "properties",
  "items",
  "prefixItems",
  "false",
  "$ref",
  "allOf",
]);

function explain(errors: readonly SchemaError[]): string {
  const deepest = errors.filter(({ keyword }) => !SUMMARIES.has(keyword));
  const told = deepest.length > 0 ? deepest : errors.filter(({ keyword }) => keyword === "false");
  return [...new Set(told.map(explainOne))].slice(0, MAX_PROBLEMS).join("; ");
}

function explainOne({ instanceLocation, keyword, error }: SchemaError): string {
  const place = brief(instanceLocation.replace(/^#\/?/, "").replaceAll("/", "."));
  const where = place || "the arguments";
  const [first, second] = [...error.matchAll(/"([^"]*)"/g)].map(([, quoted = ""]) => brief(quoted));
  if (keyword === "required")
    return place === "" ? `"${first}" is missing` : `${place}: "${first}" is missing`;
  if (keyword === "additionalProperties")
    return place === "" ? `unknown argument "${first}"` : `${place}: unknown key "${first}"`;
  if (keyword === "false") return `${where} must not be there`;
  if (keyword === "type") return `${where} must be ${second}, got ${first}`;
  const oneOf = keyword === "enum" ? /^Instance does not match any of (.+)\.$/s.exec(error)?.[1] : undefined;
  if (oneOf !== undefined) return `${where} must be one of ${brief(oneOf, MAX_ERROR_CHARS)}`;
  return `${where}: ${brief(error, MAX_ERROR_CHARS)}`;
}

// JSON Schema (draft 2020-12) validation of values, and of the schemas themselves.

import type { Ajv2020 } from "ajv/dist/2020.js";
import { brief } from "./trim-ends.ts";

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object: string keys, JSON values. */
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema for an object of named arguments. */
export type JsonSchema = JsonObject;

/** Describes what is wrong with a value in words a model can act on; undefined if it is valid. Never throws. */
export type SchemaCheck = (value: unknown) => string | undefined;

const checks = new WeakMap<JsonSchema, SchemaCheck>();

/**
 * The check for `schema`, compiled once per schema object. It is an interpreter: it loads in a tenth of the time that a
 * compiling validator takes, a tool call needs it only once, and it never turns untrusted data into code.
 */
export async function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known) return known;
  const { Validator } = await import("@cfworker/json-schema");
  const validator = new Validator(schema, "2020-12", false);
  const check: SchemaCheck = (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? undefined : explain(errors);
  };
  checks.set(schema, check);
  return check;
}

// Holds no state between checks. Creating it compiles the meta-schema, 40 ms.
let validator: Ajv2020 | undefined;

/** Why `schema` is not a valid schema; undefined if it is. Schemas from outside are checked once, before they are used. */
export async function schemaProblem(schema: JsonSchema): Promise<string | undefined> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  validator ??= new Ajv2020({ strict: false, logger: false });
  const ajv = validator;
  return ajv.validateSchema(schema) === true
    ? undefined
    : brief(ajv.errorsText(ajv.errors, { dataVar: "schema" }), MAX_ERROR_CHARS);
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
const SUMMARIES: ReadonlySet<string> = new Set(["properties", "items", "prefixItems", "false", "$ref"]);

function explain(errors: readonly SchemaError[]): string {
  const problems = errors.filter(({ keyword }) => !SUMMARIES.has(keyword)).map(explainOne);
  return [...new Set(problems)].slice(0, MAX_PROBLEMS).join("; ") || "they do not match the schema";
}

function explainOne({ instanceLocation, keyword, error }: SchemaError): string {
  const place = brief(instanceLocation.replace(/^#\/?/, "").replaceAll("/", "."));
  const where = place || "the arguments";
  const [first, second] = [...error.matchAll(/"([^"]*)"/g)].map(([, quoted = ""]) => brief(quoted));
  if (keyword === "required")
    return place === "" ? `"${first}" is missing` : `${place}: "${first}" is missing`;
  if (keyword === "additionalProperties")
    return place === "" ? `unknown argument "${first}"` : `${place}: unknown key "${first}"`;
  if (keyword === "type") return `${where} must be ${second}, got ${first}`;
  const oneOf = keyword === "enum" ? /^Instance does not match any of (.+)\.$/s.exec(error)?.[1] : undefined;
  if (oneOf !== undefined) return `${where} must be one of ${brief(oneOf, MAX_ERROR_CHARS)}`;
  return `${where}: ${brief(error, MAX_ERROR_CHARS)}`;
}

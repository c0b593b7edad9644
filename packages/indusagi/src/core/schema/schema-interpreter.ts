// The interpreter that holds a value against a schema, on this thread or on another, which loads it by its location.

import { type Schema, Validator } from "@cfworker/json-schema";
import { describeError } from "../faults.ts";
import type { JsonObject } from "../json-value.ts";
import { brief } from "../trim-ends.ts";

/** A single object, because a bundler drops exports that only the thread uses. */
export const schemaInterpreter: { readonly moduleUrl: string; readonly problemOf: typeof problemOf } = {
  moduleUrl: import.meta.url,
  problemOf,
};

const validators = new WeakMap<JsonObject, Validator>();

/** What is wrong with `value`; undefined if it fits. Takes as long as `schema` wants, which `readSchema` made. Never throws. */
function problemOf(schema: JsonObject, value: unknown): string | undefined {
  try {
    const validator = validators.get(schema) ?? new Validator(schema as Schema, "2020-12", false);
    validators.set(schema, validator);
    const { valid, errors } = validator.validate(value);
    return valid ? undefined : explain(errors);
  } catch (error) {
    return uncheckable(describeError(error));
  }
}

/** For a value that nobody can hold against its schema. */
export function uncheckable(why: string): string {
  return `they cannot be checked against their schema: ${brief(why, MAX_ERROR_CHARS)}`;
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
  return (
    [...new Set(told.map(explainOne))].slice(0, MAX_PROBLEMS).join("; ") || "they do not match their schema"
  );
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

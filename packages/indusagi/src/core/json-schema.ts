import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object: string keys, JSON values. */
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema (draft 2020-12) for an object of named arguments. */
export type JsonSchema = JsonObject;

/** Says what is wrong with a value, in words a model can act on; undefined when it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

const checks = new WeakMap<JsonSchema, SchemaCheck>();
let compiler: Promise<Ajv2020> | undefined;

// Loaded on first use: the validator costs more to load than everything else on the way to the first request.
async function loadCompiler(): Promise<Ajv2020> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  // ownProperties: without it, `__proto__` and `toString` satisfy `required`.
  return new Ajv2020({
    ownProperties: true,
    allErrors: true,
    strict: false,
    logger: false,
    validateFormats: false,
  });
}

/** Compiles `schema` once (kept per schema object). Rejects when the schema itself is invalid. */
export async function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const known = checks.get(schema);
  if (known) return known;
  compiler ??= loadCompiler();
  const validate = (await compiler).compile(schema);
  const check: SchemaCheck = (value) => (validate(value) ? undefined : explain(validate, value));
  checks.set(schema, check);
  return check;
}

const MAX_PROBLEMS = 5;

function explain(validate: ValidateFunction, value: unknown): string {
  const problems = (validate.errors ?? []).map((error) => explainOne(error, value));
  const shown = [...new Set(problems)].slice(0, MAX_PROBLEMS);
  return shown.join("; ") || "does not match the schema";
}

function explainOne(error: ErrorObject, value: unknown): string {
  const where = error.instancePath.slice(1).replaceAll("/", ".") || "the arguments";
  const params = error.params as Record<string, unknown>;
  if (error.keyword === "required") return `"${String(params.missingProperty)}" is missing`;
  if (error.keyword === "additionalProperties")
    return `"${String(params.additionalProperty)}" is not an argument`;
  if (error.keyword === "type")
    return `${where} must be ${String(params.type)}, got ${typeName(at(value, error.instancePath))}`;
  if (error.keyword === "enum") return `${where} must be one of ${JSON.stringify(params.allowedValues)}`;
  return `${where} ${error.message ?? "is invalid"}`;
}

function at(value: unknown, pointer: string): unknown {
  let current = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    current = (current as Record<string, unknown> | undefined)?.[key];
  }
  return current;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

// Arguments as models write them, fitted to a tool's schema: "2" for a number, null for an argument left out, a list as JSON text.
// Only an exact conversion with one meaning is made; everything else is left for the tool's own checks to refuse.

import type { JsonObject, JsonSchema, JsonValue } from "../../core/schema/json-schema.ts";

/** What {@link fitInput} made of a model's arguments. */
export interface FittedInput {
  /** The same object if nothing had to change. */
  readonly input: JsonValue;
  /** The arguments that were left out, as the tool takes none of that name. */
  readonly ignored: readonly string[];
}

/** Deeper values are taken as they are. */
const MAX_DEPTH = 32;
const MAX_REFERENCES = 8;

/**
 * Converts a model's arguments to the types of `schema`, a JSON Schema of any dialect, where the conversion is exact. In an object that
 * takes no further keys, a key in another spelling (`file_path` for `filePath`) is taken for the one it means, and any other unknown key is
 * left out, unless a required one is missing: it may be the one that was meant. Never throws for JSON values.
 */
export function fitInput(input: JsonValue, schema: JsonSchema): FittedInput {
  const ignored: string[] = [];
  return { input: fitValue(input, schema, { root: schema, ignored, depth: 0 }), ignored };
}

interface Fitting {
  readonly root: JsonSchema;
  readonly ignored: string[];
  readonly depth: number;
}

function fitValue(value: JsonValue, given: JsonValue | undefined, fitting: Fitting): JsonValue {
  const schema = resolved(given, fitting.root);
  if (schema === undefined || fitting.depth > MAX_DEPTH) return value;
  const types = typesOf(schema, fitting.root);
  const fitted = types === undefined || fits(value, types) ? value : converted(value, types);
  const within = { ...fitting, depth: fitting.depth + 1 };
  if (Array.isArray(fitted)) return fitItems(fitted, schema, within);
  if (isObject(fitted)) return fitFields(fitted, schema, within);
  return typeof fitted === "string" ? asListed(fitted, schema) : fitted;
}

function fitItems(items: JsonValue[], { items: each }: JsonObject, fitting: Fitting): JsonValue[] {
  if (!isObject(each)) return items;
  const fitted = items.map((item) => fitValue(item, each, fitting));
  return fitted.some((item, at) => item !== items[at]) ? fitted : items;
}

function fitFields(fields: JsonObject, schema: JsonObject, fitting: Fitting): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return fields;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
  const isMissing = (name: JsonValue): boolean =>
    typeof name === "string" && (!Object.hasOwn(fields, name) || fields[name] === null);
  const meant = (key: string): string | undefined => {
    const alike = Object.keys(properties).filter((name) => plain(name) === plain(key));
    const [only] = alike;
    return only !== undefined && alike.length === 1 && !Object.hasOwn(fields, only) ? only : undefined;
  };
  const entries: [string, JsonValue][] = [];
  const unknown: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    const name = Object.hasOwn(properties, key) || !isClosed ? key : meant(key);
    if (name === undefined) unknown.push([key, value]);
    else if (value !== null || required.includes(name) || takesNull(properties[name], fitting.root))
      entries.push([
        name,
        Object.hasOwn(properties, name) ? fitValue(value, properties[name], fitting) : value,
      ]);
  }
  const isComplete = required.every((name) => !isMissing(name) || entries.some(([key]) => key === name));
  if (isComplete) fitting.ignored.push(...unknown.map(([key]) => key));
  else entries.push(...unknown);
  const isSame =
    entries.length === Object.keys(fields).length &&
    entries.every(([key, value]) => Object.hasOwn(fields, key) && fields[key] === value);
  return isSame ? fields : Object.fromEntries(entries);
}

/** The value in another type that the schema takes; unchanged if no conversion is exact. */
function converted(value: JsonValue, types: ReadonlySet<string>): JsonValue {
  if (typeof value !== "string") return types.has("string") && hasOneSpelling(value) ? String(value) : value;
  const parsed = parsedJson(value.trim());
  return parsed !== undefined && fits(parsed, types) && isExact(parsed) ? parsed : value;
}

/** JSON, and Python's words for true and false. */
function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(/^(true|false)$/i.test(text) ? text.toLowerCase() : text) as JsonValue;
  } catch {
    return undefined; // it is no JSON, which is for the tool to refuse
  }
}

/** Whether a number was read without loss; an integer beyond 2^53 was not. */
function isExact(value: JsonValue): boolean {
  return typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** A fraction may have been written with zeros at its end (`1.10`), which are lost. */
function hasOneSpelling(value: JsonValue): boolean {
  return typeof value === "boolean" || Number.isSafeInteger(value);
}

/** One of the listed words, if the value is that word in another case. */
function asListed(value: string, { enum: words }: JsonObject): string {
  if (!Array.isArray(words) || words.includes(value)) return value;
  const alike = words.filter(
    (word): word is string => typeof word === "string" && word.toLowerCase() === value.toLowerCase(),
  );
  const [only] = alike;
  return only !== undefined && alike.length === 1 ? only : value;
}

function fits(value: JsonValue, types: ReadonlySet<string>): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value);
}

/** The types that the schema names, itself or in its alternatives; undefined if any type may do. */
function typesOf(schema: JsonObject, root: JsonSchema): ReadonlySet<string> | undefined {
  const { type } = schema;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((name) => typeof name === "string"));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(alternatives)) return undefined;
  const named = alternatives.map((each) => resolved(each, root)?.type);
  return named.every((name) => typeof name === "string") ? new Set(named) : undefined;
}

function takesNull(given: JsonValue | undefined, root: JsonSchema): boolean {
  const schema = resolved(given, root);
  if (schema === undefined) return true;
  if (schema.const === null || (Array.isArray(schema.enum) && schema.enum.includes(null))) return true;
  const types = typesOf(schema, root);
  return types === undefined ? !Array.isArray(schema.enum) : types.has("null");
}

/** The schema that a local reference leads to; undefined if there is none to read. */
function resolved(given: JsonValue | undefined, root: JsonSchema): JsonObject | undefined {
  let schema: JsonValue | undefined = given;
  for (let hops = 0; hops < MAX_REFERENCES; hops++) {
    if (!isObject(schema)) return undefined;
    const { $ref: reference } = schema;
    if (typeof reference !== "string") return schema;
    if (!reference.startsWith("#")) return undefined;
    schema = reference
      .split("/")
      .slice(1)
      .reduce<JsonValue | undefined>((at, step) => (isObject(at) ? at[unescaped(step)] : undefined), root);
  }
  return undefined;
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Without what spellings of one name differ in. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

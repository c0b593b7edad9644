// What each keyword of JSON Schema holds, in every dialect from draft 3 to 2020-12.

import { isTable, type JsonObject, type JsonValue } from "../json-value.ts";

/** What a keyword holds: schemas, which are read in their turn, or a plain value. */
export type Holds = "schema" | "schemas" | "schema or schemas" | "named schemas" | "dependencies" | "value";

const isText = (value: JsonValue): boolean => typeof value === "string";
const isFlag = (value: JsonValue): boolean => typeof value === "boolean";
const isNumber = (value: JsonValue): boolean => typeof value === "number";
const isCount = (value: JsonValue): boolean =>
  isNumber(value) && Number.isInteger(value) && Number(value) >= 0;
const isTexts = (value: JsonValue): boolean => Array.isArray(value) && value.every(isText);
const isType = (value: JsonValue): boolean => typeof value === "string" && TYPES.includes(value);

const TYPES: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

interface Form {
  readonly holds: Holds;
  /** In words, e.g. "a list of strings". */
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
}

function rows(
  names: string,
  holds: Holds,
  expected: string,
  fits: Form["fits"],
): (readonly [string, Form])[] {
  return names.split(" ").map((name) => [name, { holds, expected, fits }]);
}

const FORMS: ReadonlyMap<string, Form> = new Map([
  ...rows(
    "additionalItems additionalProperties contains contentSchema else if not propertyNames then unevaluatedItems unevaluatedProperties",
    "schema",
    "a schema",
    isSchema,
  ),
  ...rows("allOf anyOf oneOf prefixItems", "schemas", "a list of one schema or more", isSchemas),
  ...rows("items", "schema or schemas", "a schema or a list of schemas", (value) =>
    Array.isArray(value) ? value.every(isSchema) : isSchema(value),
  ),
  ...rows(
    "$defs definitions dependentSchemas patternProperties properties",
    "named schemas",
    "an object of schemas",
    (value) => isTable(value) && Object.values(value as JsonObject).every(isSchema),
  ),
  ...rows(
    "dependencies",
    "dependencies",
    "an object of schemas and lists of strings",
    (value) =>
      isTable(value) && Object.values(value as JsonObject).every((item) => isSchema(item) || isTexts(item)),
  ),
  ...rows(
    "dependentRequired",
    "value",
    "an object of lists of strings",
    (value) => isTable(value) && Object.values(value as JsonObject).every(isTexts),
  ),
  ...rows("type", "value", `one of ${TYPES.join(", ")}, or a list of these`, (value) =>
    Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value),
  ),
  ...rows("required", "value", "a list of strings", isTexts),
  ...rows("enum examples", "value", "a list", Array.isArray),
  ...rows("const default", "value", "a value", () => true),
  ...rows(
    "$anchor $comment $dynamicAnchor $dynamicRef $id $recursiveRef $ref $schema contentEncoding contentMediaType description format pattern title",
    "value",
    "a string",
    isText,
  ),
  ...rows("$recursiveAnchor deprecated readOnly uniqueItems writeOnly", "value", "true or false", isFlag),
  ...rows(
    "maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties",
    "value",
    "a whole number, 0 or more",
    isCount,
  ),
  ...rows("maximum minimum", "value", "a number", isNumber),
  ...rows(
    "exclusiveMaximum exclusiveMinimum",
    "value",
    "a number (in draft 4, true or false)",
    (value) => isNumber(value) || isFlag(value),
  ),
  ...rows("multipleOf", "value", "a number above 0", (value) => isNumber(value) && Number(value) > 0),
]);

function isSchema(value: JsonValue): boolean {
  return typeof value === "boolean" || isTable(value);
}

function isSchemas(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSchema);
}

/** What a keyword holds; undefined if JSON Schema has no such keyword. */
export function holdsOf(keyword: string): Holds | undefined {
  return FORMS.get(keyword)?.holds;
}

/** What is expected of a keyword whose value does not fit it; undefined if it fits. */
export function expectedOf(keyword: string, value: JsonValue): string | undefined {
  const form = FORMS.get(keyword);
  return form === undefined || form.fits(value) ? undefined : form.expected;
}

// What a tool takes, in one line for the model that sent something else.

import { brief, type JsonSchema, type JsonValue } from "indusagi/core";

const MAX_CHARS = 600;

/** The arguments of a tool by name and type, such as `{ path: string, offset?: integer }`. */
export function shapeText(parameters: JsonSchema): string {
  const { properties, required } = parameters;
  if (!isObject(properties) || Object.keys(properties).length === 0) return "no arguments";
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${needed.includes(name) ? "" : "?"}: ${typeText(schema)}`,
  );
  return brief(`{ ${fields.join(", ")} }`, MAX_CHARS);
}

function typeText(schema: JsonValue): string {
  if (!isObject(schema)) return "any";
  const { type, enum: words, items } = schema;
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(" | ");
  if (type === "array") return `${items === undefined ? "any" : typeText(items)}[]`;
  if (type === "object" && isObject(schema.properties)) return shapeText(schema);
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.join(" | ") : "any";
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

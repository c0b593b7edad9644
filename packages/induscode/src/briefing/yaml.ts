// The YAML library behind one function, loaded for the first header that needs it.

import { createRequire } from "node:module";
import type { FrontmatterValue } from "./contract.ts";

/**
 * A YAML document as strings, lists and tables: scalars never become numbers, dates or booleans, and an alias is an error (a
 * small text with aliases can stand for a huge one). Throws with the library's message when the text is not YAML.
 */
export function parseYaml(text: string): FrontmatterValue {
  if ((text.match(NESTING)?.length ?? 0) > MAX_NESTING) throw new Error("it is nested too deeply");
  const document = yaml().parseDocument(text, {
    schema: "failsafe",
    uniqueKeys: false, // the last of a repeated key counts, as in the flat reader
    prettyErrors: false,
    logLevel: "silent",
  });
  const [error] = document.errors;
  if (error) throw error;
  return asValue(document.toJS({ mapAsMap: true, maxAliasCount: 0 }));
}

// 4,096 opening brackets take the library 0.2 s, and a repository can contain many such files.
const NESTING = /[[{&]|\? |- - /g;
const MAX_NESTING = 100;

// Synchronous, because the loaders are, and not an import, because most sessions never need it.
const require = createRequire(import.meta.url);

function yaml(): typeof import("yaml") {
  return require("yaml");
}

// `Object.fromEntries` makes every key an own property: `__proto__` is a key like any other.
function asValue(value: unknown): FrontmatterValue {
  if (Array.isArray(value)) return value.map(asValue);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [keyText(key), asValue(item)]));
  return typeof value === "string" ? value : "";
}

function keyText(key: unknown): string {
  if (typeof key !== "string") throw new Error("a key must be a string");
  return key;
}

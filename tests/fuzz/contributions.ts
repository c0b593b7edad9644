// What the fuzzer of contributions draws: good ones with a few parts exchanged for what hurts, and schemas of every dialect.

import { isProxy } from "node:util/types";
import type { JsonObject, JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { isLong } from "../support/long-form.ts";
import { type Draw, drawJson } from "./draw.ts";
import { HOSTILE } from "./returns-deeds.ts";

/** As many as `npm test` draws. */
export const FEW = 1_200;
const isMuch = isLong || process.env.FUZZ_RUNS !== undefined;
export const HOW_MANY: number = Number(process.env.CONTRIBUTIONS ?? (isMuch ? 100_000 : FEW));
export const SEED: number = Number(process.env.FUZZ_SEED ?? 20_261_127);

const TYPES = ["object", "string", "array", "number", "integer", "null", "boolean", "any"];
const REFERENCES = [
  "#",
  "#/$defs/a",
  "#/definitions/a",
  "#/items/0",
  "#a",
  "a.json",
  "https://a.b/c",
  "#/gone",
  "http://[",
];
const PATTERNS = ["^a$", "(", "^(a+)+$", "[\\w-.]", "\\p{L}", "", "(?<n>a)\\k<n>"];
const DIALECTS = ["03", "04", "06", "07"].map((draft) => `http://json-schema.org/draft-${draft}/schema#`);

/** A schema that is often one, in no dialect for long. */
export function drawSchema(draw: Draw, depth = 4): JsonValue {
  if (draw.below(12) === 0) return draw.below(2) === 0;
  if (draw.below(40) === 0) return drawJson(draw);
  const schema: JsonObject = {};
  for (let count = draw.below(depth + 1); count > 0; count--)
    Object.assign(schema, drawKeyword(draw, depth - 1));
  return schema;
}

function drawKeyword(draw: Draw, depth: number): JsonObject {
  const below = (): JsonValue => drawSchema(draw, Math.max(0, depth));
  const named = (): JsonObject => ({ a: below(), [draw.of(["b", "__proto__", "$ref", "a/b~%"])]: below() });
  if (draw.below(25) === 0)
    return { [draw.of(["type", "items", "properties", "required", "$ref", "id", "x"])]: drawJson(draw, 2) };
  switch (draw.below(12)) {
    case 0:
      return {
        [draw.of(["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"])]: named(),
      };
    case 1:
      return { [draw.of(["allOf", "anyOf", "oneOf", "prefixItems", "items"])]: [below(), below()] };
    case 2:
      return {
        [draw.of([
          "items",
          "not",
          "if",
          "then",
          "else",
          "contains",
          "additionalProperties",
          "unevaluatedItems",
        ])]: below(),
      };
    case 3:
      return { [draw.of(["$ref", "$dynamicRef", "$recursiveRef"])]: draw.of(REFERENCES) };
    case 4:
      return {
        [draw.of(["$anchor", "$dynamicAnchor", "$id", "id"])]: draw.of([
          "a",
          "b",
          "#a",
          "https://a.b/c",
          "http://[",
        ]),
      };
    case 5:
      return { pattern: draw.of(PATTERNS), format: draw.of(["uri", "toString", "__proto__", "regex"]) };
    case 6:
      return { minimum: draw.below(9), exclusiveMinimum: draw.of<JsonValue>([true, false, 3]) };
    case 7:
      return { dependencies: { a: draw.of<JsonValue>([["b"], below(), "b"]) } };
    case 8:
      return {
        $schema: draw.of<JsonValue>([...DIALECTS, "https://json-schema.org/draft/2020-12/schema", "a", 7]),
      };
    case 9:
      return { required: draw.of<JsonValue>([["a"], ["toString"], true]), uniqueItems: true };
    case 10:
      return { enum: [drawJson(draw, 2)], const: drawJson(draw, 2) };
    default:
      return { type: draw.of<JsonValue>([...TYPES, ["object", "null"], []]) };
  }
}

/** A copy of `good` with up to three parts exchanged, or something else altogether. */
export function drawUnfit(draw: Draw, good: object): unknown {
  if (draw.below(30) === 0) return draw.of(HOSTILE);
  let copy: object = copied(good);
  for (let count = draw.below(4); count > 0; count--) copy = exchanged(draw, copy);
  return copy;
}

/** The same for what is written down: a copy with up to three parts left out, exchanged or added, or some other JSON. */
export function drawChanged(draw: Draw, good: JsonObject): JsonValue {
  if (draw.below(30) === 0) return drawJson(draw);
  const copy = structuredClone(good);
  for (let count = draw.below(4); count > 0; count--) {
    let holder: Record<string, JsonValue> | JsonValue[] = copy;
    for (let step = draw.below(4); step > 0; step--) {
      const inner: JsonValue | undefined = draw.of(Object.values(holder));
      if (typeof inner !== "object" || inner === null || Object.keys(inner).length === 0) break;
      holder = inner;
    }
    const key = draw.of(Object.keys(holder));
    const how = draw.below(4);
    if (how === 0) Reflect.deleteProperty(holder, key);
    else
      Reflect.set(
        holder,
        how === 1 && !Array.isArray(holder) ? draw.of(["more", `${key}s`]) : key,
        drawJson(draw, 3),
      );
  }
  return copy;
}

function copied(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isPlain(item) ? copied(item) : item]),
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || isProxy(value)) return false;
  return Object.getPrototypeOf(value) === Object.prototype && !Object.isFrozen(value);
}

function exchanged(draw: Draw, root: object): object {
  let holder = root;
  let key = draw.of([...Object.keys(root), "more"]);
  for (let step = draw.below(3); step > 0; step--) {
    const inner: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value;
    if (!isPlain(inner)) break;
    holder = inner;
    key = draw.of([...Object.keys(holder), "more"]);
  }
  const how = draw.below(5);
  if (how === 0) Reflect.deleteProperty(holder, key);
  else if (how === 1)
    Object.defineProperty(holder, key, {
      enumerable: true,
      configurable: true,
      get() {
        throw new Error("not to be read");
      },
    });
  else
    Object.defineProperty(holder, key, { value: how === 2 ? drawJson(draw) : draw.of(HOSTILE), ...WRITABLE });
  return root;
}

const WRITABLE = { enumerable: true, configurable: true, writable: true };

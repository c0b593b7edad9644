// What the fuzz suite draws: texts and values chosen to hurt parsers.

import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import * as fc from "../support/fast-check.ts";

/** Joins pieces into one text, so that what a parser knows and what it does not know meet often. */
export function textOf(pieces: readonly string[], maxPieces = 24): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  );
  return fc.array(piece, { maxLength: maxPieces }).map((parts) => parts.join(""));
}

/** Any text: characters of every plane, lone surrogates, controls, and now and then a large one. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  {
    weight: 2,
    arbitrary: textOf(["\ud800", "\udc00", "\0", "\r\n", "\u2028", "\ufeff", "é", "😀", "__proto__"]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.string({ minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 20_000 }))
      .map(([unit, times]) => unit.repeat(times)),
  },
);

/** Names that a careless copy would take for something of its own. */
export const POLLUTING: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
];

/** Keys of an object: the ones asked for, the ones that pollute, any other. */
function keyOf(names: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names, ...POLLUTING) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
  );
}

export const SCALARS: readonly JsonValue[] = [
  ...[null, true, false, "true", "", "0", -0, 0, 1, -1, 0.5, 1e308, 2 ** 53, -(2 ** 31)],
];

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  anyText,
  fc.constantFrom<JsonValue>(...SCALARS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON value with objects under the given keys; `__proto__` is an own key, as JSON.parse makes it. */
export function jsonOf(names: readonly string[]): fc.Arbitrary<JsonValue> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      scalar,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(keyOf(names), tie("value")), { maxLength: 6 }).map(objectFrom),
      fc.integer({ min: 50, max: 500 }).map(nested),
    ),
  }));
  return value;
}

/** An object of exactly the given fields, each there or not. */
export function bagOf(fields: Readonly<Record<string, fc.Arbitrary<JsonValue>>>): fc.Arbitrary<JsonValue> {
  const entries = Object.entries(fields).map(([name, value]) =>
    fc.option(value.map((item): readonly [string, JsonValue] => [name, item])),
  );
  return fc.tuple(...entries).map((found) => objectFrom(found.filter((entry) => entry !== null)));
}

function objectFrom(entries: readonly (readonly [string, JsonValue])[]): JsonValue {
  const object: Record<string, JsonValue> = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  return object;
}

/** Objects and arrays in turn, this deep. */
export function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

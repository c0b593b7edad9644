import { expect, it } from "vitest";
import { isSameJson, jsonBytes } from "./json-value.ts";

it.each<readonly [unknown, unknown, boolean]>([
  [1, 1, true],
  [1, "1", false],
  [null, null, true],
  [null, {}, false],
  [{}, [], false],
  [[1, [2]], [1, [2]], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{ a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1, b: undefined }, { b: 1 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ toString: 1 }, {}, false],
  [{}, { constructor: 1 }, false],
])("%j and %j are the same value: %s", (one, other, same) => {
  expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([same, same]);
});

it("bytes are those of the text in UTF-8", () => {
  expect([jsonBytes("é"), jsonBytes({ a: 1 }), jsonBytes(undefined)]).toEqual([4, 7, 0]);
});

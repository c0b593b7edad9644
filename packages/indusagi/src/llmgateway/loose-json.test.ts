// How deep a server's JSON nests, whatever its strings hold.

import { expect, test } from "vitest";
import { depthOf, MAX_EVENT_DEPTH, parseObject } from "./loose-json.ts";

test.each<[string, number]>([
  ["", 0],
  ["7", 0],
  ["{}", 1],
  ['{"a":[{"b":1},{}],"c":{}}', 3],
  ['{"a":"[[[["}', 1],
  ['{"a":"\\"[[[["}', 1],
  ['{"a":"\\\\","b":[]}', 2],
  ['{"a":"\\\\\\"[","b":[[]]}', 3],
  ['["never ends [[[', 1],
  ['["ends in an escape \\', 1],
  ['"a\\"', 0],
])("%s nests %i deep", (text, depth) => {
  expect(depthOf(text)).toBe(depth);
});

test("of any JSON it is what walking it finds", () => {
  const walk = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(walk)) : 0;
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const text = (): string => Array.from({ length: random(6) }, () => '"\\[{}]é\n'[random(8)]).join("");
  const make = (depth: number): unknown =>
    depth === 0 || random(4) === 0
      ? text()
      : random(2) === 0
        ? Array.from({ length: random(4) }, () => make(depth - 1))
        : Object.fromEntries(Array.from({ length: random(4) }, () => [text(), make(depth - 1)]));
  for (let round = 0; round < 2_000; round++) {
    const value = make(6);
    expect(depthOf(JSON.stringify(value))).toBe(walk(value));
  }
});

test("what nests deeper than servers do is not parsed, and a long text is", () => {
  const nested = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect(parseObject(nested(MAX_EVENT_DEPTH))).toBeUndefined();
  expect(parseObject(nested(MAX_EVENT_DEPTH - 1))).toBeDefined();
  expect(parseObject(JSON.stringify({ a: "[".repeat(1_000) }))).toBeDefined();
});

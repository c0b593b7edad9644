import { expect, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { MAX_ARGUMENT_DEPTH, parseToolArguments } from "./tool-arguments.ts";

test("blank arguments are no arguments", () => {
  expect(parseToolArguments("")).toEqual({ input: {} });
  expect(parseToolArguments(" \n")).toEqual({ input: {} });
});

test("an object is taken as it is", () => {
  expect(parseToolArguments('{"path":"a","deep":{"n":[1]}}')).toEqual({
    input: { path: "a", deep: { n: [1] } },
  });
});

test("broken JSON is kept, with what is wrong and where", () => {
  const result = parseToolArguments('{"path": "a"');
  expect(result).toMatchObject({ input: {}, unparsed: '{"path": "a"' });
  expect(result.problem).toMatch(/position 12/);
});

test.each([
  ["[1]", "array"],
  ["null", "null"],
  ['"text"', "string"],
  ["3", "number"],
])("%s is not an object of arguments", (text, found) => {
  expect(parseToolArguments(text)).toEqual({
    input: {},
    unparsed: text,
    problem: `expected a JSON object, got ${found}`,
  });
});

test("deep nesting is refused; its twin shows what it does to a recursive reader", () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  expect(parseToolArguments(nested(MAX_ARGUMENT_DEPTH))).not.toHaveProperty("problem");
  const deep = nested(200_000);
  expect(parseToolArguments(deep)).toEqual({
    input: {},
    unparsed: deep,
    problem: `nested deeper than ${MAX_ARGUMENT_DEPTH} levels`,
  });
  const depth = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(...Object.values(value).map(depth)) : 0;
  expect(() => depth(JSON.parse(deep))).toThrow(RangeError);
});

test("brackets inside strings are not nesting", () => {
  expect(parseToolArguments(JSON.stringify({ text: '[{"\\'.repeat(1_000) }))).not.toHaveProperty("problem");
});

test("any JSON object comes back as it was, and any other text never throws", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
      const json = JSON.stringify(value);
      expect(parseToolArguments(json)).toEqual({ input: JSON.parse(json) });
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      expect(parseToolArguments(text)).toHaveProperty("input");
    }),
  );
});

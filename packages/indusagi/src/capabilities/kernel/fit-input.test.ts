import { describe, expect, it } from "vitest";
import type { JsonSchema, JsonValue } from "../../core/schema/json-schema.ts";
import { fitInput } from "./fit-input.ts";

const READ: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    offset: { type: "integer", minimum: 1 },
    ratio: { type: "number" },
    isRaw: { type: "boolean" },
    kind: { type: "string", enum: ["files", "Content"] },
    names: { type: "array", items: { type: "string" } },
    edits: {
      type: "array",
      items: { type: "object", properties: { at: { type: "integer" } }, additionalProperties: false },
    },
    limit: { anyOf: [{ type: "integer" }, { type: "null" }] },
    id: { type: ["string", "integer"] },
    any: {},
  },
  required: ["path"],
  additionalProperties: false,
};

const fitted = (fields: Record<string, JsonValue>) => fitInput({ path: "a", ...fields }, READ).input;

describe("arguments are converted where the conversion has one meaning", () => {
  it.each([
    ["a number as text", { offset: "2" }, { offset: 2 }],
    ["a number as text with blanks", { offset: " 2 " }, { offset: 2 }],
    ["a fraction as text", { ratio: "0.50" }, { ratio: 0.5 }],
    ["a boolean as text", { isRaw: "true" }, { isRaw: true }],
    ["a boolean in Python's spelling", { isRaw: "False" }, { isRaw: false }],
    ["an integer for a text", { path: 404 }, { path: "404" }],
    ["null for an optional argument", { offset: null }, {}],
    ["a list as JSON text", { names: '["a","b"]' }, { names: ["a", "b"] }],
    ["numbers in a list of texts", { names: ["a", 2] }, { names: ["a", "2"] }],
    ["objects as JSON text, with numbers as text", { edits: '[{"at":"3"}]' }, { edits: [{ at: 3 }] }],
    ["one of several types", { limit: "7" }, { limit: 7 }],
    ["a listed word in another case", { kind: "content" }, { kind: "Content" }],
    ["a name in another spelling", { is_raw: "true" }, { isRaw: true }],
  ])("%s", (_, given, expected) => {
    expect(fitted(given)).toEqual({ path: "a", ...expected });
  });
});

describe("arguments are left as they are where there is no exact conversion", () => {
  it.each<[string, Record<string, JsonValue>]>([
    ["a number with a unit", { offset: "2x" }],
    ["a fraction for an integer", { offset: "1.5" }],
    ["an integer that would lose digits", { offset: "12345678901234567890" }],
    ["an empty text for a number", { offset: "" }],
    ["another word for a boolean", { isRaw: "yes" }],
    ["a fraction for a text, which may have had zeros at its end", { path: 1.5 }],
    ["an object for a text", { path: { a: 1 } }],
    ["text that is no JSON for a list", { names: "a, b" }],
    ["null where null is a value", { limit: null }],
    ["null for a required argument", { path: null }],
    ["text where text is one of the types", { id: "2" }],
    ["anything where the type is open", { any: "2" }],
  ])("%s", (_, given) => {
    const input = { path: "a", ...given };
    expect(fitInput(input, READ).input).toBe(input);
  });
});

describe("arguments that the tool does not know", () => {
  it("are left out by name if it takes no others", () => {
    expect(fitInput({ path: "a", description: "d", timeout: 5 }, READ)).toEqual({
      input: { path: "a" },
      ignored: ["description", "timeout"],
    });
  });

  it("are kept if a required one is missing: they may be the one that was meant", () => {
    const input = { file: "a" };
    expect(fitInput(input, READ)).toEqual({ input, ignored: [] });
  });

  it("are kept if the tool takes others", () => {
    const input = { path: "a", more: 1 };
    for (const open of [{}, { additionalProperties: false, patternProperties: { "^m": {} } }])
      expect(fitInput(input, { type: "object", properties: { path: {} }, ...open }).input).toBe(input);
  });

  it("are never taken for an argument that was given, or for one of two", () => {
    const two: JsonSchema = {
      type: "object",
      properties: { aB: { type: "string" }, ab: { type: "string" } },
      additionalProperties: false,
    };
    expect(fitInput({ a_b: "x" }, two)).toEqual({ input: {}, ignored: ["a_b"] });
    expect(fitInput({ path: "a", Path: "b" }, READ)).toEqual({ input: { path: "a" }, ignored: ["Path"] });
  });
});

it("follows local references, and ends where they lead round or nowhere", () => {
  const tree: JsonSchema = {
    type: "object",
    properties: { depth: { $ref: "#/$defs/count" }, child: { $ref: "#" }, lost: { $ref: "#/$defs/none" } },
    $defs: { count: { type: "integer" }, round: { $ref: "#/$defs/round" } },
  };
  expect(fitInput({ child: { child: { depth: "3" } } }, tree).input).toEqual({
    child: { child: { depth: 3 } },
  });
  const lost = { lost: "1" };
  expect(fitInput(lost, tree).input).toBe(lost);
  const round = { a: "1" };
  expect(fitInput(round, { properties: { a: { $ref: "#/$defs/round" } }, ...tree }).input).toBe(round);
});

it.each<JsonSchema>([
  { type: 7 },
  { type: "object", properties: 3, required: "path" },
  { properties: { path: true }, required: [1] },
  { properties: { path: { anyOf: "x", enum: 1, items: null } } },
])("takes arguments as they are under a schema that says nothing: %j", (schema) => {
  const input = { path: "1" };
  expect(fitInput(input, schema).input).toBe(input);
});

it("ends with arguments of any depth", () => {
  const deep = JSON.parse(`${"[".repeat(5_000)}"2"${"]".repeat(5_000)}`) as JsonValue;
  const list: JsonSchema = { type: "array", items: { $ref: "#" } };
  expect(fitInput(deep, list).input).toBe(deep);
});

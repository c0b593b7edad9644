import { compileSchema, type JsonSchema, type JsonValue, schemaProblem } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { checkableSchema } from "./checkable-schema.ts";

/** How a check ends: its answer, `hangs` where it takes longer than any honest one, or what it throws. */
async function checked(schema: JsonSchema, value: JsonValue): Promise<string | undefined> {
  const sinceMs = performance.now();
  try {
    const problem = (await compileSchema(schema))(value);
    return performance.now() - sinceMs > 150 ? "hangs" : problem;
  } catch (error) {
    return (error as Error).name;
  }
}

/** Each part refers twice to the next one: 2 ** `depth` parts. */
function doubling(depth: number): JsonSchema {
  const parts: JsonSchema = {};
  for (let at = 0; at < depth; at++) {
    const next = { $ref: `#/$defs/d${at + 1}` };
    parts[`d${at}`] = { allOf: [next, { ...next }] };
  }
  return { type: "object", $ref: "#/$defs/d0", $defs: { ...parts, [`d${depth}`]: { type: "object" } } };
}

const pattern = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
const named: JsonSchema = { type: "object", patternProperties: { "^(a+)+$": {} } };
const unique = { type: "object", properties: { a: { type: "array", uniqueItems: true } } };
const list = Array.from({ length: 3_000 }, (_, at) => ({ x: [at] }));

describe("no schema of an addon hangs the host that checks arguments with it", () => {
  // Each would take far longer with one more letter or part: the twin must end, too.
  const cases: readonly (readonly [string, JsonSchema, JsonValue, string])[] = [
    ["a pattern that tries every way", pattern, { a: `${"a".repeat(24)}!` }, "hangs"],
    ["a pattern of names", named, { [`${"a".repeat(24)}!`]: 1 }, "hangs"],
    ["parts that double", doubling(17), {}, "hangs"],
    ["a list held against itself", unique, { a: list }, "hangs"],
    ["a schema that is itself", { $ref: "#" }, {}, "RangeError"],
    ["a reference to nowhere", { type: "object", $ref: "#/$defs/gone" }, {}, "Error"],
  ];
  it.each(cases)("%s (twin: the schema as it came)", async (_what, schema, value, twin) => {
    expect(await schemaProblem(schema)).toBeUndefined(); // nothing is wrong with it by the rules of schemas
    expect(await checked(structuredClone(schema), value)).toBe(twin);
    const { schema: checkable, unchecked } = checkableSchema(schema);
    expect(await checked(checkable, value)).toBeUndefined();
    expect(unchecked.length).toBe(1);
  });

  it.each([
    ["a name for a reference", { __absolute_ref__: "#/$defs/d0", $ref: "#/$defs/small" }],
    ["another base", { $id: "#/$defs/small", $ref: "#/$defs/d0" }],
    ["a blank in a reference", { $ref: "#/$defs/\td0" }],
    ["a property called $defs", { properties: { $defs: { $ref: "#/$defs/d0" } } }],
  ])("nor one that hides what it refers to behind %s", async (_what, head) => {
    const { $defs } = doubling(17) as { readonly $defs: JsonSchema };
    const schema: JsonSchema = { ...head, $defs: { ...$defs, small: {}, "\td0": {} } };
    expect(["hangs", "Error"]).not.toContain(await checked(checkableSchema(schema).schema, { $defs: {} }));
  });

  it("is told quickly, however much it unfolds to", () => {
    const sinceMs = performance.now();
    expect(checkableSchema(doubling(5_000)).unchecked).toEqual(["it unfolds to more than 500 parts"]);
    expect(performance.now() - sinceMs).toBeLessThan(150);
  });
});

describe("an honest schema", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", pattern: "^/", minLength: 1 },
      pattern: { type: "string" },
      edits: { type: "array", items: { $ref: "#/$defs/Edit" } },
    },
    required: ["path"],
    additionalProperties: false,
    $defs: { Edit: { type: "object", properties: { format: { enum: ["a", "b"] } }, required: ["format"] } },
  };

  it("is checked but for its patterns, and properties may be called as keywords are", async () => {
    const { schema: checkable, unchecked } = checkableSchema(schema);
    expect(unchecked).toEqual(["pattern"]);
    expect(await checked(checkable, { path: "x", pattern: "p", edits: [{ format: "a" }] })).toBeUndefined();
    expect(await checked(checkable, { pattern: 1 })).toContain('"path" is missing');
    expect(await checked(checkable, { path: "x", edits: [{ format: "c" }] })).toContain("edits.0.format");
    expect(await checked(checkable, { path: "x", other: 1 })).toContain('"other" is not an argument');
  });

  it("that allows names by a pattern refuses none of them", async () => {
    const open: JsonSchema = {
      type: "object",
      patternProperties: { "^x-": {} },
      additionalProperties: false,
    };
    const { schema: checkable, unchecked } = checkableSchema(open);
    expect(unchecked).toEqual(["additionalProperties", "patternProperties"]);
    expect(await checked(checkable, { "x-a": 1 })).toBeUndefined();
  });

  it("of a tree is left to the program", () => {
    const tree: JsonSchema = { type: "object", properties: { child: { $ref: "#" } } };
    expect(checkableSchema(tree)).toEqual({ schema: { type: "object" }, unchecked: ["it refers to itself"] });
  });
});

import { compileSchema, type JsonSchema, type JsonValue, schemaProblem } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { checkableSchema } from "./checkable-schema.ts";

/** How a check ends: its answer, or what it throws. */
async function checked(schema: JsonSchema, value: JsonValue): Promise<string | undefined> {
  try {
    return (await compileSchema(schema))(value);
  } catch (error) {
    return (error as Error).name;
  }
}

type Sizes = readonly [number, number, number];
/** A schema and a value of a given size. */
type Sized = (size: number) => readonly [JsonSchema, JsonValue];

/** How the check's cost grows with the size, for the original schema or for what is left of it. */
async function growth(
  sizes: Sizes,
  sized: Sized,
  prepare: (schema: JsonSchema) => JsonSchema,
): Promise<string> {
  const checks = new Map<number, () => unknown>();
  for (const size of sizes) {
    const [schema, value] = sized(size);
    const check = await compileSchema(prepare(schema));
    checks.set(size, () => check(value));
  }
  return growthOf(sizes, (size) => checks.get(size)?.());
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
const list = (length: number): JsonValue => Array.from({ length }, (_, at) => ({ x: [at] }));

describe("no schema of an addon hangs the host that checks arguments with it", () => {
  const steep: readonly (readonly [string, Sizes, Sized])[] = [
    ["a pattern that tries every way", [8, 12, 18], (size) => [pattern, { a: `${"a".repeat(size)}!` }]],
    ["a pattern of names", [8, 12, 18], (size) => [named, { [`${"a".repeat(size)}!`]: 1 }]],
    ["parts that double", [4, 8, 14], (size) => [doubling(size), {}]],
    ["a list held against itself", [20, 200, 2_000], (size) => [unique, { a: list(size) }]],
  ];
  it.each(steep)("%s (twin: the schema as it came)", async (_what, sizes, sized) => {
    const [schema, value] = sized(sizes[2]);
    expect(schemaProblem(schema)).toBeUndefined(); // by the rules of schemas it is valid
    expect(await growth(sizes, sized, structuredClone)).toBe("steep");
    const { schema: checkable, unchecked } = checkableSchema(schema);
    expect(await checked(checkable, value)).toBeUndefined();
    expect(unchecked.length).toBe(1);
    expect(await growth(sizes, sized, (own) => checkableSchema(own).schema)).toBe("even");
  });

  it.each([
    ["a name for a reference", { __absolute_ref__: "#/$defs/d0", $ref: "#/$defs/small" }],
    ["another base", { $id: "#/$defs/small", $ref: "#/$defs/d0" }],
    ["a blank in a reference", { $ref: "#/$defs/\td0" }],
    ["a property called $defs", { properties: { $defs: { $ref: "#/$defs/d0" } } }],
  ])("nor one that hides what it refers to behind %s", async (_what, head) => {
    const sized: Sized = (size) => {
      const { $defs } = doubling(size) as { readonly $defs: JsonSchema };
      return [{ ...head, $defs: { ...$defs, small: {}, "\td0": {} } }, { $defs: {} }];
    };
    const [schema, value] = sized(14);
    expect(await checked(checkableSchema(schema).schema, value)).not.toBe("Error");
    expect(await growth([4, 8, 14], sized, (own) => checkableSchema(own).schema)).toBe("even");
  });

  it("is found out soon, however much it unfolds to", () => {
    expect(checkableSchema(doubling(5_000)).unchecked).toEqual(["it expands to more than 500 parts"]);
    expect(growthOf([50, 500, 5_000], (depth) => checkableSchema(doubling(depth)))).toBe("even");
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
    expect(await checked(checkable, { path: "x", other: 1 })).toContain('unknown argument "other"');
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

  const text = { type: "string", pattern: "^a" };
  it.each<[string, JsonSchema, JsonValue]>([
    ["not", { not: { pattern: "^b" } }, "a"],
    ["not", { not: { $ref: "#/$defs/b" }, $defs: { b: { pattern: "^b" } } }, "a"],
    ["oneOf", { oneOf: [text, { type: "string", pattern: "^b" }] }, "b"],
    ["if", { if: text, ...JSON.parse('{ "then": { "minLength": 3 } }') }, "b"],
    ["maxContains", { contains: text, maxContains: 1 }, ["a", "b"]],
    [
      "unevaluatedProperties",
      { allOf: [{ patternProperties: { "^x-": {} } }], unevaluatedProperties: false },
      { "x-a": 1 },
    ],
  ])(
    "refuses nothing for having lost a pattern below %s (twin: the schema as it came)",
    async (key, own, value) => {
      const property = { type: "object", properties: { v: { ...own, $defs: {} } }, $defs: own.$defs ?? {} };
      const { schema: checkable, unchecked } = checkableSchema(property);
      expect(await checked(structuredClone(property), { v: value })).toBeUndefined();
      expect(await checked(checkable, { v: value })).toBeUndefined();
      expect(unchecked).toContain(key);
    },
  );

  it("keeps such keywords where nothing was lost below them", async () => {
    const own = { oneOf: [{ type: "number" }, { type: "string" }], not: { const: 7 } };
    const { schema: checkable, unchecked } = checkableSchema({
      type: "object",
      properties: { v: own, w: text },
    });
    expect(unchecked).toEqual(["pattern"]);
    expect(await checked(checkable, { v: 7 })).toContain("v");
    expect(await checked(checkable, { v: true })).toContain("v");
  });

  it("of a tree is left to the program", () => {
    const tree: JsonSchema = { type: "object", properties: { child: { $ref: "#" } } };
    expect(checkableSchema(tree)).toEqual({ schema: { type: "object" }, unchecked: ["it refers to itself"] });
  });
});

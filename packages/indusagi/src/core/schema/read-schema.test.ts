import { describe, expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import type { JsonValue } from "../json-value.ts";
import { compileSchema } from "./json-schema.ts";
import { plainSchema } from "./plain-schema.ts";
import { readAnySchema, readSchema } from "./read-schema.ts";

function schemaProblem(schema: unknown): string | undefined {
  const reading = readSchema(schema);
  return reading.ok ? undefined : reading.problem;
}

/** What a check says of a value; of a schema that is none, what the reader says. */
async function said(schema: unknown, value: JsonValue): Promise<string> {
  return schemaProblem(schema) ?? (await (await compileSchema(schema as never))(value)) ?? "fits";
}

function uncheckedOf(schema: unknown): readonly string[] | string {
  const reading = readSchema(schema);
  return reading.ok ? reading.unchecked : reading.problem;
}

describe("a schema of any dialect is taken as what it is", () => {
  it.each([
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/schema#",
    "https://example.com/a-dialect-of-my-own",
    "",
  ])("%s", async ($schema) => {
    const schema = { $schema, type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(await said(schema, { a: "x" })).toBe("fits");
    expect(await said(schema, {})).toBe('"a" is missing');
    expect(readSchema(schema)).toMatchObject({ ok: true, unchecked: [] });
  });

  it.each<[string, object, JsonValue, JsonValue, string]>([
    [
      "a tuple of draft 7",
      { properties: { a: { items: [{ type: "string" }], additionalItems: false } } },
      { a: ["x"] },
      { a: ["x", 2] },
      "a.1 must not be there",
    ],
    [
      "a bound of draft 4",
      { properties: { n: { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false } } },
      { n: 3 },
      { n: 1 },
      "n: 1 is less than 1.",
    ],
    ["dependencies, a list", { dependencies: { a: ["b"] } }, { b: 1 }, { a: 1 }, 'does not have "b"'],
    [
      "dependencies, a schema",
      { dependencies: { a: { required: ["b"] } } },
      { b: 1 },
      { a: 1 },
      '"b" is missing',
    ],
    [
      "id of draft 4",
      {
        id: "http://a.b/c",
        properties: { a: { $ref: "c#/definitions/t" } },
        definitions: { t: { type: "string" } },
      },
      { a: "x" },
      { a: 1 },
      "a must be string, got number",
    ],
    [
      "what stands beside a reference in draft 7",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { $ref: "#/definitions/t", minLength: 9 } },
        definitions: { t: { type: "string" } },
      },
      { a: "x" },
      { a: 1 },
      "a must be string, got number",
    ],
    ["false", { properties: { a: false } }, {}, { a: 1 }, "a must not be there"],
    [
      "a part that is false",
      { properties: { a: { $ref: "#/$defs/no" } }, $defs: { no: false } },
      {},
      { a: 1 },
      "a",
    ],
  ])("%s", async (_what, schema, good, bad, problem) => {
    expect(await said(schema, good)).toBe("fits");
    expect(await said(schema, bad)).toContain(problem);
  });
});

describe("a schema that refers to itself is checked", () => {
  const tree = { type: "object", properties: { child: {} }, required: ["p"] };
  it.each<[string, object]>([
    ["$ref to the root", { ...tree, properties: { child: { $ref: "#" } } }],
    ["$ref to a name", { ...tree, $id: "http://a.b/tree", properties: { child: { $ref: "tree" } } }],
    ["$ref to an anchor", { ...tree, $anchor: "top", properties: { child: { $ref: "#top" } } }],
    [
      "definitions",
      {
        $ref: "#/definitions/t",
        definitions: { t: { ...tree, properties: { child: { $ref: "#/definitions/t" } } } },
      },
    ],
    ["$defs", { $ref: "#/$defs/t", $defs: { t: { ...tree, properties: { child: { $ref: "#/$defs/t" } } } } }],
    ["$dynamicRef", { ...tree, $dynamicAnchor: "node", properties: { child: { $dynamicRef: "#node" } } }],
    ["$recursiveRef", { ...tree, $recursiveAnchor: true, properties: { child: { $recursiveRef: "#" } } }],
    [
      "a table of the author's own",
      {
        ...tree,
        properties: { child: { $ref: "#/x-types/t" } },
        "x-types": { t: { ...tree, properties: { child: { $ref: "#" } } } },
      },
    ],
  ])("by %s", async (_how, schema) => {
    expect(uncheckedOf(schema)).toEqual([]);
    expect(await said(schema, { p: 1, child: { p: 1, child: { p: 1 } } })).toBe("fits");
    expect(await said(schema, {})).toBe('"p" is missing');
    expect(await said(schema, { p: 1, child: { p: 1, child: {} } })).toBe('child.child: "p" is missing');
  });

  it.each<[string, object]>([
    ["itself", { $ref: "#" }],
    [
      "one another",
      {
        $ref: "#/$defs/a",
        $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } },
      },
    ],
    [
      "itself, further down",
      { properties: { a: { anyOf: [{ type: "string" }, { $ref: "#/properties/a" }] } } },
    ],
  ])("but not when it stands for %s without end", async (_what, schema) => {
    expect(uncheckedOf(schema)).toContain("it refers to itself without end");
    expect(await (await compileSchema(schema as never))({})).toContain("without end");
  });
});

describe("what a schema says and nothing can check is named, and refuses nothing", () => {
  it.each<[string, object, JsonValue, readonly string[]]>([
    [
      "a reference to elsewhere",
      { properties: { a: { $ref: "https://a.b/c.json" } } },
      { a: 1 },
      ["is not fetched"],
    ],
    ["a reference to a file", { properties: { a: { $ref: "other.json#/a" } } }, { a: 1 }, ["is not fetched"]],
    [
      "a reference to nowhere",
      { properties: { a: { $ref: "#/$defs/gone" } } },
      { a: 1 },
      ["does not contain"],
    ],
    ["a reference that is no URL", { properties: { a: { $ref: "http://[" } } }, { a: 1 }, ["http://["]],
    ["a pattern", { properties: { a: { pattern: "(" } } }, { a: "x" }, ["not a valid pattern"]],
    [
      "a pattern of names",
      { patternProperties: { "(": { type: "string" } }, additionalProperties: false },
      { a: 1 },
      ["not a valid pattern", "additionalProperties"],
    ],
    ["a pattern below not", { not: { properties: { a: { pattern: "(" } } } }, { a: "x" }, ["pattern", "not"]],
    [
      "a $dynamicRef with two ends",
      {
        properties: { a: { $dynamicRef: "#n" } },
        $defs: { x: { $id: "x", $dynamicAnchor: "n" }, y: { $id: "y", $dynamicAnchor: "n" } },
      },
      { a: 1 },
      ["depends on where it is used"],
    ],
  ])("%s", async (_what, schema, value, words) => {
    const unchecked = uncheckedOf(schema);
    expect(Array.isArray(unchecked)).toBe(true);
    words.forEach((word, at) => void expect(unchecked[at]).toContain(word));
    expect(await said(schema, value)).toBe("fits");
  });
});

describe("what is no schema costs nothing but itself", () => {
  const deep = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ not: inner }), {});
  const circle: Record<string, unknown> = {};
  circle.properties = { circle };
  const doubled = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner, b: inner }), {});
  it.each<[string, unknown, string]>([
    ["a dialect that is a number", { $schema: 7 }, "schema/$schema must be a string, found 7"],
    ["a type that is none", { type: "any" }, 'found "any"'],
    [
      "required: true",
      { properties: { a: { required: true } } },
      "schema/properties/a/required must be a list of strings, found true",
    ],
    ["a list of properties", { properties: [] }, "schema/properties must be an object of schemas, found []"],
    ["items: 7", { items: 7 }, "schema/items must be"],
    ["an empty choice", { anyOf: [] }, "a list of one schema or more"],
    ["a number", 7, "expected a schema (an object), found 7"],
    ["nothing", undefined, "which JSON does not have"],
    ["null", null, "found null"],
    ["a function", { type: "object", a: () => 1 }, "a is a function"],
    ["a big number", { maximum: 1n }, "maximum is a bigint"],
    ["a number without end", { maximum: Number.POSITIVE_INFINITY }, "maximum is Infinity"],
    ["10,000 levels", deep(10_000), "more than 190 levels deep"],
    ["an object that holds itself", circle, "it contains itself"],
    ["2 ** 60 parts", doubled, "more than 100000 values"],
    [
      "a getter that throws",
      {
        get type(): never {
          throw new Error("no type today");
        },
      },
      "it throws when read: no type today",
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw null;
          },
        },
      ),
      "it throws when read: a thrown null",
    ],
    ["a list of endless length", { enum: { length: 1 } }, "schema/enum must be a list"],
  ])("%s", (_what, schema, problem) => {
    expect(schemaProblem(schema)).toContain(problem);
  });

  it("a promise says nothing, and takes everything", async () => {
    expect(await said(Promise.resolve({}), { a: 1 })).toBe("fits");
  });

  it("a megabyte is read, and names that every object has are names", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`name${at}`, { type: "string", title: "x".repeat(20) }]),
    );
    expect(await said({ properties, required: ["name7"] }, { name7: 1 })).toBe(
      "name7 must be string, got number",
    );
    const odd = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"a/b~c%":{"type":"number"},"x":{"$ref":"#/properties/a~1b~0c%25"}},"format":"__proto__","required":["constructor"]}',
    );
    expect(await said(odd, JSON.parse('{"__proto__":7,"x":"s"}'))).toBe(
      '"constructor" is missing; __proto__ must be string, got number; x must be number, got string',
    );
  });
});

describe("a schema that needs no reading", () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const text = fc.constantFrom("a", "b", "__proto__", "toString", "date-time");
  const record = <Model>(model: { readonly [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
    fc.record(model, { requiredKeys: [], noNullPrototype: true });
  const { schema } = fc.letrec<{ schema: unknown; usual: object; odd: object }>((tie) => ({
    schema: fc.oneof(
      { depthSize: "small" },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 30, arbitrary: tie("usual") },
      {
        weight: 1,
        arbitrary: fc
          .tuple(tie("usual"), tie("odd"))
          .map(([one, two]) => ({ ...(one as object), ...(two as object) })),
      },
    ),
    usual: record({
      $schema: fc.constantFrom(
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-04/schema#",
      ),
      type: fc.constantFrom<unknown>("object", "string", ["string", "null"]),
      description: text,
      properties: fc.dictionary(fc.constantFrom("a", "b", "toString"), tie("schema"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      required: fc.array(text, { maxLength: 2 }),
      items: tie("schema"),
      additionalProperties: tie("schema"),
      anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
      enum: fc.array(json, { maxLength: 2 }),
      default: json,
      minimum: fc.integer(),
      format: fc.constantFrom("date-time", "uri"),
    }),
    odd: record({
      type: fc.constantFrom<unknown>("thing", [], 3),
      properties: fc.dictionary(text, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
      required: fc.constantFrom<unknown>([1], true),
      items: fc.array(tie("schema"), { maxLength: 2 }),
      anyOf: fc.constantFrom<unknown>([], {}),
      exclusiveMinimum: fc.oneof(fc.integer(), fc.boolean()),
      minLength: fc.integer({ min: -1, max: 3 }),
      format: text,
      $ref: fc.constantFrom("#", "#/properties/a", "other.json"),
      $id: text,
      pattern: fc.constantFrom("^a", "("),
      "x-own": json,
    }),
  }));
  const bytes = (value: unknown): string => JSON.stringify(value);

  it("is the same as by the whole way", () => {
    let plain = 0;
    fc.assert(
      fc.property(schema, (drawn) => {
        const given: unknown = JSON.parse(bytes(drawn)); // as it comes over a pipe
        const simple = plainSchema(given);
        if (simple === undefined) return;
        plain++;
        expect(bytes({ ok: true, unchecked: [], ...simple })).toBe(bytes(reordered(readAnySchema(given))));
      }),
      { numRuns: 600 },
    );
    expect(plain).toBeGreaterThan(10);
  });

  const reordered = (reading: ReturnType<typeof readAnySchema>): unknown =>
    reading.ok
      ? { ok: true, unchecked: reading.unchecked, schema: reading.schema, isCostly: reading.isCostly }
      : reading;

  it("is a copy, and nothing that answers otherwise when it is asked again", () => {
    const given = { type: "object", properties: { a: { type: "string", enum: ["x"] } } };
    const simple = plainSchema(given);
    expect(simple?.schema).toEqual(given);
    expect(simple?.schema).not.toBe(given);
    expect(simple?.schema.properties).not.toBe(given.properties);
    const endless: Record<string, unknown> = { type: "object" };
    endless.items = endless;
    const throws = Object.defineProperty({}, "type", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    class Own {
      type = "object";
    }
    const many = { enum: Array.from({ length: 6_000 }, () => 1) };
    const deep = { enum: JSON.parse("[".repeat(200) + "]".repeat(200)) };
    expect(readSchema(deep)).toMatchObject({ ok: false }); // as the whole way has it
    for (const odd of [
      endless,
      throws,
      new Own(),
      many,
      deep,
      null,
      undefined,
      true,
      [],
      { $ref: "#" },
      { items: [true] },
    ])
      expect(plainSchema(odd)).toBeUndefined();
  });
});

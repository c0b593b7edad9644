import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { compileSchema, type JsonSchema } from "./json-schema.ts";

const EDIT: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    kind: { enum: ["file", "dir"] },
    limit: { type: "integer", minimum: 1 },
    edits: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } },
    limits: {
      type: "object",
      properties: { turns: { type: "number" } },
      required: ["turns"],
      additionalProperties: false,
    },
  },
  required: ["path"],
  additionalProperties: false,
};

describe("compileSchema", () => {
  it.each([
    [{ path: "a" }, undefined],
    [{}, '"path" is missing'],
    [{ path: 3 }, "path must be string, got number"],
    [{ path: null }, "path must be string, got null"],
    [[], "the arguments must be object, got array"],
    [{ path: "a", colour: 1 }, 'unknown argument "colour"'],
    [{ path: "a", kind: "x" }, 'kind must be one of ["file","dir"]'],
    [{ path: "a", limit: 0 }, "limit: 0 is less than 1."],
    [{ path: "a", limit: 1.5 }, "limit must be integer, got number"],
    [{ path: "a", edits: [{ text: "x" }, { text: 3 }] }, "edits.1.text must be string, got number"],
    [{ path: "a", limits: { turns: 1, words: 2 } }, 'limits: unknown key "words"'],
    [{ path: "a", limits: {} }, 'limits: "turns" is missing'],
  ])("%j: %s", async (value, problem) => {
    expect(await (await compileSchema(EDIT))(value)).toBe(problem);
  });

  it("names several problems, the same one once", async () => {
    expect(await (await compileSchema(EDIT))({ kind: "x", more: 1 })).toBe(
      '"path" is missing; kind must be one of ["file","dir"]; unknown argument "more"',
    );
  });

  it("is not satisfied by what every object inherits", async () => {
    const check = await compileSchema({ type: "object", required: ["toString", "__proto__"] });
    expect(await check({})).toBe('"toString" is missing; "__proto__" is missing');
  });
});

describe("a check that may take forever", () => {
  const almost = `${"a".repeat(40)}!`;
  const twice = { allOf: [{ $ref: "#/$defs/t" }, { $ref: "#/$defs/t" }] };
  const chain = Array.from({ length: 60 }).reduce<object>((inner) => ({ child: inner }), {});
  it.each<[string, JsonSchema, unknown]>(
    rows(
      [
        ["a pattern", { properties: { a: { pattern: "^(a+)+$" } } }, { a: almost }],
        ["a pattern of names", { patternProperties: { "^(a+)+$": {} } }, { [almost]: 1 }],
        ["a pattern for names", { propertyNames: { pattern: "^(a+)+$" } }, { [almost]: 1 }],
        [
          "a circle that doubles",
          { $ref: "#/$defs/t", $defs: { t: { properties: { child: twice } } } },
          chain,
        ],
      ],
      theFirst,
    ),
  )("%s ends", async (_what, schema, value) => {
    // On this thread, none would end before the sun does.
    expect(await (await compileSchema(schema))(value)).toBe(
      "they cannot be checked against their schema: it takes over 2 s",
    );
  });

  it("leaves the next ones as they are", async () => {
    const check = await compileSchema({ properties: { a: { pattern: "^b$" } } });
    const answers = await Promise.all(["b", "a", "b"].map((a) => check({ a })));
    expect(answers).toEqual([undefined, "a: String does not match pattern.", undefined]);
    expect(await check({ a: "c" })).toBe("a: String does not match pattern.");
  });

  it("says so of a value that nobody can copy", async () => {
    const check = await compileSchema({ uniqueItems: true });
    expect(await check([() => 1])).toContain("they cannot be checked against their schema");
  });
});

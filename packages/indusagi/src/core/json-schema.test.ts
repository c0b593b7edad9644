import { describe, expect, it } from "vitest";
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
    expect((await compileSchema(EDIT))(value)).toBe(problem);
  });

  it("names several problems, the same one once", async () => {
    expect((await compileSchema(EDIT))({ kind: "x", more: 1 })).toBe(
      '"path" is missing; kind must be one of ["file","dir"]; unknown argument "more"',
    );
  });

  it("is not satisfied by what every object inherits", async () => {
    const check = await compileSchema({ type: "object", required: ["toString", "__proto__"] });
    expect(check({})).toBe('"toString" is missing; "__proto__" is missing');
  });
});

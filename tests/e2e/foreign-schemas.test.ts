// Tools whose schemas are of every dialect, through the real command: each is used as what it is or named as skipped, and the rest of
// the session works.

import { expect, it } from "vitest";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** Of each: whether `{ "a": "x" }` fits and `{ "a": {} }` does not, or why the tool is skipped. */
const SCHEMAS: Readonly<Record<string, { readonly schema: object; readonly skipped?: string }>> = {
  draft4: {
    schema: {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "http://a.b/c",
      properties: { a: { $ref: "#/definitions/t" }, n: { minimum: 1, exclusiveMinimum: true } },
      definitions: { t: { type: "string" } },
    },
  },
  draft6: {
    schema: { $schema: "http://json-schema.org/draft-06/schema#", properties: { a: { type: "string" } } },
  },
  draft7: {
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { type: "string" }, t: { items: [{ type: "string" }] } },
      dependencies: { b: ["a"] },
    },
  },
  draft2019: {
    schema: {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      $recursiveAnchor: true,
      properties: { a: { type: "string" }, child: { $recursiveRef: "#" } },
    },
  },
  draft2020: {
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $dynamicAnchor: "node",
      properties: { a: { type: "string" }, child: { $dynamicRef: "#node" } },
    },
  },
  unknown: { schema: { $schema: "https://a.b/dialect", properties: { a: { type: "string" } } } },
  choice: { schema: { anyOf: [{ properties: { a: { type: "string" } } }] } },
  pattern: { schema: { properties: { a: { type: "string", pattern: "^(x+)+$" } } } },
  number: { schema: { $schema: 7 }, skipped: "schema/$schema must be a string, found 7" },
  wrong: { schema: { properties: { a: { type: "any" } } }, skipped: 'found "any"' },
  endless: { schema: { $ref: "#" }, skipped: "it refers to itself without end" },
  deep: { schema: JSON.parse(`${'{"not":'.repeat(150)}{}${"}".repeat(150)}`) },
};
const NAMES = Object.keys(SCHEMAS);
const TAKEN = NAMES.filter((name) => SCHEMAS[name]?.skipped === undefined);
const CHECKED = TAKEN.filter((name) => name !== "deep");

const ADDON = `const schemas = ${JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, SCHEMAS[name]?.schema])))};
export function register(surface) {
  for (const [name, parameters] of Object.entries(schemas))
    surface.addTool({ name, description: "x", parameters, run: async () => "ran " + name });
  const circle = {};
  circle.properties = { circle };
  surface.addTool({ name: "circle", description: "x", parameters: circle, run: async () => "ran" });
}
`;

const FLAGS = [
  "-p",
  "go",
  "--model",
  "anthropic/scripted",
  "--permission-mode",
  "bypass",
  "--grant",
  "schemas",
];

it("each tool is used or named, and the session goes on", async () => {
  const calls = CHECKED.flatMap((name) => [
    { name, input: { a: "x" } },
    { name, input: { a: {} } },
  ]);
  const place = await createServedShared([{ text: "One.", calls }, { text: "Done." }]);
  place.file(".indus/addons/schemas.ts", ADDON);
  const { code, stdout, stderr } = await place.run(FLAGS);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(stderr).toContain("tool circle (it cannot be sent: it contains itself");
  for (const { skipped } of Object.values(SCHEMAS)) expect(stderr).toContain(skipped ?? "");

  const sent = (place.server.requests[0]?.body.tools ?? []) as readonly {
    name: string;
    input_schema: object;
  }[];
  const own = sent.filter(({ name }) => NAMES.includes(name));
  expect(own.map(({ name }) => name).sort()).toEqual([...TAKEN].sort());
  for (const { name, input_schema } of own) {
    expect([
      name,
      Object.keys(input_schema).filter((key) => /^\$(?:schema|id)$|^id$|^(?:any|all|one)Of$/.test(key)),
    ]).toEqual([name, []]);
    expect(input_schema).toMatchObject({ type: "object" });
  }

  const outcomes = place.entries().filter(({ type }) => type === "tool") as readonly {
    readonly text?: string;
  }[];
  expect(outcomes.map(({ text }) => text)).toEqual(
    CHECKED.flatMap((name) => [`ran ${name}`, expect.stringContaining(`a must be string, got object`)]),
  );

  const { stdout: json } = await place.run(["addons", "--json", "--grant", "schemas"]);
  const { features } = JSON.parse(json) as { readonly features: readonly FeatureInstallReport[] };
  expect(features.at(-1)?.skipped.map(({ name, reason }) => [name, reason])).toEqual([
    ["circle", expect.stringContaining("it contains itself")],
    ...NAMES.filter((name) => !TAKEN.includes(name)).map((name) => [
      name,
      expect.stringContaining(SCHEMAS[name]?.skipped ?? ""),
    ]),
  ]);
});

it("--output-schema takes a file of any dialect, and says what is wrong with one that is none", async () => {
  const place = await createServedShared([{ text: '{"a":["x",7]}' }, { text: '{"a":["x"]}' }]);
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { a: { items: [{ type: "string" }], additionalItems: false } },
  };
  place.file("schema.json", JSON.stringify(schema));
  const args = ["-p", "go", "--model", "anthropic/scripted", "--output-schema", "schema.json"];
  expect(await place.run(args)).toMatchObject({ code: 0, stdout: '{"a":["x"]}\n' });
  expect(place.server.requests[1]?.rawBody).toContain("a.1 must not be there");
  for (const [text, problem] of [
    ['{"$ref":"#"}', "it refers to itself without end"],
    ['{"type":"any"}', "schema/type must be one of"],
    ['{"properties":{"a":{"pattern":"("}}}', "is not a valid pattern"],
    ['{"$ref":"https://a.b/c"}', "is not fetched"],
    ["[]", "expected a JSON Schema (an object)"],
  ] as const) {
    place.file("schema.json", text);
    const { code, stderr } = await place.run(args);
    expect([text, code, stderr.includes(problem)]).toEqual([text, 2, true]);
  }
});

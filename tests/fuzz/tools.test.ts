// Whatever a model sends, a tool answers: it never throws, never hangs, never leaves a trace on a prototype.

import { expect } from "vitest";
import { makeMemoryContext } from "../../packages/indusagi/src/capabilities/backends/memory.ts";
import {
  builtinRegistry,
  coerceInput,
  type DefinedTool,
} from "../../packages/indusagi/src/capabilities/index.ts";
import { createJobTable } from "../../packages/indusagi/src/capabilities/shell/job-table.ts";
import { processTool } from "../../packages/indusagi/src/capabilities/shell/process.ts";
import { webFetchTool } from "../../packages/indusagi/src/capabilities/web/web-fetch.ts";
import { webSearchTool } from "../../packages/indusagi/src/capabilities/web/web-search.ts";
import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { parseToolArguments } from "../../packages/indusagi/src/llmgateway/tool-arguments.ts";
import * as fc from "../support/fast-check.ts";
import { anyText, bagOf, jsonOf, textOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";

watchPrototypes();

// What could reach beyond the memory is kept from it: no job starts, no name resolves.
const lookup = (host: string): Promise<readonly string[]> =>
  Promise.reject(Object.assign(new Error(`no address for ${host}`), { code: "ENOTFOUND" }));
const registry = builtinRegistry().registerAll([
  processTool(createJobTable({ maxLiveJobs: 0 })),
  webFetchTool({ lookup }),
  webSearchTool({ lookup, env: {} }),
]);

const files = {
  "/ws/a.txt": "one\ntwo  three\r\nfour",
  "/ws/src/b.ts": "export const b = 1;\n".repeat(200),
  "/ws/bytes": new Uint8Array([0xff, 0, 1]),
};

const paths = textOf(
  ["/ws", "/", "a.txt", "src", "b.ts", "bytes", "..", ".", "~", "\0", "\\", " ", "\u202f"],
  5,
);
const patterns = textOf(
  ["b", "one", ".*", "(", ")", "[", "]", "\\", "\\d", "+", "?", "^", "$", "|", "{9}", "(?=", "\n"],
  6,
);
const numbers = fc.constantFrom<JsonValue>(
  0,
  1,
  2,
  5,
  1e9,
  -1,
  1.5,
  Number.MAX_SAFE_INTEGER,
  1e300,
  "3",
  null,
);
const flags = fc.constantFrom<JsonValue>(true, false, "true", "maybe", null, 1);
const anyValue = jsonOf(["items", "id", "text", "status", "path"]);
const or = (usual: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: anyValue });

/** Values that nearly fit, for every argument that a tool may take. */
const fields: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  path: or(paths),
  cwd: or(paths),
  content: or(anyText),
  oldText: or(fc.oneof(textOf(["one", "two", " ", "\n", "\r\n", "three", "b = 1", "export"], 6), anyText)),
  newText: or(anyText),
  replaceAll: or(flags),
  showHidden: or(flags),
  offset: or(numbers),
  limit: or(numbers),
  maxHits: or(numbers),
  maxBytes: or(numbers),
  maxResults: or(numbers),
  timeoutMs: or(numbers),
  pattern: or(patterns),
  flags: or(textOf(["g", "i", "m", "x"], 3)),
  query: or(fc.oneof(textOf(["*", "?", "b.ts", "/", "**"], 6), anyText)),
  type: or(fc.constantFrom("file", "dir", "link", "")),
  command: or(anyText),
  action: or(fc.constantFrom("start", "list", "poll", "stop", "")),
  id: or(fc.constantFrom("job-1", "", "__proto__", "job-99999999999999999999")),
  url: or(
    textOf(
      ["http://", "https:", "//", "127.0.0.1", "[::1]", "localhost", "a.example", "@", ":80", "file:"],
      6,
    ),
  ),
  items: or(
    fc.array(
      bagOf({
        id: or(fc.constantFrom("1", "2", "")),
        text: or(anyText),
        status: or(fc.constantFrom("pending", "active", "done", "gone")),
      }),
      { maxLength: 5 },
    ),
  ),
};

for (const name of registry.names()) {
  const tool = registry.get(name);
  if (!tool) throw new Error(`no tool ${name}`);
  const names = Object.keys((tool.parameters.properties ?? {}) as object);
  const known = Object.fromEntries(names.map((field) => [field, fields[field] ?? anyValue]));
  const bag = fc.oneof({ weight: 8, arbitrary: bagOf(known) }, { weight: 1, arbitrary: jsonOf(names) });
  const input = fc.oneof(
    { weight: 8, arbitrary: bag },
    { weight: 1, arbitrary: bag.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: textOf(["{", "}", "[", "]", '"path"', ":", ",", "1", "null"], 12) },
  );
  property(
    `${name} answers whatever it is asked`,
    input,
    (value) => expectAnswer(tool, value),
    { cost: name === "grep" ? 60 : 3 }, // grep starts a thread for a regular expression
  );
  const field = fc.constantFrom(...names, "__proto__");
  property(
    `${name} answers arguments of any depth`,
    fc.tuple(field, fc.integer({ min: 1_000, max: 100_000 })),
    ([argument, depth]) => expectAnswer(tool, JSON.parse(`{${JSON.stringify(argument)}:${deepJson(depth)}}`)),
    { cost: 100 },
  );
}

property("a bag that comes as text is read as JSON, its own __proto__ included", anyValue, (value) => {
  const text = JSON.stringify(value);
  if (/^[[{]/.test(text)) expect(JSON.stringify(coerceInput(text))).toBe(text);
  if (typeof value !== "string" && value !== null) expect(coerceInput(value)).toBe(value);
});

const streamed = fc.oneof(
  { weight: 20, arbitrary: anyText },
  { weight: 20, arbitrary: anyValue.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200_000 }).map(deepJson) },
);

property("streamed arguments are an object, or a problem", streamed, (text) => {
  const { input, problem } = parseToolArguments(text);
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  if (problem !== undefined) expect(input).toEqual({});
});

async function expectAnswer(tool: DefinedTool, input: JsonValue): Promise<void> {
  const context = await makeMemoryContext("/ws", { files, script: ({ command }) => command });
  const outcome = await tool.invoke({ id: "c1", name: tool.name, input }, context);
  expect(outcome.id).toBe("c1");
  expect(typeof outcome.isError).toBe("boolean");
  expect(JSON.parse(JSON.stringify(outcome.output))).toEqual(outcome.output);
}

function deepJson(depth: number): string {
  return `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
}

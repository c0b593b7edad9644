import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkspace } from "../test-workspace.ts";
import { findTool } from "./find.ts";
import { matchesWildcard } from "./wildcard.ts";

const find = findTool();

async function found(
  files: readonly string[],
  input: { readonly query: string; readonly [name: string]: string },
): Promise<unknown> {
  const ws = createWorkspace();
  for (const file of files) ws.put(file, "");
  return (await ws.call(find, input)).output;
}

const FILES = [
  "src/Main.ts",
  "src/main.test.ts",
  "src/lib/main.js",
  "docs/main/index.md",
  "node_modules/main.ts",
  ".git/main",
];

test("a glob covers the whole name and a plain query a part of it, regardless of case", async () => {
  expect(await found(FILES, { query: "*.TS" })).toBe("src/Main.ts\nsrc/main.test.ts");
  expect(await found(FILES, { query: "main.??" })).toBe("src/Main.ts\nsrc/lib/main.js");
  expect(await found(FILES, { query: "MAIN" })).toBe(
    "docs/main\nsrc/Main.ts\nsrc/lib/main.js\nsrc/main.test.ts",
  );
});

test("a kind leaves only files or only folders", async () => {
  expect(await found(FILES, { query: "main", type: "dir" })).toBe("docs/main");
  expect(await found(FILES, { query: "i*", type: "file" })).toBe("docs/main/index.md");
  expect(await found(FILES, { query: "x", type: "link" })).toBe(
    '"type" must be one of "file", "dir", got "link".',
  );
});

test("results are relative to the folder searched, and the root itself is a dot", async () => {
  expect(await found(FILES, { query: "*.js", path: "src" })).toBe("lib/main.js");
  expect(await found(FILES, { query: "main*", path: "src/lib/main.js" })).toBe(".");
  expect(await found(FILES, { query: "none*" })).toBe("Nothing under . is named like none*.");
  expect(await found(FILES, { query: "x", path: "nowhere" })).toBe(
    "Cannot search nowhere: there is no such path.",
  );
});

test("a query with a slash is held against the path", async () => {
  expect(await found(FILES, { query: "src/*.ts" })).toBe("src/Main.ts\nsrc/main.test.ts");
  expect(await found(FILES, { query: "**/*.js" })).toBe("src/lib/main.js");
  expect(await found(["a.js", "b/c.js"], { query: "**/*.js" })).toBe("a.js\nb/c.js");
  expect(await found(FILES, { query: "main/index" })).toBe("docs/main/index.md");
});

test("results stop at 500", async () => {
  const ws = createWorkspace();
  for (let i = 0; i < 501; i++) mkdirSync(ws.path(`d${i}`));
  const lines = String((await ws.call(find, { query: "d" })).output).split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([
    501,
    "[stopped at 500 results: narrow the query or the path to see the rest]",
  ]);
});

test("a cancelled search says so", async () => {
  const ws = createWorkspace();
  for (let i = 0; i < 300; i++) ws.put(`d${i}/f`, "");
  const abort = new AbortController();
  const pending = ws.call(find, { query: "f" }, { signal: abort.signal });
  abort.abort();
  expect(await pending).toEqual({ id: "call", output: "Cancelled while find was running.", isError: true });
});

test("wildcards", () => {
  const cases: readonly [string, string, boolean][] = [
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["?", "", false],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "acb", false],
    ["*.ts", "a.ts.ts", true],
    ["a?c", "abc", true],
    ["a?c", "a😀c", true],
    ["a.c", "abc", false],
    ["[a]", "a", false],
    ["[a]", "[A]", true],
    ["**a**", "xay", true],
    ["*ab", "aab", true],
  ];
  expect(cases.filter(([glob, name, expected]) => matchesWildcard(glob, name) !== expected)).toEqual([]);
});

test("34 stars cost nothing, where the same glob as a regular expression takes for ever", () => {
  const glob = `${"*a".repeat(34)}b`;
  const name = "a".repeat(200);
  const started = performance.now();
  expect(matchesWildcard(glob, name)).toBe(false);
  expect(performance.now() - started).toBeLessThan(50);
  // The twin, with five stars on a shorter name: every star more multiplies the time by tens.
  const naive = new RegExp(`^${"*a".repeat(5).replaceAll("*", ".*")}b$`);
  const naiveStarted = performance.now();
  expect(naive.test("a".repeat(80))).toBe(false);
  expect(performance.now() - naiveStarted).toBeGreaterThan(25);
});

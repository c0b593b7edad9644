import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import type { JsonObject } from "../../core/json-schema.ts";
import { makeLocalContext } from "../backends/local.ts";
import { memoryFs } from "../backends/memory-fs.ts";
import type { Fs } from "../kernel/contract.ts";
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

test("names with control characters are shown as strings that a call can take", async () => {
  expect(await found(["new\nline", "bell\u0007\u009b", "plain é"], { query: "*" })).toBe(
    '"bell\\u0007\\u009b"\n"new\\nline"\nplain é',
  );
});

test.skipIf(process.platform !== "linux")("a name that is not UTF-8 is found", async () => {
  const ws = createWorkspace();
  writeFileSync(Buffer.concat([Buffer.from(`${ws.root}/a`), Buffer.of(0xff)]), "");
  expect((await ws.call(find, { query: "a*" })).output).toBe("a\ufffd");
});

test("empty folders and links are found", async () => {
  const ws = createWorkspace();
  mkdirSync(ws.path("empty"));
  symlinkSync("empty", ws.path("empty-link"));
  expect((await ws.call(find, { query: "empty" })).output).toBe("empty\nempty-link");
});

test("the tool can be made to leave ignored files out, and says how many", async () => {
  const respectful = findTool({ respectGitignore: true });
  const ws = createWorkspace();
  ws.put(".gitignore", "out/\n*.log");
  for (const file of ["a.ts", "out/b.ts", "out/lib/c.ts", "d.log"]) ws.put(file, "");
  const ask = async (input: JsonObject): Promise<unknown> => (await ws.call(respectful, input)).output;
  const note = "[3 ignored files were left out; pass includeIgnored to search them.]";
  expect(await ask({ query: "*.ts" })).toBe(`a.ts\n${note}`);
  expect(await ask({ query: "out" })).toBe(`Nothing under . is named like out.\n${note}`);
  expect(await ask({ query: "*.ts", includeIgnored: true })).toBe("a.ts\nout/b.ts\nout/lib/c.ts");
  expect((await ws.call(find, { query: "out", includeIgnored: true })).output).toBe("out");
  ws.put(".gitignore", "d.log");
  expect(await ask({ query: "d*" })).toBe(
    "Nothing under . is named like d*.\n[1 ignored file was left out; pass includeIgnored to search it.]",
  );
});

test("only such a tool offers the argument, and says what it skips", () => {
  const respectful = findTool({ respectGitignore: true });
  expect(
    [find, respectful].map((tool) => JSON.stringify(tool.parameters).includes("includeIgnored")),
  ).toEqual([false, true]);
  expect(find.description).toContain("Skips .git and node_modules. ");
  expect(respectful.description).toContain("Skips .git and node_modules, and what .gitignore files ignore. ");
});

test("folders that cannot be read are counted in the answer", async () => {
  const inner = memoryFs({ "/ws/a/x": "", "/ws/b/x": "", "/ws/x": "" });
  const readDir: Fs["readDir"] = async (path) => {
    if (path !== "/ws/a" && path !== "/ws/b") return inner.readDir(path);
    throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  };
  const { output } = await find.invoke(
    { id: "call", name: "find", input: { query: "x" } },
    makeLocalContext("/ws", { fs: { ...inner, readDir } }),
  );
  expect(output).toBe("x\n[2 files or folders could not be read.]");
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
  expect(matchesWildcard(glob, name)).toBe(false);
  const growth = (matches: (glob: string) => boolean): string =>
    growthOf([1, 3, 5], (stars) => matches(`${"*a".repeat(stars)}b`));
  expect(growth((short) => matchesWildcard(short, name))).toBe("even");
  // The twin: every star more multiplies the effort by tens.
  const naive = (short: string): boolean =>
    new RegExp(`^${short.replaceAll("*", ".*")}$`).test("a".repeat(80));
  expect(growth(naive)).toBe("steep");
});

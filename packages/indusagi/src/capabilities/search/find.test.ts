import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import type { JsonObject } from "../../core/schema/json-schema.ts";
import { makeLocalContext } from "../backends/local.ts";
import { memoryFs } from "../backends/memory-fs.ts";
import type { Fs } from "../kernel/contract.ts";
import { findTool } from "./find.ts";
import { parseNameQuery } from "./name-query.ts";
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

test("results are relative to the folder searched, and a file that is searched itself is named as it was asked for", async () => {
  expect(await found(FILES, { query: "*.js", path: "src" })).toBe("lib/main.js");
  expect(await found(FILES, { query: "main*", path: "src/lib/main.js" })).toBe("src/lib/main.js");
  expect(await found(FILES, { query: "*", path: "./src/Main.ts" })).toBe("./src/Main.ts");
  expect(await found(FILES, { query: "none*" })).toBe("No name under . matches none*.");
  expect(await found(FILES, { query: "x", path: "nowhere" })).toBe("Cannot search nowhere: path not found.");
});

test("a query with a slash is held against the path", async () => {
  expect(await found(FILES, { query: "src/*.ts" })).toBe("src/Main.ts\nsrc/main.test.ts");
  expect(await found(FILES, { query: "**/*.js" })).toBe("src/lib/main.js");
  expect(await found(["a.js", "b/c.js"], { query: "**/*.js" })).toBe("a.js\nb/c.js");
  expect(await found(FILES, { query: "main/index" })).toBe("docs/main/index.md");
});

test("folders, sets and alternatives are read as a shell reads them, where they found nothing", async () => {
  const files = [
    "a.txt",
    "b.txt",
    "c.txt",
    "d.js",
    "sub/a.txt",
    "sub/deep/b.js",
    "[ab].txt",
    "{a,b}.md",
    "-.x",
  ];
  const ask = (query: string): Promise<unknown> => found(files, { query, type: "file" });
  expect(await ask("./sub/*")).toBe("sub/a.txt\nsub/deep/b.js");
  expect(await ask("././sub/a*")).toBe("sub/a.txt");
  expect(await ask("./sub/a.txt")).toBe("sub/a.txt");
  expect(await ask("./a.txt")).toBe("a.txt");
  expect(await ask("*.{js,md}")).toBe("d.js\nsub/deep/b.js\n{a,b}.md");
  expect(await ask("{sub,none}/*.txt")).toBe("sub/a.txt");
  expect(await ask("{a,{b,d}}.{txt,js}")).toBe("a.txt\nb.txt\nd.js\nsub/a.txt\nsub/deep/b.js");
  expect(await ask("[ab].txt")).toBe("[ab].txt\na.txt\nb.txt\nsub/a.txt");
  expect(await ask("[!ab].txt")).toBe("c.txt");
  expect(await ask("[^a-b].T?T")).toBe("c.txt");
  expect(await ask("[]-].*")).toBe("-.x");
  expect(await ask("{a,b}.md")).toBe("{a,b}.md");
  expect(await ask("**/deep/**/*.js")).toBe("sub/deep/b.js");
  expect(await ask("/deep/b")).toBe("sub/deep/b.js"); // part of the path, as before
  const none = "No name under . matches ";
  const alone = (open: string, close: string): string => `${open} without ${close} is matched literally.`;
  expect(await ask("*.{cc")).toBe(`${none}*.{cc. ${alone("{", "}")}`);
  expect(await ask("[zz")).toBe(`${none}[zz. ${alone("[", "]")}`);
  expect(await ask("{zz")).toBe(`${none}{zz. ${alone("{", "}")}`);
  const outside = " Only that folder is searched: set path to another one.";
  for (const query of ["../*", "sub/../../x", ".."])
    expect(await ask(query)).toBe(`${none}${query}.${outside}`);
  expect(await ask("[a")).toContain("[ab].txt");
  expect(await ask("[a/b].txt")).toBe(`${none}[a/b].txt.`);
  expect(matchesWildcard("*.{js,md}", "d.js") || matchesWildcard("./sub/*", "sub/a.txt")).toBe(false); // the twin
});

test("an absolute query finds what lies below the folder, and says where it looked when it finds nothing", async () => {
  const ws = createWorkspace();
  for (const file of ["sub/a.txt", "b.txt"]) ws.put(file, "");
  const ask = async (query: string): Promise<unknown> =>
    (await ws.call(find, { query, type: "file" })).output;
  expect(await ask(`${ws.root}/*`)).toBe("b.txt\nsub/a.txt");
  expect(await ask(`${ws.root}/**/*.txt`)).toBe("b.txt\nsub/a.txt");
  expect(await ask(`${ws.root}/sub`)).toBe("sub/a.txt");
  expect(await ask(`${ws.root.slice(0, -3)}*/b.txt`)).toBe("b.txt");
  expect(await ask("/nowhere/*.txt")).toBe(
    "No name under . matches /nowhere/*.txt. " + "Only that folder is searched: set path to another one.",
  );
});

test("alternatives without end are refused, where writing them all out takes the memory", async () => {
  const refusal = "The query has more than 256 alternatives. Use fewer.";
  for (const query of [
    "{a,b}".repeat(9),
    "{a,b}".repeat(10_000),
    "{".repeat(50_000) + ",}".repeat(50_000),
    "**/a/".repeat(9),
  ])
    expect(await found(["a"], { query })).toBe(refusal);
  expect(await found(["a"], { query: `${"{".repeat(100)}a${"}".repeat(100)}` })).toContain("No name under .");
  // Stars and sets that almost match throughout the name.
  const query = parseNameQuery(`${"*[ab]".repeat(10)}c`);
  const ask = (size: number): unknown =>
    query.matches({ name: () => "ab".repeat(size), path: () => "", absolutePath: () => "" });
  expect(ask(1_000)).toBe(false);
  expect(growthOf([100, 1_000, 10_000], ask)).toBe("even");
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

test.skipIf(process.platform === "win32")(
  "a path that cannot be searched is refused with the reason",
  async () => {
    const ws = createWorkspace();
    symlinkSync("loop", ws.path("loop"));
    const refused = async (path: string): Promise<unknown> =>
      (await ws.call(find, { query: "x", path })).output;
    expect(await refused("loop")).toBe("Cannot search loop: its symbolic links form a loop.");
    expect(await refused("")).toBe('"path" must not be empty. Omit it for the working folder.');
    expect(await refused("  ")).toBe('"path" contains only whitespace: expected a path.');
  },
);

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
  const note = "[3 ignored files were skipped; set includeIgnored to search them.]";
  expect(await ask({ query: "*.ts" })).toBe(`a.ts\n${note}`);
  expect(await ask({ query: "out" })).toBe(`No name under . matches out.\n${note}`);
  expect(await ask({ query: "*.ts", includeIgnored: true })).toBe("a.ts\nout/b.ts\nout/lib/c.ts");
  expect((await ws.call(find, { query: "out", includeIgnored: true })).output).toBe("out");
  ws.put(".gitignore", "d.log");
  expect(await ask({ query: "d*" })).toBe(
    "No name under . matches d*.\n[1 ignored file was skipped; set includeIgnored to search it.]",
  );
});

test("only such a tool offers the argument, and says what it skips", () => {
  const respectful = findTool({ respectGitignore: true });
  expect(
    [find, respectful].map((tool) => JSON.stringify(tool.parameters).includes("includeIgnored")),
  ).toEqual([false, true]);
  expect(find.description).toContain("Skips .git and node_modules. ");
  expect(respectful.description).toContain(
    "Skips .git and node_modules, and whatever .gitignore files ignore. ",
  );
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

test("a wildcard matches what its table says, and nothing else", () => {
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
  // The twin: each additional star multiplies the work by tens.
  const naive = (short: string): boolean =>
    new RegExp(`^${short.replaceAll("*", ".*")}$`).test("a".repeat(80));
  expect(growth(naive)).toBe("steep");
});

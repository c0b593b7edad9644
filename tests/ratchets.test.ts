// What there is too much of becomes less, never more. tests/ratchets.json lists what there is; what is less than listed fails too,
// until `UPDATE_RATCHETS=1 npm run check` writes the list anew: downwards, never upwards.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { productFiles, productPaths } from "./support/product-files.ts";
import {
  type Counts,
  citations,
  conditionalSpreads,
  differences,
  fullFolders,
  lessened,
  longFunctions,
  MOST_FILES,
  MOST_LINES,
  repeatedNames,
} from "./support/ratchets.ts";

const ROOT = join(import.meta.dirname, "..");
const LISTS = join(ROOT, "tests/ratchets.json");

const paths = productPaths();
const files = productFiles();

/** By its name in the file of lists. Tests count nowhere: they sit beside what they test, and are to be many. */
const ratchets: readonly { readonly name: string; readonly found: () => Counts; readonly instead: string }[] =
  [
    {
      name: "long functions",
      found: () => longFunctions(files),
      instead: `a function has ${MOST_LINES} lines at most: divide it`,
    },
    {
      name: "full folders",
      found: () => fullFolders(paths),
      instead: `a folder has ${MOST_FILES} files at most: give a part of it a folder`,
    },
    {
      name: "conditional spreads",
      found: () => conditionalSpreads(files),
      instead: "pass an optional property as it is, and declare it `name?: Type | undefined`",
    },
    {
      name: "repeated file names",
      found: () => repeatedNames(paths),
      instead: "a file's name says what no other file is",
    },
  ];

describe("no more than is listed in tests/ratchets.json of", () => {
  test.each(ratchets)("$name", ({ name, found, instead }) => {
    const lists: Record<string, Counts> = JSON.parse(readFileSync(LISTS, "utf8"));
    const now = found();
    if (process.env.UPDATE_RATCHETS === "1") {
      lists[name] = lessened(lists[name] ?? {}, now);
      writeFileSync(LISTS, `${JSON.stringify(lists, null, 2)}\n`);
    }
    const advice = `${instead}; what became less: UPDATE_RATCHETS=1 npm run check`;
    expect(differences(lists[name] ?? {}, now), advice).toEqual([]);
  });
});

test("no line cites a document that the repository does not have", () => {
  const folders = "{packages/*/{src,python,bin},tests,scripts,bench,docs,examples}";
  const places = globSync([`${folders}/**/*.{ts,mjs,cjs,js,py,md,json,toml}`, "*.md"], {
    cwd: ROOT,
    exclude: ["**/node_modules/**", "tests/ratchets.test.ts"],
  });
  expect(places.length).toBeGreaterThan(files.size);
  const texts = places.map((path) => [path, readFileSync(join(ROOT, path), "utf8")] as const);
  expect(citations(new Map(texts))).toEqual([]);
});

describe("a measure", () => {
  const lines = (count: number): string => "  call();\n".repeat(count);
  const source = (text: string): Map<string, string> => new Map([["p/src/a.ts", text]]);

  test.each([
    ["a declared function", `function long() {\n${lines(MOST_LINES)}}`, "long"],
    ["an arrow in a constant", `export const long = () => {\n${lines(MOST_LINES)}};`, "long"],
    ["a method of an object", `const all = {\n async long() {\n${lines(MOST_LINES)}},\n};`, "long"],
    ["a method of a class", `class All {\n long(): void {\n${lines(MOST_LINES)}}\n}`, "long"],
    ["a function without a name", `register(() => {\n${lines(MOST_LINES)}});`, "(unnamed)"],
    [
      "a function in a short one's arguments",
      `const short = make(function long() {\n${lines(MOST_LINES)}});`,
      "long",
    ],
  ])("finds %s that is too long", (_what, text, name) => {
    expect(longFunctions(source(text))).toEqual({ [`p/src/a.ts ${name}`]: MOST_LINES + 2 });
  });

  test("finds no function of the most lines, and none in a long file of short ones", () => {
    const short = `function short() {\n${lines(MOST_LINES - 2)}}\n`;
    expect(longFunctions(source(short.repeat(3)))).toEqual({});
  });

  test("finds a folder with more files than it may have, without those of its folders", () => {
    const inFolder = (folder: string, count: number): string[] =>
      Array.from({ length: count }, (_, at) => `${folder}/${at}.ts`);
    const all = [...inFolder("p/src/a", MOST_FILES), ...inFolder("p/src/a/b", MOST_FILES + 1)];
    expect(fullFolders(all)).toEqual({ "p/src/a/b": MOST_FILES + 1 });
  });

  test.each([
    "f({ ...(x === undefined ? {} : { x }) })",
    "f({ ...(x ? { x } : {}) })",
    "f({ a: 1, ...(x && { x }), b: 2 })",
    "f({ ...((x ? KNOWN : {}) ) })",
  ])("finds the conditional spread in %s", (text) => {
    expect(conditionalSpreads(source(`${text};\n${text};`))).toEqual({ "p/src/a.ts": 2 });
  });

  test.each(["f({ ...x, y })", "f({ ...(x ?? NONE) })", "f([...(x ? [x] : [])])", "f({ ...(x ? A : B) })"])(
    "finds no conditional spread of a property in %s",
    (text) => {
      expect(conditionalSpreads(source(text))).toEqual({});
    },
  );

  test("finds a file's name that another folder has, unless each folder may have it", () => {
    expect(repeatedNames(["a/x.ts", "b/x.ts", "b/y.ts", "a/index.ts", "b/index.ts"])).toEqual({ "x.ts": 2 });
  });

  test.each([
    "// A rule (seed 001, files).",
    "// The rules (seeds 000 and 002).",
    "// As in the seed's grammar.",
    'test("as design section 7 says", run);',
    "/** Four levels (design, section 7). */",
  ])("finds the citation in %s", (text) => {
    expect(citations(source(`one\n${text}`))).toEqual([`p/src/a.ts:2: ${text}`]);
  });

  test.each(["const seed = 1_001;", "// Why: docs/decisions/015-boundary.md", "// by design, none"])(
    "finds no citation in %s",
    (text) => {
      expect(citations(source(text))).toEqual([]);
    },
  );
});

describe("a list", () => {
  test.each<[string, Counts, Counts, string[]]>([
    ["is as what is found", { a: 2 }, { a: 2 }, []],
    ["lacks what is new", {}, { a: 2 }, ["a: 2, at most none"]],
    ["is exceeded", { a: 2 }, { a: 3 }, ["a: 3, at most 2"]],
    ["keeps what became less", { a: 3 }, { a: 2 }, ["a: 2 now, listed with 3"]],
    ["keeps what is gone", { a: 3 }, {}, ["a: none now, listed with 3"]],
  ])("%s", (_what, listed, found, says) => {
    expect(differences(listed, found)).toEqual(says);
  });

  test.each<[string, Counts, Counts, Counts]>([
    ["takes what became less and drops what is gone", { a: 3, b: 2 }, { a: 2 }, { a: 2 }],
    ["takes neither what is new nor what grew", { a: 3 }, { a: 4, b: 1 }, { a: 3 }],
    [
      "follows a function to another file",
      { "p/a.ts long": 300 },
      { "p/b.ts long": 200 },
      { "p/b.ts long": 200 },
    ],
    ["follows a file to another folder", { "p/a.ts": 3 }, { "p/b/a.ts": 3 }, { "p/b/a.ts": 3 }],
    ["lets nothing grow that moves", { "p/a.ts": 3 }, { "p/b/a.ts": 4 }, { "p/b/a.ts": 3 }],
  ])("that is written anew %s", (_what, listed, found, written) => {
    expect(lessened(listed, found)).toEqual(written);
  });
});

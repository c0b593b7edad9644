import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { compileModule } from "./compile-module.ts";
import { createSourceCompiler, type SourceCompiler } from "./source-compiler.ts";

/** A compiler that counts the files it is given. */
function countingCompiler(names: string[]): () => Promise<SourceCompiler> {
  return async () => {
    const compiler = await TEST_COMPILER();
    return {
      ...compiler,
      async compile(file) {
        names.push(file.path);
        return compiler.compile(file);
      },
    };
  };
}

const modules = (home: string): readonly string[] => readdirSync(join(home, "cache/modules"));

test("compiles every TypeScript file of the folder, and no other", async () => {
  const root = createFolder({
    "index.ts": "export const a: number = 1;",
    "lib/b.tsx": "export const b: number = 2;",
    "lib/c.mts": "export const c: number = 3;",
    "lib/d.cts": "exports.d = 4 as number;",
    "lib/d.d.ts": "export declare const d: number;",
    "e.js": "export const e = 5;",
    "node_modules/p/p.ts": "not even TypeScript",
    ".git/x.ts": "not even TypeScript",
  });
  symlinkSync("index.ts", join(root, "link.ts"));
  const home = createFolder();
  const { folder = "", warnings } = await compileModule(root, { home, compiler: TEST_COMPILER });
  expect(warnings).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(["index.ts.mjs", "lib"]);
  expect(readdirSync(join(folder, "lib")).sort()).toEqual(["b.tsx.mjs", "c.mts.mjs", "d.cts.cjs"]);
  expect(readFileSync(join(folder, "index.ts.mjs"), "utf8")).toMatch(/^export const a = 1;\n/);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a file that is the addon is compiled alone", async () => {
  const folder = createFolder({ "a.ts": "export const a: number = 1;", "b.ts": "syntax error (" });
  const { folder: compiled = "" } = await compileModule(join(folder, "a.ts"), {
    home: createFolder(),
    compiler: TEST_COMPILER,
  });
  expect(readdirSync(compiled)).toEqual(["a.ts.mjs"]);
});

test("the same bytes are compiled once; other bytes, another name, another kind of package again", async () => {
  const home = createFolder();
  const names: string[] = [];
  const load = countingCompiler(names);
  const root = createFolder({ "a.ts": "export const a: number = 1;" });
  const first = await compileModule(root, { home, compiler: load });
  expect(await compileModule(root, { home, compiler: load })).toEqual(first);
  const copy = createFolder({ "a.ts": "export const a: number = 1;" });
  expect(await compileModule(copy, { home, compiler: load })).toEqual(first);
  expect(names).toHaveLength(1);
  for (const files of [
    { "a.ts": "export const a: number = 2;" },
    { "b.ts": "" },
    { "package.json": `{ "type": "module" }` },
  ]) {
    writeFiles(root, files);
    const { folder } = await compileModule(root, { home, compiler: load });
    expect(folder).not.toBe(first.folder);
  }
  expect(modules(home)).toHaveLength(4);
});

test("nothing half-written is left, and what nobody used for a month is removed", async () => {
  const home = createFolder();
  const { folder: old = "" } = await compileModule(createFolder({ "a.ts": "export const a = 1;" }), {
    home,
    compiler: TEST_COMPILER,
  });
  const long = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(old, long, long);
  const root = createFolder({ "a.ts": "export const a = 2;" });
  const { folder: kept = "" } = await compileModule(root, { home, compiler: TEST_COMPILER });
  expect(existsSync(old)).toBe(false);
  // An entry that is used again counts as new.
  utimesSync(kept, long, long);
  await compileModule(root, { home, compiler: TEST_COMPILER });
  await compileModule(createFolder({ "a.ts": "export const a = 3;" }), { home, compiler: TEST_COMPILER });
  expect(modules(home)).toHaveLength(2);
  expect(existsSync(kept)).toBe(true);
});

test("what cannot be looked at among the entries is no fault of the addon that is compiled", async () => {
  const home = createFolder({ "cache/modules/x/a.mjs": "" });
  symlinkSync("loop", join(home, "cache/modules/loop"));
  const { folder = "" } = await compileModule(createFolder({ "a.ts": "export const a = 1;" }), {
    home,
    compiler: TEST_COMPILER,
  });
  expect(readdirSync(folder)).toEqual(["a.ts.mjs"]);
});

test("two that compile the same at one time are both right", async () => {
  const home = createFolder();
  const root = createFolder({ "a.ts": "export const a: number = 1;" });
  const [one, other] = await Promise.all([
    compileModule(root, { home, compiler: TEST_COMPILER }),
    compileModule(root, { home, compiler: TEST_COMPILER }),
  ]);
  expect(one).toEqual(other);
  expect(modules(home)).toHaveLength(1);
});

describe("a syntax error", () => {
  test("is an error with its file, line and column, and nothing is kept", async () => {
    const root = createFolder({
      "ok.ts": "export const a = 1;",
      "sub/bad.ts": "// ünïcode\nexport const\n  b: = 2;\n",
    });
    const home = createFolder();
    const error = await compileModule(root, { home, compiler: TEST_COMPILER }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      name: "LoaderError",
      kind: "invalid",
      path: join(root, "sub/bad.ts"),
      line: 3,
      column: 6,
    });
    expect(String(error)).toBe(`LoaderError: ${root}/sub/bad.ts, line 3, column 6: Unexpected token`);
    expect(existsSync(join(home, "cache"))).toBe(false);
  });
});

describe("limits", () => {
  test("too many files are refused, and so are too many bytes", async () => {
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`f${at}.ts`, ""]));
    await expect(
      compileModule(createFolder(many), { home: createFolder(), compiler: TEST_COMPILER }),
    ).rejects.toThrow(/more than 2000 TypeScript files/);
    const large = { "a.ts": "x".repeat(17 * 1024 * 1024) };
    await expect(
      compileModule(createFolder(large), { home: createFolder(), compiler: TEST_COMPILER }),
    ).rejects.toMatchObject({
      kind: "io",
    });
  });

  test("a package.json that is no JSON is named", async () => {
    const root = createFolder({ "a.ts": "", "package.json": "{" });
    await expect(
      compileModule(root, { home: createFolder(), compiler: TEST_COMPILER }),
    ).rejects.toMatchObject({
      kind: "invalid",
      path: join(root, "package.json"),
    });
  });

  test("a home that cannot be written to is an error of kind io", async () => {
    const home = createFolder({ cache: "a file" });
    await expect(
      compileModule(createFolder({ "a.ts": "" }), { home, compiler: TEST_COMPILER }),
    ).rejects.toMatchObject({ kind: "io" });
  });
});

describe("without the compiler's binary", () => {
  const load = createSourceCompiler(createSandbox(), { bindings: [] });

  test("Node's own type stripping is used instead, and a warning says so each time", async () => {
    const root = createFolder({ "a.ts": "export const a: number = 1;" });
    const home = createFolder();
    const { folder = "", warnings } = await compileModule(root, { home, compiler: load });
    expect(readFileSync(join(folder, "a.ts.mjs"), "utf8")).toBe("export const a         = 1;");
    expect(warnings).toEqual([
      expect.stringMatching(
        /^oxc-transform cannot be loaded \(it is not installed for this system\); Node's own/,
      ),
    ]);
    expect(await compileModule(root, { home, compiler: load })).toEqual({ folder, warnings });
    // Once the real compiler is available, it takes over; its output is used even when it is missing again.
    const better = await compileModule(root, { home, compiler: TEST_COMPILER });
    expect(better).toMatchObject({ warnings: [] });
    expect(better.folder).not.toBe(folder);
    expect(await compileModule(root, { home, compiler: load })).toEqual(better);
  });

  test.each([
    ["an enum", "a.ts", "enum A { x }"],
    ["a parameter property", "a.ts", "class A { constructor(readonly x: number) {} }"],
    ["TSX", "a.tsx", "export const a = 1;"],
  ])("%s is refused", async (_, name, text) => {
    await expect(
      compileModule(createFolder({ [name]: text }), { home: createFolder(), compiler: load }),
    ).rejects.toMatchObject({ kind: "invalid" });
  });
});

// Addons in TypeScript and JavaScript from their files to their registration, through a real process.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, sourceAt, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { DESCRIBE, type Message, startProgram } from "../../../../../tests/support/test-runner.ts";
import { parseManifest } from "../source/manifest.ts";
import { describeModule } from "./module.ts";

interface Loaded {
  readonly answer: Message;
  readonly folder: string;
  readonly home: string;
}

async function load(files: Readonly<Record<string, string>>, entry = "index.ts"): Promise<Loaded> {
  const folder = createFolder(files);
  const home = createFolder();
  const addon = await describeModule(
    { ...sourceAt(join(folder, entry)), root: folder },
    { home, compiler: TEST_COMPILER },
  );
  const runner = startProgram(await addon.program({ hash: "", grants: [] }));
  return { answer: await runner.request("describe", DESCRIBE), folder, home };
}

/** What the addon called its one command. */
const summary = ({ answer }: Loaded): unknown =>
  (answer as { result?: { commands: { summary: string }[] } }).result?.commands[0]?.summary ?? answer;

const command = (value: string): string =>
  `export function register(surface: any): void { surface.addCommand("c", { summary: String(${value}), run() {} }); }`;

describe("TypeScript", () => {
  test.each([
    ["enums", `enum Colour { Red = "red", Blue = "blue" }\n${command("Colour.Blue")}`, "blue"],
    ["const enums", `const enum Size { Small = 3 }\n${command("Size.Small")}`, "3"],
    ["namespaces", `namespace Deep.Inner { export const value = 7; }\n${command("Deep.Inner.value")}`, "7"],
    [
      "parameter properties",
      `class Box { constructor(readonly held: string, private twice = held + held) {} get both() { return this.twice; } }\n${command('new Box("x").both')}`,
      "xx",
    ],
    [
      "types that are imported",
      `import { type AddonSurface, HOOK_EVENTS } from "induscode/addons";\nimport type { Nothing } from "./gone.ts";\n${command("HOOK_EVENTS.length")}`,
      "13",
    ],
    [
      "satisfies, generics, overloads",
      `function f(a: string): string; function f<T>(a: T) { return a; }\n${command('f("g" satisfies string)!')}`,
      "g",
    ],
  ])("%s", async (_, text, told) => {
    expect(summary(await load({ "index.ts": text }))).toBe(told);
  });

  test("TSX, with the function that it names", async () => {
    const text = `/** @jsxRuntime classic\n * @jsx h */
      const h = (name: string, props: unknown, ...inner: string[]) => name + JSON.stringify(props) + inner.join("");
      ${command("<a b={1}>in</a>")}`;
    expect(summary(await load({ "index.tsx": text }, "index.tsx"))).toBe(`a{"b":1}in`);
  });

  test("other files of its folder: with their ending, without it, by the name of what is compiled, as CommonJS", async () => {
    const told = await load(
      {
        "index.mts": `import { a } from "./a.ts"; import { b } from "./b"; import { c } from "./lib/c.js"; import { d } from "./d.cjs"; import { e } from "./e";
        ${command("[a, b, c, d, e]")}`,
        "a.ts": `export const a: number = 1;`,
        "b.tsx": `export const b: number = 2;`,
        "lib/c.ts": `export { c } from "./c/index.ts";`,
        "lib/c/index.ts": `import { createRequire } from "node:module"; export const c: number = createRequire(import.meta.url)("../../f.cts").f;`,
        "d.cts": `export const d: number = 4;`,
        "e/index.ts": `export const e: number = 5;`,
        "f.cts": `const enum F { Value = 3 }\nexports.f = F.Value;`,
      },
      "index.mts",
    );
    expect(summary(told)).toBe("1,2,3,4,5");
  });

  test.each([
    ["CommonJS where it is written so", {}, "exports.register = ", "object"],
    [
      "CommonJS in a package that says so",
      { "package.json": `{ "type": "commonjs" }` },
      "exports.register = ",
      "object",
    ],
    [
      "a module in such a package, by its syntax",
      { "package.json": `{ "type": "commonjs" }` },
      "export const register = ",
      "undefined",
    ],
    [
      "a module in a package that says so",
      { "package.json": `{ "type": "module" }` },
      "export const register = ",
      "undefined",
    ],
  ])("a .ts file is %s", async (_, files, start, told) => {
    const text = `${start}(s: any): void => s.addCommand("c", { summary: typeof module, run() {} });`;
    expect(summary(await load({ ...files, "index.ts": `declare const module: object;\n${text}` }))).toBe(
      told,
    );
  });

  test("in node_modules it is not compiled, and that is said", async () => {
    const told = await load({
      "index.ts": `import { a } from "pack"; ${command("a")}`,
      "node_modules/pack/package.json": `{ "name": "pack", "exports": "./index.ts" }`,
      "node_modules/pack/index.ts": `export const a: number = 1;`,
    });
    expect(told.answer).toMatchObject({
      error: {
        message: expect.stringContaining("it was not compiled (TypeScript in node_modules"),
        data: { kind: "load" },
      },
    });
  });

  test("plain JavaScript compiles nothing", async () => {
    const told = await load({ "index.js": command("1").replaceAll(/: (any|void)/g, "") }, "index.js");
    expect(summary(told)).toBe("1");
    expect(readdirSync(told.home)).toEqual([]);
  });
});

describe("what is known before it runs", () => {
  const block = `// /// indus-addon
// version = "1.2.0"
// description = "does"
// strange = 1
// [[capability]]
// kind = "alert"
// reason = "rings"
// ///
throw new Error("this never runs here");`;

  test("of a file: its comment block", async () => {
    const path = join(createFolder({ "ring.ts": block }), "ring.ts");
    const addon = await describeModule(
      { ...sourceAt(path), root: path },
      { home: "/nowhere", compiler: TEST_COMPILER },
    );
    expect(addon).toMatchObject({
      runtime: "module",
      id: "derived",
      hasDeclaredId: false,
      version: "1.2.0",
      description: "does",
      capabilities: [{ capability: { kind: "alert" }, required: true, reason: "rings" }],
      runs: `the TypeScript code of ${path}`,
      warnings: [expect.stringContaining('unknown key "strange"')],
    });
  });

  test("of a manifest: what it says, and its entry", async () => {
    const folder = createFolder({ "lib/main.js": "export function register() {}" });
    const text = `id = "named"\nversion = "3"\n[run]\nmodule = "lib/main.js"\nmemory-mb = 64`;
    const { descriptor } = await parseManifest(text, "manifest.toml");
    const addon = await describeModule(
      { ...sourceAt(folder), root: folder },
      { home: "/nowhere", compiler: TEST_COMPILER },
      descriptor,
    );
    expect(addon).toMatchObject({
      id: "named",
      hasDeclaredId: true,
      version: "3",
      capabilities: [],
      warnings: [],
    });
    expect(addon.runs).toBe(`the JavaScript code of ${folder}/lib/main.js`);
    const program = await addon.program({ hash: "", grants: [] });
    expect(program).toMatchObject({ cwd: folder, isNode: true, maxMemoryBytes: 64 * 1024 * 1024 });
    expect(program.argv.slice(0, 2)).toEqual([process.execPath, "--max-old-space-size=64"]);
    expect(program.argv.slice(3)).toEqual([`${folder}/lib/main.js`, folder, "-"]);
    expect(program.readable).toContain(folder);
  });

  test.each([
    ["an entry that leads out of the folder", "../main.js", /is outside the addon's folder/],
    ["an entry that is not there", "gone.js", /cannot be used/],
    ["an entry that is no module", "notes.txt", /a module must end in one of \.ts, .*; notes\.txt does not/],
  ])("%s is refused", async (_, entry, message) => {
    const folder = createFolder({ "addon/notes.txt": "", "main.js": "" });
    const { descriptor } = await parseManifest(`id = "a"\n[run]\nmodule = ${JSON.stringify(entry)}`, "m");
    const root = join(folder, "addon");
    await expect(
      describeModule({ ...sourceAt(root), root }, { home: folder, compiler: TEST_COMPILER }, descriptor),
    ).rejects.toThrow(message);
  });

  test("a file that cannot be read is an error of kind io", async () => {
    const folder = createFolder();
    mkdirSync(join(folder, "a.ts"));
    const path = join(folder, "a.ts");
    await expect(
      describeModule({ ...sourceAt(path), root: path }, { home: folder, compiler: TEST_COMPILER }),
    ).rejects.toMatchObject({
      kind: "io",
    });
    const gone = join(folder, "gone.ts");
    await expect(
      describeModule({ ...sourceAt(gone), root: gone }, { home: folder, compiler: TEST_COMPILER }),
    ).rejects.toMatchObject({
      kind: "io",
    });
  });
});

test("what runs is what was compiled, and not what the file says since", async () => {
  const folder = createFolder({ "index.ts": command('"trusted"') });
  const addon = await describeModule(
    { ...sourceAt(join(folder, "index.ts")), root: folder },
    { home: createFolder(), compiler: TEST_COMPILER },
  );
  const program = await addon.program({ hash: "", grants: [] });
  writeFiles(folder, { "index.ts": command('"changed since"') });
  const answer = await startProgram(program).request("describe", DESCRIBE);
  expect(summary({ answer, folder, home: "" })).toBe("trusted");
  // The twin: compiled again, the change is there.
  const again = startProgram(await addon.program({ hash: "", grants: [] }));
  expect(summary({ answer: await again.request("describe", DESCRIBE), folder, home: "" })).toBe(
    "changed since",
  );
});

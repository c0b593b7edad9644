// What the packages promise to programs: every name in a signature can be named, every door has an example that compiles
// and runs. The long form (INDUS_TESTS=all) does so with the packed files, in a project that has nothing of this tree.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { addonTypes, addonTypesFile } from "../../scripts/addon-types.mjs";
import { createDeclarations, publicDoors, readDeclarations, sourcesOf } from "../../scripts/declarations.mjs";
import { freshFolder, MACHINE_PATH, packTree, registryProblem, shellLine } from "../support/installed.ts";
import { isLong, rows } from "../support/long-form.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE_FOLDER = join(ROOT, "examples/embed");

/** Which example shows which door. */
const EXAMPLES: readonly (readonly [door: string, file: string])[] = [
  ["indusagi/core", "core.ts"],
  ["indusagi/llmgateway", "llmgateway.ts"],
  ["indusagi/runtime", "runtime.ts"],
  ["indusagi/capabilities", "capabilities.ts"],
  ["indusagi/smithy", "smithy.ts"],
  ["indusagi/swarm", "swarm.ts"],
  ["induscode/feature", "feature.ts"],
  ["induscode/addons", "addon.ts"],
  ["induscode/addons/host", "host.ts"],
  ["induscode/briefing", "briefing.ts"],
  ["induscode/deck", "deck.ts"],
  ["induscode/conductor", "conductor.ts"],
  ["induscode/session", "session.ts"],
  ["induscode/session", "front.ts"],
  ["induscode/session", "delegates.ts"],
];

type Declarations = ReturnType<typeof createDeclarations>;
type Door = ReturnType<typeof publicDoors>[number];

/** Every name that an exported signature mentions and that no door exports, with who mentions it. */
function unnameable(declarations: Declarations, doors: readonly Door[]): readonly string[] {
  const key = ({ file, name }: { file: string; name: string }): string => `${file}#${name}`;
  const exported = doors.flatMap((door) =>
    declarations.exportedNames(door.file).map((name: string) => {
      const declared = declarations.resolveExport(door.file, name);
      if (!declared) throw new Error(`${door.name} exports ${name}, which is declared nowhere`);
      return { door: door.name, name, declared };
    }),
  );
  const known = new Set(exported.map(({ declared }) => key(declared)));
  return exported.flatMap(({ door, name, declared }) =>
    declarations.mentionedNames(declared).flatMap((mentioned: string) => {
      const target = declarations.resolveName(declared.file, mentioned);
      if (!target || known.has(key(target)) || isBrand(declarations, target)) return [];
      return [
        `${door}: ${name} mentions ${mentioned}, which no door exports: add it to the index.ts of its folder`,
      ];
    }),
  );
}

/** What the declarations behind the doors import and who installs the package does not get, with who imports it. */
function strangers(declarations: Declarations, doors: readonly Door[]): readonly string[] {
  const found = new Set<string>();
  const seen = new Set(doors.map(({ file }) => file));
  for (const file of seen) {
    const { code, imports, exports, stars } = declarations.of(file);
    const quoted = [...code.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, from = ""]) => from);
    const named = [...imports.values(), ...exports.values()].map(({ from }) => from);
    for (const from of [...quoted, ...stars, ...named]) {
      if (from === undefined || from.startsWith("node:")) continue;
      const target = declarations.targetOf(from, file);
      if (target !== undefined) seen.add(target);
      else if (!comesWith(file, from)) found.add(`${relative(ROOT, file)} imports ${from}`);
    }
  }
  return [...found];
}

function comesWith(file: string, name: string): boolean {
  const [, folder = ""] = /^packages[/\\](\w+)/.exec(relative(ROOT, file)) ?? [];
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, "packages", folder, "package.json"), "utf8"));
  return name in (manifest as { dependencies: object }).dependencies;
}

/** `declare const brand: unique symbol`: nobody names it, that is its use. */
function isBrand(declarations: Declarations, { file, name }: { file: string; name: string }): boolean {
  const statements: unknown = declarations.of(file).declared.get(name);
  return JSON.stringify(statements).includes(`"operator":"unique"`);
}

describe("every name in an exported signature", () => {
  let read: Promise<Declarations> | undefined;
  const declarationsOfTree = (): Promise<Declarations> =>
    (read ??= readDeclarations([...sourcesOf("indusagi"), ...sourcesOf("induscode")]));

  it("is exported itself, by that door or another", async () => {
    expect([...new Set(unnameable(await declarationsOfTree(), publicDoors()))]).toEqual([]);
  }, 120_000);

  it("of induscode/addons stands in the file that editors read (else: npm run addon-types)", async () => {
    expect(readFileSync(addonTypesFile, "utf8")).toBe(addonTypes(await declarationsOfTree()));
  }, 120_000);

  it("leads to no package that comes not with ours", async () => {
    expect(strangers(await declarationsOfTree(), publicDoors())).toEqual([]);
  }, 120_000);

  it("is looked for in heritage, members, generics and queries (the twin)", () => {
    const door = { name: "p/x", file: "/p/index.ts" };
    const declarations = createDeclarations(
      new Map([
        ["/p/index.ts", `export type { Shown, Kept } from "./a.ts"; export * from "./b.ts";`],
        [
          "/p/a.ts",
          `import type { Far } from "./b.ts"; interface Hidden { a: 1 } declare const brand: unique symbol;
           type Local<T> = T; declare const table: { x: 1 };
           export interface Kept { readonly [brand]: 1 }
           export interface Shown<T> extends Hidden { a: Local<T>; b: typeof table; c: Kept; d: Far; e: Map<T, T>;
             f: T extends Array<infer U> ? U : never }`,
        ],
        ["/p/b.ts", "interface Deep {} export interface Far { x: Deep }"],
      ]),
      [door],
    );
    expect(unnameable(declarations, [door]).map((line) => /mentions (\w+)/.exec(line)?.[1])).toEqual([
      "Deep",
      "Hidden",
      "Local",
      "table",
    ]);
  });
});

it("every door has an example, and every example a door", () => {
  expect([...new Set(EXAMPLES.map(([door]) => door))].sort()).toEqual(
    publicDoors()
      .map(({ name }) => name)
      .sort(),
  );
  for (const [door, file] of EXAMPLES)
    expect(readFileSync(join(EXAMPLE_FOLDER, file), "utf8")).toContain(`from "${door}"`);
});

it.each(rows(EXAMPLES, ([, file]) => file === "session.ts"))(
  "the example of %s in %s runs from the sources",
  async (_door, file) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=indus-source", join(EXAMPLE_FOLDER, file)],
      { cwd: freshFolder("example"), timeout: 60_000 },
    );
    expect(stdout).toMatch(/^[\w/]+: ok\n$/);
  },
  90_000,
);

describe.runIf(isLong)("installed from the packed files", () => {
  /** An empty project with both packages, Node's types and the examples. */
  async function project(context: TestContext): Promise<string> {
    const tree = await packTree();
    const folder = freshFolder("project");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "package.json"), `{ "name": "p", "private": true, "type": "module" }`);
    const done = await shellLine(`npm install --prefer-offline "${tree}"/pack/*.tgz`, folder);
    const problem = registryProblem(done);
    if (problem !== undefined) context.skip(problem);
    expect(done).toMatchObject({ ok: true });
    mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
    for (const name of ["@types/node", "undici-types"])
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
    for (const [, file] of EXAMPLES) cpSync(join(EXAMPLE_FOLDER, file), join(folder, file));
    return folder;
  }

  async function tsc(folder: string, options: object): Promise<string> {
    const compilerOptions = { strict: true, target: "es2024", lib: ["es2024"], types: ["node"], ...options };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const run = promisify(execFile)(process.execPath, [compiler, "-p", "."], { cwd: folder });
    return run.then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  }

  it("the example of each export compiles as a strict user's would, declarations included, and runs", async (context) => {
    const folder = await project(context);
    const bundler = { module: "preserve", moduleResolution: "bundler", noEmit: true };
    expect(await tsc(folder, bundler)).toBe("");
    expect(await tsc(folder, { module: "nodenext", moduleResolution: "nodenext", outDir: "out" })).toBe("");
    expect(readdirSync(join(folder, "out")).length).toBe(EXAMPLES.length);
    // On the Node that comes with the package, and on the machine's own, which may be as old as the packages allow.
    for (const file of EXAMPLES.map(([, name]) => basename(name, ".ts")))
      for (const node of ["./node_modules/.bin/node", "node"]) {
        const { stdout, stderr } = await shellLine(`${node} out/${file}.js`, folder, { PATH: MACHINE_PATH });
        const worked = /^[\w/]+: ok\n$/.test(stdout);
        // The processes of addons are started by the host's own Node.
        const tooOld = file === "host" && /its code needs Node 24\.15 or later; this program/.test(stderr);
        expect({ node, file, stdout, stderr, fits: worked || tooOld }).toMatchObject({ fits: true });
      }
    // The twin: a name that the packages do not export is an error there.
    writeFileSync(join(folder, "core.ts"), `import type { Nothing } from "indusagi/core";\n`);
    expect(await tsc(folder, { ...bundler, outDir: "none" })).toContain("no exported member 'Nothing'");
  }, 600_000);
});

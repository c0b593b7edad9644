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
import { builtCommand } from "../support/built.ts";
import { modelEnvironment } from "../support/indus.ts";
import { freshFolder, MACHINE_PATH, packTree, registryProblem, shellLine } from "../support/installed.ts";
import { isLong, rows } from "../support/long-form.ts";
import { type Script, startModelServer } from "../support/model-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE_FOLDER = join(ROOT, "examples");

interface Answered {
  readonly says: Script;
  readonly prints: string;
}

type Example = readonly [door: string, file: string, model?: Answered];

/** Which example shows which door, what a model says to it, and what it prints; those that need none print that they worked. */
const EXAMPLES: readonly Example[] = [
  ["indusagi/core", "embed/core.ts"],
  ["indusagi/llmgateway", "embed/llmgateway.ts"],
  ["indusagi/runtime", "embed/runtime.ts"],
  ["indusagi/capabilities", "embed/capabilities.ts"],
  ["indusagi/smithy", "embed/smithy.ts"],
  ["indusagi/swarm", "embed/swarm.ts"],
  ["induscode/feature", "embed/feature.ts"],
  ["induscode/addons", "embed/addon.ts"],
  ["induscode/addons/host", "embed/host.ts"],
  ["induscode/briefing", "embed/briefing.ts"],
  ["induscode/deck", "embed/deck.ts"],
  ["induscode/conductor", "embed/conductor.ts"],
  ["induscode/session", "embed/session.ts"],
  ["induscode/session", "embed/front.ts"],
  ["induscode/session", "embed/delegates.ts"],
  ["induscode/sdk", "sdk/first.ts", { says: [{ text: "A project." }], prints: "A project.\n" }],
  [
    "induscode/sdk",
    "sdk/functions.ts",
    {
      says: [
        { calls: [{ id: "c_1", name: "in_stock", input: { article: "apples" } }] },
        { calls: [{ id: "c_2", name: "bash", input: { command: "echo 3 > notes.txt" } }] },
        { calls: [{ id: "c_3", name: "bash", input: { command: "touch count.txt" } }] },
        { text: "There are 3." },
      ],
      prints:
        'in_stock ok\nbash refused\nasked about bash: {"command":"touch count.txt"}\nbash ok\nThere are 3.\n',
    },
  ],
  [
    "induscode/sdk",
    "sdk/form.ts",
    {
      says: [{ text: '{"verdict":"not ready","reasons":["no tests"]}' }],
      prints: "not ready: no tests\n",
    },
  ],
  [
    "induscode/sdk",
    "sdk/session.ts",
    {
      says: [
        { calls: [{ id: "c_1", name: "write", input: { path: "a.txt", content: "a" } }] },
        ...[{ text: "Done." }, { text: "Nothing." }, { text: "Nothing yet." }],
      ],
      prints: "complete\ncomplete\nNothing yet.\n",
    },
  ],
];

/** Its name where all lie in one folder. */
const inProject = (file: string): string => file.replace("/", "-");

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

/** The environment of a program with a model that says this, in a home of its own. */
async function withModel(script: Script): Promise<NodeJS.ProcessEnv> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const home = freshFolder("home");
  writeFileSync(join(home, "settings.json"), '{"localServers":[],"model":"anthropic/scripted"}');
  const price = { input: 1, output: 1 }; // a limit in dollars needs one
  writeFileSync(join(home, "models.json"), JSON.stringify({ models: { "anthropic/scripted": { price } } }));
  return { HOME: home, INDUS_HOME: home, ...modelEnvironment(server.url) };
}

const WORKED = /^[\w/]+: ok\n$/;

const SHORT: readonly string[] = ["embed/session.ts", "sdk/functions.ts"];

it.each(
  rows(EXAMPLES, ([, file]) => SHORT.includes(file)).map(([door, file, model]) => ({ door, file, model })),
)(
  "the example of $door in $file runs from the sources",
  async ({ file, model }) => {
    if (file === "sdk/session.ts") builtCommand(); // the process that it starts
    const env = { ...process.env, ...(model && (await withModel(model.says))) };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=indus-source", join(EXAMPLE_FOLDER, file)],
      { cwd: freshFolder("example"), env, timeout: 60_000 },
    );
    if (model === undefined) expect(stdout).toMatch(WORKED);
    else expect(stdout).toBe(model.prints);
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
    for (const [, file] of EXAMPLES) cpSync(join(EXAMPLE_FOLDER, file), join(folder, inProject(file)));
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
    for (const [, name, model] of EXAMPLES)
      for (const node of ["./node_modules/.bin/node", "node"]) {
        const file = basename(inProject(name), ".ts");
        const env = { ...(model && (await withModel(model.says))), PATH: MACHINE_PATH };
        const { stdout, stderr } = await shellLine(`${node} out/${file}.js`, folder, env);
        const worked = model === undefined ? WORKED.test(stdout) : stdout === model.prints;
        // The processes of addons are started by the host's own Node.
        const tooOld =
          file === "embed-host" && /its code needs Node 24\.15 or later; this program/.test(stderr);
        expect({ node, file, stdout, stderr, fits: worked || tooOld }).toMatchObject({ fits: true });
      }
    // The twin: a name that the packages do not export is an error there.
    writeFileSync(join(folder, "embed-core.ts"), `import type { Nothing } from "indusagi/core";\n`);
    expect(await tsc(folder, { ...bundler, outDir: "none" })).toContain("no exported member 'Nothing'");
  }, 600_000);
});

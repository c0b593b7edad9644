// An addon loads wherever it lies: it is independent of what a package.json above its folder says, whether that can be read
// at all, and how the parent folders are called. Covers every pair of variants, at each sandbox level available here.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { covering, pairwise, valuesOf } from "../../../../../tests/support/pairs.ts";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, sourceAt } from "../../../../../tests/support/test-folder.ts";
import { DESCRIBE, startCommand } from "../../../../../tests/support/test-runner.ts";
import { describeModule } from "../kinds/module.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { sandboxSpec } from "../sandbox/spec.ts";

const REGISTER = `surface.addCommand("c", { summary: own, run() {} });`;
const MODULE = (imports: string): string => `${imports}\nexport function register(surface) { ${REGISTER} }\n`;
const MODULE_TS = (imports: string): string =>
  `${imports}\nexport function register(surface: any): void { ${REGISTER} }\n`;
const COMMONJS = (requires: string): string =>
  `${requires}\nexports.register = (surface) => { ${REGISTER} };\n`;
const OWN = `const own = "own";`;
const PACKAGE = {
  "node_modules/mine/package.json": `{ "name": "mine", "exports": "./m.js" }`,
  "node_modules/mine/m.js": `exports.own = "own";`,
};

/** An addon's files by their names, its entry first. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "one .ts": { "one.ts": MODULE_TS(OWN) },
  "one .js that is a module": { "one.js": MODULE(OWN) },
  "one .js that is CommonJS": { "one.js": COMMONJS(OWN) },
  "one .mjs": { "one.mjs": MODULE(OWN) },
  "one .cjs": { "one.cjs": COMMONJS(OWN) },
  "a folder of .ts": {
    "f/index.ts": MODULE_TS(`import { own } from "./lib/own";`),
    "f/lib/own.ts": `export const own: string = "own";`,
  },
  "a folder of .js": {
    "f/index.js": MODULE(`import { own } from "./lib/own.js";`),
    "f/lib/own.js": `export const own = "own";`,
  },
  "a folder of CommonJS": {
    "f/index.js": COMMONJS(`const { own } = require("./lib"); require("./data"); require("./lib/own");`),
    "f/lib/index.js": `exports.own = require("./own.js").own;`,
    "f/lib/own.js": `exports.own = "own";`,
    "f/data.json": `{}`,
  },
  "a folder with its own package.json": {
    "f/index.js": MODULE(`import { own } from "#own";`),
    "f/package.json": `{ "type": "module", "imports": { "#own": "./own.js" } }`,
    "f/own.js": `export const own = "own";`,
  },
  "a folder with a package and no package.json": {
    "f/index.js": MODULE(`import mine from "mine"; const { own } = mine;`),
    ...Object.fromEntries(Object.entries(PACKAGE).map(([name, text]) => [`f/${name}`, text])),
  },
  "CommonJS with a package and no package.json": {
    "f/index.cjs": COMMONJS(`const { own } = require("mine");`),
    ...Object.fromEntries(Object.entries(PACKAGE).map(([name, text]) => [`f/${name}`, text])),
  },
};

const ABOVE: Readonly<Record<string, (file: string) => void>> = {
  "a package of CommonJS": (file) => writeFileSync(file, `{ "type": "commonjs", "name": "root" }`),
  "a package of modules": (file) =>
    writeFileSync(file, `{ "type": "module", "name": "root", "exports": {} }`),
  "no package": () => undefined,
  "a package.json that nobody may read": (file) => {
    writeFileSync(file, `{ "type": "module" }`);
    chmodSync(file, 0);
  },
  "a package.json that is a folder": (file) => void mkdirSync(file, { recursive: true }),
  "a package.json that is no JSON": (file) => writeFileSync(file, `{ "type": `),
};

const PLACES = {
  "a workspace": ".indus/addons",
  "a package of a monorepo": "packages/inner/.indus/addons",
  "a home": "home/.indus/addons",
} as const;

const CELLS = pairwise({
  kind: Object.keys(KINDS),
  above: Object.keys(ABOVE),
  place: Object.keys(PLACES),
  name: ["plain", "two words", "a#b", "50% off", "what?", "naïve-日本"],
});

describe.each(["bubblewrap", "landlock", "node-permissions"] as const)("at the level %s", (level) => {
  const sandbox = createSandbox({ prefer: level });
  const isMissing = lacksLevel(level, sandbox.levelFor({ isNode: true }) === level);
  // Landlock is where Node can see a file that it may not open: in the short form each kind and place there, and one elsewhere.
  const few = new Set(
    covering(CELLS, level === "landlock" ? valuesOf : ({ place }) => (place === "a home" ? [place] : [])),
  );
  const cells = rows(CELLS, (cell) => few.has(cell));

  test.skipIf(isMissing).each(cells)("$kind below $above, in $place called $name", async (cell) => {
    const { kind, above, place, name } = cell;
    const workspace = join(createFolder(), name);
    const folder = join(workspace, PLACES[place as keyof typeof PLACES]);
    const files = Object.entries(KINDS[kind] ?? {});
    for (const [file, text] of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    for (const at of [workspace, dirname(dirname(folder))])
      if (at === workspace || place !== "a workspace") ABOVE[above]?.(join(at, "package.json"));
    const [[entry = ""] = []] = files;
    const root = join(folder, entry.split("/")[0] ?? "");
    const addon = await describeModule(
      { ...sourceAt(join(folder, entry)), root },
      { home: createFolder(), compiler: TEST_COMPILER },
    );
    const program = await addon.program({ hash: "", grants: [] });
    const spec = sandboxSpec(program, [], workspace);
    const runner = startCommand(sandbox.confine(program.argv, spec).argv, { cwd: program.cwd });
    expect(await runner.request("describe", DESCRIBE), runner.stderr()).toMatchObject({
      result: { commands: [{ summary: "own" }] },
    });
    runner.end();
    await runner.ended;
  });
});

test.skipIf(
  lacksLevel("landlock", createSandbox({ prefer: "landlock" }).levelFor({ isNode: true }) === "landlock"),
)(
  "its twin: Node by itself looks for a package.json above, and fails on one that it may not open",
  async () => {
    const workspace = createFolder({ "package.json": "{}", "addon/one.js": "export const a = 1;" });
    const program = {
      runtime: "module" as const,
      argv: [process.execPath, join(workspace, "addon/one.js")],
      cwd: join(workspace, "addon"),
      readable: [process.execPath, join(workspace, "addon")],
      isNode: false,
      maxMemoryBytes: 1024 ** 3,
    };
    const spec = sandboxSpec(program, [], workspace);
    const twin = startCommand(
      createSandbox({ prefer: "landlock" }).confine(program.argv, spec).argv,
      program,
    );
    expect(await twin.ended).toMatchObject({ code: 1 });
    expect(twin.stderr()).toContain("package.json");
  },
);

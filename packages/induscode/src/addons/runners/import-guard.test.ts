// What an addon may import. Node's permissions are off here, so that only the guard refuses; and each refusal has a twin in
// which Node imports the very same file without the guard and reaches it.

import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, sourceAt, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { DESCRIBE, type Message, startProgram } from "../../../../../tests/support/test-runner.ts";
import { describeModule } from "../kinds/module.ts";

const REACHED = `globalThis.reached = true; console.error("reached");`;

/** A workspace with an addon, a file and a package next to it, and links from inside to outside. */
function createWorkspace(): string {
  const workspace = createFolder({
    "outside.mjs": `${REACHED} export const reached = 1;`,
    "outside.cjs": REACHED,
    "node_modules/above/package.json": `{ "name": "above", "type": "module", "exports": "./index.js" }`,
    "node_modules/above/index.js": REACHED,
    "addon/own.mjs": `export const own = "own";`,
    "addon/deep/own.cjs": `exports.own = "deep";`,
    "addon/data.json": `{ "own": "json" }`,
    "addon/node_modules/mine/package.json": `{ "name": "mine", "type": "module", "exports": { ".": "./lib.js", "./sub": "./lib.js" } }`,
    "addon/node_modules/mine/lib.js": `export const own = "package";`,
  });
  symlinkSync(join(workspace, "outside.mjs"), join(workspace, "addon/link.mjs"));
  symlinkSync(workspace, join(workspace, "addon/up"));
  return workspace;
}

/** `statement` runs in the addon's register; it can set `own` as its answer. */
function writeAddon(workspace: string, statement: string): string {
  const entry = join(workspace, "addon/index.mjs");
  const text = `import { createRequire } from "node:module";
    export async function register(surface) {
      const require = createRequire(import.meta.url);
      let own = "nothing";
      ${statement}
      surface.addCommand("c", { summary: String(own), run() {} });
    }`;
  writeFiles(workspace, { "addon/index.mjs": text });
  return entry;
}

async function describeAddon(entry: string, root: string): Promise<Message> {
  const addon = await describeModule(
    { ...sourceAt(entry), root },
    { home: createFolder(), compiler: TEST_COMPILER },
  );
  const runner = startProgram(await addon.program({ hash: "", grants: [] }), { permissions: false });
  return runner.request("describe", DESCRIBE);
}

test.each([
  [
    "Node's own modules",
    `own = (await import("node:path")).basename("a/b") + (await import("fs")).existsSync("/");`,
    "btrue",
  ],
  ["the kit", `own = (await import("induscode/addons")).stop("kit").reason;`, "kit"],
  ["its own files", `own = (await import("./own.mjs")).own;`, "own"],
  [
    "its own files by their absolute path",
    `own = (await import(import.meta.dirname + "/own.mjs")).own;`,
    "own",
  ],
  ["its own files by require", `own = require("./deep/own.cjs").own;`, "deep"],
  ["its own data", `own = (await import("./data.json", { with: { type: "json" } })).default.own;`, "json"],
  ["a package in its own node_modules", `own = (await import("mine/sub")).own;`, "package"],
])("an addon may import %s", async (_, statement, own) => {
  const workspace = createWorkspace();
  const entry = writeAddon(workspace, statement);
  expect(await describeAddon(entry, join(workspace, "addon"))).toMatchObject({
    result: { commands: [{ summary: own }] },
  });
});

const OUTSIDE =
  /^import of ".+" is refused: it is outside the addon, and trust covers only \/.+\/addon; an addon may import node: modules, induscode\/addons and its own files\. /;
const NO_FILE = /^import of ".+" is refused: only files can be imported$/;
const NO_PACKAGE =
  /^import of ".+" is refused: the package is not in the addon's own node_modules, and trust covers only .+\. Install it there( \(.+, line \d+\))?$/;

test.each(
  rows(
    [
      ["a file beside it", `await import("../outside.mjs");`, OUTSIDE],
      ["one by an absolute path", `await import(import.meta.dirname + "/../outside.mjs");`, OUTSIDE],
      ["one by a file URL", `await import(new URL("../outside.mjs", import.meta.url).href);`, OUTSIDE],
      ["one through a link", `await import("./link.mjs");`, OUTSIDE],
      ["one through a linked folder", `await import("./up/outside.mjs");`, OUTSIDE],
      ["one by require", `require("../outside.cjs");`, OUTSIDE],
      ["a package of the workspace", `await import("above");`, NO_PACKAGE],
      ["a package of the workspace by require", `require("above");`, NO_PACKAGE],
      ["code in a URL", `await import("data:text/javascript,${encodeURIComponent(REACHED)}");`, NO_FILE],
    ],
    (_, at) => at % 3 === 0,
  ),
)("an addon may not import %s (twin: without the guard it does)", async (_, statement, message) => {
  const workspace = createWorkspace();
  const entry = writeAddon(workspace, statement);
  expect(await describeAddon(entry, join(workspace, "addon"))).toMatchObject({
    error: { message: expect.stringMatching(message), data: { kind: "register" } },
  });
  const start = `await (await import(${JSON.stringify(entry)})).register({ addCommand() {} });`;
  const twin = spawnSync(process.execPath, ["--input-type=module", "-e", start], { encoding: "utf8" });
  expect(twin).toMatchObject({ status: 0, stderr: "reached\n" });
});

test.each(["induscode/feature", "indusagi/core"])(
  "an addon may not import %s, which is no part of the kit",
  async (name) => {
    const workspace = createWorkspace();
    const entry = writeAddon(workspace, `await import("${name}");`);
    expect(await describeAddon(entry, join(workspace, "addon"))).toMatchObject({
      error: { message: expect.stringContaining(`import of "${name}" is refused: `) },
    });
  },
);

test("an addon that is one file may import no other, for trust covers that file alone", async () => {
  const workspace = createWorkspace();
  const entry = writeAddon(workspace, `await import("./own.mjs");`);
  expect(await describeAddon(entry, entry)).toMatchObject({
    error: { message: expect.stringContaining("Make the addon a folder and put the file in it") },
  });
});

test("an import of a file that is not there says so", async () => {
  const workspace = createWorkspace();
  const entry = writeAddon(workspace, `await import("./nowhere.mjs");`);
  const { error } = await describeAddon(entry, join(workspace, "addon"));
  expect(error).toHaveProperty(
    "message",
    expect.stringMatching(/^Cannot find module '.*\/addon\/nowhere\.mjs'/),
  );
});

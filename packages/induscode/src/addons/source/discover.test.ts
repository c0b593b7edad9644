import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, fillFolder, writeFiles } from "../../../../../tests/support/test-folder.ts";
import { deriveAddonId, discoverAddons, discoverSources, MAX_ENTRIES } from "./discover.ts";

const MANIFEST = 'id = "x"';

describe("discoverAddons", () => {
  it("finds the three shapes, sorted by path, and nothing else", () => {
    const dir = createFolder({
      "zeta/manifest.toml": MANIFEST,
      "alpha/manifest.toml": MANIFEST,
      "alpha/index.ts": "",
      "bare.mjs": "",
      "pkg/package.json": '{ "indusAddon": "./src/main.js" }',
      "pkg/src/main.js": "",
      "plain/package.json": '{ "main": "lib.js" }',
      "plain/index.cjs": "",
      "both/index.js": "",
      "both/index.ts": "",
      "empty/notes.md": "",
      "deep/inner/manifest.toml": MANIFEST,
      "snake.py": "",
      "snakes/__init__.py": "",
      "__pycache__/snake.pyc": "",
      "README.md": "",
      "data.json": "{}",
    });
    const found = ["alpha", "bare.mjs", "both/index.ts", "pkg/src/main.js", "plain/index.cjs"];
    found.push("snake.py", "snakes/__init__.py", "zeta");
    const strays = ["README.md", "__pycache__", "data.json", "empty", "deep"].sort();
    const inside = (names: readonly string[]): readonly string[] => names.map((name) => join(dir, name));
    expect(discoverAddons(dir)).toEqual({ found: inside(found), faults: [], strays: inside(strays) });
  });

  it("skips hidden entries of every shape", () => {
    const dir = createFolder({ ".git/manifest.toml": MANIFEST, ".hidden.ts": "", ".pkg/index.js": "" });
    expect(discoverAddons(dir)).toEqual({ found: [], faults: [], strays: [] });
  });

  it("takes a missing folder, an unreadable one and a file for an empty folder", () => {
    const dir = createFolder({ "a/manifest.toml": MANIFEST, file: "" });
    const locked = join(dir, "locked");
    mkdirSync(locked, { mode: 0o000 });
    for (const path of [join(dir, "gone"), join(dir, "file"), locked])
      expect(discoverAddons(path)).toEqual({ found: [], faults: [], strays: [] });
    chmodSync(locked, 0o700);
  });

  it("follows no link: what it leads to is not what was hashed", () => {
    const outside = createFolder({ "evil/manifest.toml": MANIFEST, "evil.ts": "" });
    const dir = createFolder({ "good/manifest.toml": MANIFEST });
    symlinkSync(join(outside, "evil"), join(dir, "evil"));
    symlinkSync(join(outside, "evil.ts"), join(dir, "evil.ts"));
    symlinkSync(join(dir, "good"), join(dir, "inner"));
    symlinkSync("loop", join(dir, "loop"));
    const { found, faults } = discoverAddons(dir);
    expect(found).toEqual([join(dir, "good")]);
    expect(faults).toEqual(
      ["evil", "evil.ts", "inner", "loop"].map((name) => ({
        kind: "load",
        owner: name.replace(".ts", ""),
        message: `${join(dir, name)}: it is a symlink, and symlinks among addons are not followed; give the addon's own path instead: --addon PATH, or addons.paths in your settings`,
      })),
    );
  });

  it.each([
    ["../../outside.js", "is outside its folder"],
    ["/etc/hostname", "is outside its folder"],
    ["linked.js", "is outside its folder"],
    ["gone.js", "cannot be found: "],
  ])("refuses a package whose entry is %s", (entry, problem) => {
    const outside = createFolder({ "outside.js": "" });
    const dir = createFolder({ "pkg/package.json": JSON.stringify({ indusAddon: entry }) });
    symlinkSync(join(outside, "outside.js"), join(dir, "pkg/linked.js"));
    const { found, faults } = discoverAddons(dir);
    expect(found).toEqual([]);
    expect(faults.map(({ kind, message }) => [kind, message])).toEqual([
      ["load", expect.stringContaining(`its entry ${entry} ${problem}`)],
    ]);
  });

  it("looks for an index where a package.json cannot be read", () => {
    const dir = createFolder({ "pkg/package.json": "{ not json", "pkg/index.js": "" });
    expect(discoverAddons(dir)).toEqual({ found: [join(dir, "pkg/index.js")], faults: [], strays: [] });
  });

  it(`refuses a folder with more than ${MAX_ENTRIES} entries as a whole`, () => {
    const dir = createFolder();
    fillFolder(dir, MAX_ENTRIES + 1, (at) => `a${at}.ts`);
    expect(discoverAddons(dir)).toEqual({
      found: [],
      strays: [],
      faults: [
        expect.objectContaining({
          kind: "load",
          message: `${dir}: it has more than 12000 entries; none of its addons is loaded`,
        }),
      ],
    });
  });
});

describe("deriveAddonId", () => {
  it.each([
    ["safety", "safety"],
    ["v1.2", "v1.2"],
    ["lint.ts", "lint"],
    ["my.addon.mjs", "my.addon"],
    ["pkg/index.ts", "pkg"],
    ["pkg/index.cjs", "pkg"],
    ["pkg/main.js", "main"],
    ["pkg/index.txt", "index"],
    ["safety/manifest.toml", "safety"],
    ["gone.py", "gone"],
  ])("%s is %s", (path, id) => {
    const dir = createFolder({ "safety/manifest.toml": "", "v1.2/manifest.toml": "" });
    expect(deriveAddonId(join(dir, path))).toBe(id);
  });
});

describe("discoverSources", () => {
  it("puts the user's first, then the project's, then what was named, each path once", () => {
    const home = createFolder({ "addons/mine/manifest.toml": MANIFEST });
    const workspace = createFolder({ ".indus/addons/safety/manifest.toml": MANIFEST, "tools/lint.ts": "" });
    const safety = join(workspace, ".indus/addons/safety");
    const lint = join(workspace, "tools/lint.ts");
    expect(
      discoverSources({ home, workspace, explicitPaths: ["\u200btools/lint.ts ", lint, safety, "/gone/x"] }),
    ).toEqual({
      found: [
        { id: "mine", path: join(home, "addons/mine"), root: join(home, "addons/mine"), scope: "user" },
        { id: "safety", path: safety, root: safety, scope: "project" },
        { id: "lint", path: lint, root: lint, scope: "explicit" },
        { id: "x", path: "/gone/x", root: "/gone/x", scope: "explicit" },
      ],
      faults: [],
      strays: [],
    });
  });

  it("scans another folder of the workspace where one is given", () => {
    const workspace = createFolder({
      "extra/a/manifest.toml": MANIFEST,
      ".indus/addons/b/manifest.toml": "",
    });
    const { found } = discoverSources({ workspace, dir: "extra" });
    expect(found.map(({ path }) => path)).toEqual([join(workspace, "extra/a")]);
  });

  it("loads nothing through an addons folder that is a link out of the workspace", () => {
    const outside = createFolder({ "evil/manifest.toml": MANIFEST });
    const workspace = createFolder();
    mkdirSync(join(workspace, ".indus"));
    const folder = join(workspace, ".indus/addons");
    symlinkSync(outside, folder);
    expect(discoverAddons(folder).found).toEqual([join(folder, "evil")]); // what scanning alone would do
    expect(discoverSources({ workspace })).toEqual({
      found: [],
      strays: [],
      faults: [
        {
          kind: "load",
          owner: "addons",
          message: `${folder}: it is a symlink to outside the workspace; its addons are not loaded`,
        },
      ],
    });
  });

  it("covers with its trust the folder of a package, and no more than the file of a bare one", () => {
    const workspace = createFolder({
      ".indus/addons/bare.py": "",
      ".indus/addons/module/index.ts": "",
      ".indus/addons/package/package.json": '{ "indusAddon": "src/main.js" }',
      ".indus/addons/package/src/main.js": "",
      ".indus/addons/snakes/__init__.py": "",
      "tools/index.js": "",
    });
    const { found } = discoverSources({ workspace, explicitPaths: ["tools/index.js"] });
    const relative = (path: string): string => path.slice(workspace.length + 1);
    expect(found.map(({ id, path, root }) => [id, relative(path), relative(root)])).toEqual([
      ["bare", ".indus/addons/bare.py", ".indus/addons/bare.py"],
      ["module", ".indus/addons/module/index.ts", ".indus/addons/module"],
      ["package", ".indus/addons/package/src/main.js", ".indus/addons/package"],
      ["snakes", ".indus/addons/snakes/__init__.py", ".indus/addons/snakes"],
      ["tools", "tools/index.js", "tools"],
    ]);
  });

  it("finds no source in folders that do not exist", () => {
    const workspace = createFolder();
    writeFiles(workspace, { "src/index.ts": "" });
    expect(discoverSources({ workspace, home: join(workspace, "home") })).toEqual({
      found: [],
      faults: [],
      strays: [],
    });
    expect(discoverSources({})).toEqual({ found: [], faults: [], strays: [] });
  });

  it("names a path with a NUL byte and leaves its failure to the loader", () => {
    expect(discoverSources({ explicitPaths: ["/a\0b"] }).found).toEqual([
      { id: "a\0b", path: "/a\0b", root: "/a\0b", scope: "explicit" },
    ]);
  });
});

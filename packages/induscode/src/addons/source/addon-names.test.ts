import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { type AddonScope, addonId } from "../contract.ts";
import { createAddonNames, nameByPlace } from "./addon-names.ts";
import { discoverSources } from "./discover.ts";

const place = (path: string, scope: AddonScope = "project") => ({ path, root: path, scope });

describe("names by place", () => {
  it("a folder's own, whatever its entry is called; a file's without its ending", () => {
    const workspace = createFolder();
    for (const name of ["a", "b"]) {
      mkdirSync(join(workspace, ".indus/addons", name, "src"), { recursive: true });
      writeFileSync(
        join(workspace, ".indus/addons", name, "package.json"),
        '{ "indusAddon": "src/main.ts" }',
      );
      writeFileSync(join(workspace, ".indus/addons", name, "src/main.ts"), "");
    }
    writeFileSync(join(workspace, ".indus/addons/notes.ts"), "");
    expect(discoverSources({ workspace }).found.map(({ id }) => id)).toEqual(["a", "b", "notes"]);
  });

  it("what would share a name is told apart, whatever the order", () => {
    const root = createFolder();
    mkdirSync(join(root, "notes"));
    const paths = [
      join(root, "notes"),
      join(root, "notes.py"),
      join(root, "notes.ts"),
      join(root, "other.ts"),
    ];
    const ids = (list: readonly string[]) => nameByPlace(list.map((path) => place(path))).map(({ id }) => id);
    expect(ids(paths)).toEqual(["notes", "notes.py", "notes.ts", "other"]);
    expect(ids(paths.toReversed())).toEqual(["other", "notes.ts", "notes.py", "notes"]);
  });

  it("what has one name in several folders is counted, and takes none that is somebody's", () => {
    const ids = nameByPlace([
      place("/a/x.ts", "explicit"),
      place("/b/x.ts", "explicit"),
      place("/d/x.ts", "project"),
    ]).map(({ id }) => id);
    expect(ids).toEqual(["x.ts", "x.ts-2", "x"]);
    expect(
      nameByPlace([place("/a/y", "user"), place("/b/y", "explicit"), place("/c/y-2", "user")]),
    ).toMatchObject([{ id: "y" }, { id: "y-3" }, { id: "y-2" }]);
  });
});

describe("names that addons give themselves", () => {
  const sources = nameByPlace([
    place("/w/aaa.ts"),
    place("/w/bbb.ts"),
    place("/w/zzz.ts"),
    place("/h/zzz.ts", "user"),
  ]);
  const [aaa, bbb, zzz, own] = sources as [
    (typeof sources)[0],
    (typeof sources)[0],
    (typeof sources)[0],
    (typeof sources)[0],
  ];

  it("count where no other addon has that name", () => {
    const names = createAddonNames();
    names.know(sources);
    expect(names.give(aaa, addonId("notes"))).toEqual({ id: "notes" });
    expect(names.give(aaa, addonId("notes"))).toEqual({ id: "notes" });
    expect(names.give(own, addonId("aaa"))).toEqual({ id: "aaa" }); // the repository's addon is a different one
  });

  it("never take the name that another has by its place, loaded or not", () => {
    const names = createAddonNames();
    names.know(sources);
    expect(names.give(aaa, addonId("zzz"))).toEqual({
      id: "aaa",
      problem: '/w/aaa.ts declares the id "zzz", but /w/zzz.ts already has it: it is "aaa" here',
    });
    expect(names.give(zzz, addonId("zzz"))).toEqual({ id: "zzz" });
  });

  it("go to the first of two that claim one; the second keeps the name of its place, and loads", () => {
    const names = createAddonNames();
    names.know(sources);
    expect(names.give(aaa, addonId("same"))).toEqual({ id: "same" });
    expect(names.give(bbb, addonId("same"))).toMatchObject({
      id: "bbb",
      problem: expect.stringContaining("/w/aaa.ts"),
    });
  });
});

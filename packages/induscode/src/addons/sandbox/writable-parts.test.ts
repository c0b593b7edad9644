import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { writableParts } from "./writable-parts.ts";

describe("writableParts", () => {
  const parts = (root: string, guarded: readonly string[]): readonly string[] =>
    writableParts({ writable: [root], protected: guarded.map((name) => join(root, name)) }).map(
      ({ path, isFolder }) => `${path.slice(root.length)}${isFolder ? "/" : ""}`,
    );

  it("is the whole folder where nothing below it is protected", () => {
    const root = createFolder({ "a.txt": "" });
    expect(parts(root, [])).toEqual(["/"]);
    expect(writableParts({ writable: [root], protected: ["/elsewhere", `${root}-not`] })).toEqual([
      { path: root, isFolder: true },
    ]);
  });

  it("is the folder's other entries where a name is protected, whether it exists or not", () => {
    const root = createFolder({ "a.txt": "", ".git/config": "", "src/b.ts": "" });
    expect(parts(root, [".git", ".mcp.json"])).toEqual(["/a.txt", "/src/"]);
    expect(parts(root, [".mcp.json"])).toEqual(["/.git/", "/a.txt", "/src/"]);
  });

  it("goes down to a protected path below a folder", () => {
    const root = createFolder({ "a/b/keep": "", "a/b/open": "", "a/c/d": "", "e/f": "" });
    expect(parts(root, ["a/b/keep"])).toEqual(["/a/b/open", "/a/c/", "/e/"]);
    expect(parts(root, ["a/missing/x"])).toEqual(["/a/b/", "/a/c/", "/e/"]);
  });

  it("is nothing where the folder itself, or one above it, is protected", () => {
    const root = createFolder({ "a.txt": "" });
    expect(parts(root, ["."])).toEqual([]);
    expect(writableParts({ writable: [join(root, "sub")], protected: [root] })).toEqual([]);
  });

  it("leaves out a link, which would open what it points to, and what does not exist", () => {
    const root = createFolder({ ".git/config": "", "src/b.ts": "" });
    symlinkSync(".git", join(root, "alias"));
    expect(parts(root, [".git"])).toEqual(["/src/"]);
    expect(writableParts({ writable: [join(root, "gone")], protected: [] })).toEqual([]);
  });

  it("takes a protected name in other letter case as the same", () => {
    const root = createFolder({ "src/b.ts": "" });
    mkdirSync(join(root, ".GIT"));
    expect(parts(root, [".git"])).toEqual(["/src/"]);
  });
});

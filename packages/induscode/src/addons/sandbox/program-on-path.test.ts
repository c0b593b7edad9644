import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findBubblewrap } from "./bubblewrap.ts";
import { programOnPath } from "./program-on-path.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-path-")));
const workspace = join(base, "ws");

/** A folder with a program, with these permissions. */
function folder(path: string, { mode = 0o755, file = 0o755 } = {}): string {
  const made = join(base, path);
  mkdirSync(made, { recursive: true });
  copyFileSync("/bin/sh", join(made, "tool"));
  chmodSync(join(made, "tool"), file);
  chmodSync(made, mode);
  return made;
}

const own = folder("own");
const found = (...path: readonly string[]): string | undefined =>
  programOnPath("tool", { path: path.join(":"), workspace });

it("is found where only the person or the system can write, the first of several, by its real path", () => {
  symlinkSync(join(own, "tool"), join(folder("other/bin"), "linked"));
  expect(found("", "relative", join(base, "nowhere"), own)).toBe(join(own, "tool"));
  expect(programOnPath("linked", { path: join(base, "other/bin"), workspace })).toBe(join(own, "tool"));
});

it.each([
  ["the workspace", folder("ws/bin")],
  ["a folder that all may write", folder("open", { mode: 0o777 })],
  ["a folder that a group may write", folder("group", { mode: 0o775 })],
  ["a program that others may write", folder("changeable", { file: 0o757 })],
  ["a file that is no program", folder("plain", { file: 0o644 })],
])("is never %s, and a later place counts", (_, path) => {
  expect(found(path)).toBeUndefined();
  expect(found(path, own)).toBe(join(own, "tool"));
});

it("is no link into the workspace, from it, or from a folder below one that others may write", () => {
  const links = join(base, "links");
  mkdirSync(links);
  symlinkSync(join(workspace, "bin/tool"), join(links, "tool"));
  expect(found(links)).toBeUndefined();
  symlinkSync(own, join(workspace, "own"));
  expect(found(join(workspace, "own"))).toBe(join(own, "tool")); // where it leads is what counts
  folder("wide/bin");
  chmodSync(join(base, "wide"), 0o777);
  expect(found(join(base, "wide/bin"))).toBeUndefined();
});

it("bubblewrap is taken from where distributions install it before any PATH", () => {
  copyFileSync("/bin/sh", join(own, "bwrap"));
  const installed = findBubblewrap();
  expect(findBubblewrap({ path: own, workspace })).toBe(installed ?? join(own, "bwrap"));
  expect(findBubblewrap({ path: join(workspace, "bin"), workspace })).toBe(installed);
});

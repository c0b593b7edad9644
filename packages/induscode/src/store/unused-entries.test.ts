import { mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder } from "../../../../tests/support/test-folder.ts";
import { noteUse, removeUnused } from "./unused-entries.ts";

const HOUR_MS = 60 * 60 * 1000;

function entryUsed(folder: string, name: string, agoMs: number): string {
  const path = join(folder, name);
  mkdirSync(path);
  const then = new Date(Date.now() - agoMs);
  utimesSync(path, then, then);
  return path;
}

it("keeps the 200 that were used last, and the one that it is told to keep", () => {
  const folder = createFolder();
  entryUsed(folder, "new", 99 * 24 * HOUR_MS);
  for (let at = 0; at < 203; at++) entryUsed(folder, `e${at}`, (at + 1) * HOUR_MS);
  removeUnused(folder, "new");
  expect(readdirSync(folder)).toHaveLength(201);
  expect(readdirSync(folder).filter((name) => ["new", "e0", "e199", "e200", "e202"].includes(name))).toEqual([
    "e0",
    "e199",
    "new",
  ]);
});

it("notes a use once a day, and ignores an entry that does not exist", () => {
  const folder = createFolder();
  const [today, before] = [entryUsed(folder, "a", 23 * HOUR_MS), entryUsed(folder, "b", 25 * HOUR_MS)];
  const usedMs = (path: string): number => statSync(path).mtimeMs;
  const was = usedMs(today);
  for (const path of [today, before, join(folder, "none")]) noteUse(path);
  expect(usedMs(today)).toBe(was);
  expect(Date.now() - usedMs(before)).toBeLessThan(HOUR_MS);
  expect(() => removeUnused(join(folder, "none"), "x")).not.toThrow();
});

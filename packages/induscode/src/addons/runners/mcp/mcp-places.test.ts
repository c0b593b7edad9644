import { expect, it } from "vitest";
import { placeAdvice } from "./mcp-places.ts";

const PLACES = { cwd: "/home/a/.indus/packages/memory", roots: ["/srv/shop"], writes: true };

it.each([
  [
    "EROFS: read-only file system, open '/home/a/.indus/packages/memory/node_modules/x/memory.json'",
    "own folder",
  ],
  ['PermissionError: [Errno 13] Permission denied: "/home/a/.indus/packages/memory/x"', "own folder"],
  ["EROFS: read-only file system, open '/srv/shop/new file.txt'", "top folder"],
  ["ENOENT: no such file or directory, mkdir '/srv/shop/new'", "top folder"],
])("%s is explained", (words, part) => {
  expect(placeAdvice(words, PLACES)).toContain(part);
});

it.each([
  "EROFS: read-only file system, open '/elsewhere/x'",
  "ENOENT: no such file or directory, open '/srv/shop/missing.txt'",
  "EACCES: permission denied, open '/srv/shop/.git/config'",
  "wrote /home/a/.indus/packages/memory/x",
])("%s is left alone", (words) => {
  expect(placeAdvice(words, PLACES)).toBeUndefined();
});

it("one that may only read is told so", () => {
  const words = "EROFS: read-only file system, open '/srv/shop/src/x'";
  expect(placeAdvice(words, { ...PLACES, writes: false })).toContain("--files write");
  expect(placeAdvice(words, { ...PLACES, roots: [] })).toBeUndefined();
});

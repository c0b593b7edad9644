import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { lsTool } from "./ls.ts";

const ls = lsTool();

test("folders come first, then names regardless of case, with kind and size in columns", async () => {
  const ws = createWorkspace();
  for (const name of ["b.txt", "A.txt", "a.txt", ".hidden"]) ws.put(name, "x".repeat(name.length));
  mkdirSync(ws.path("zoo"));
  mkdirSync(ws.path(".git"));
  symlinkSync("b.txt", ws.path("link"));
  symlinkSync("nowhere", ws.path("dangling"));
  expect((await ws.call(ls, {})).output).toBe(
    "6 entries in . (2 hidden omitted: set showHidden to list them)\n" +
      "dir  0 zoo/\nfile 5 A.txt\nfile 5 a.txt\nfile 5 b.txt\nlink 0 dangling\nlink 5 link",
  );
  expect((await ws.call(ls, { showHidden: true })).output).toBe(
    "8 entries in .\ndir  0 .git/\ndir  0 zoo/\nfile 7 .hidden\nfile 5 A.txt\nfile 5 a.txt\nfile 5 b.txt\n" +
      "link 0 dangling\nlink 5 link",
  );
});

test("an empty folder lists no entries, and a path that is no folder is refused", async () => {
  const ws = createWorkspace();
  mkdirSync(ws.path("empty"));
  ws.put("file", "");
  expect((await ws.call(ls, { path: "empty" })).output).toBe("0 entries in empty");
  expect(await ws.call(ls, { path: "file" })).toEqual({
    id: "call",
    output: "Cannot list file: it is not a directory. Use read.",
    isError: true,
  });
  expect((await ws.call(ls, { path: "none" })).isError).toBe(true);
  expect((await ws.call(ls, { path: "" })).output).toBe(
    '"path" must not be empty. Omit it for the working folder.',
  );
  expect((await ws.call(ls, { path: " " })).output).toBe('"path" contains only whitespace: expected a path.');
});

test("a very long listing is cut and says so", async () => {
  const ws = createWorkspace();
  for (let i = 0; i < 50; i++) ws.put(`file-${i}`, "");
  const budget = { kind: "middle", maxBytes: 100 } as const;
  const { output } = await ws.call(ls, {}, { budget });
  expect(output).toMatch(
    /^50 entries in \.\n[^[]+\n\[ls: \d+ bytes trimmed to stay within the output ceiling\]\n/,
  );
});

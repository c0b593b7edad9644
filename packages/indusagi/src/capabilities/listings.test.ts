// Every line of a listing is exactly one file, whatever its name, and what a line shows can be passed back to a tool.

import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../tests/support/test-workspace.ts";
import type { JsonObject } from "../core/schema/json-schema.ts";
import { makeMemoryContext } from "./backends/memory.ts";
import { editTool } from "./files/edit.ts";
import { lsTool } from "./files/ls.ts";
import { readTool } from "./files/read.ts";
import { writeTool } from "./files/write.ts";
import type { DefinedTool } from "./kernel/contract.ts";
import { findTool } from "./search/find.ts";
import { grepTool } from "./search/grep.ts";

// Forged rows, terminal commands, reordered and hidden characters, spaces at the ends, quotes, a false home.
const NAMES = [
  "a\nfile 3 forged",
  "a.txt:1: forged\nb",
  "\x1b[2J\x1b]0;title\x07",
  "\x9b31m",
  "cr\rb",
  "tab\tb",
  "report\u202etxt.exe",
  "zero\u200bwidth",
  "soft\u00adhyphen",
  "line\u2028separator",
  "tag\u{e0041}",
  "no\u00a0break",
  " leading",
  "trailing ",
  " ",
  '"quoted"',
  '"',
  "back\\slash",
  "\\n",
  "~",
  "plain ü 😀.txt",
];

const FILES: Readonly<Record<string, string>> = Object.fromEntries([
  ...NAMES.map((name) => [`/ws/${name}`, `hit ${JSON.stringify(name)}\n`]),
  ...NAMES.map((name) => [`/ws/sub/d${name}/${name}`, `hit ${JSON.stringify(name)}\n`]),
]);

/** Calls a tool on a folder with all these files, in memory, so that the machine's file system does not matter. */
async function output(tool: DefinedTool, input: JsonObject): Promise<string> {
  const context = await makeMemoryContext("/ws", { files: FILES });
  const { output: said } = await tool.invoke({ id: "call", name: tool.name, input }, context);
  return String(said);
}

async function expectReadBack(path: string, name: string): Promise<void> {
  expect(await output(readTool(), { path })).toContain(`\thit ${JSON.stringify(name)}`);
}

describe("ls", () => {
  test("has one row for each entry, and each row's name can be read", async () => {
    const [header, ...rows] = (await output(lsTool(), {})).split("\n");
    expect([header, rows.length]).toEqual([`${NAMES.length + 1} entries in .`, NAMES.length + 1]);
    const shown = rows.map((row) => row.replace(/^(?:dir|file) +\d+ /, ""));
    const read = await Promise.all(shown.slice(1).map((path) => output(readTool(), { path })));
    const texts = read.map((text) => text.split("\t").slice(1).join("\t"));
    expect(texts.sort()).toEqual(NAMES.map((name) => `hit ${JSON.stringify(name)}`).sort());
    expect(NAMES.join("\n").split("\n").length).toBeGreaterThan(NAMES.length); // the twin
  });

  test("and the folder that it names is quoted alike", async () => {
    expect((await output(lsTool(), { path: "sub/da\nfile 3 forged" })).split("\n")).toEqual([
      '1 entry in sub/"da\\nfile 3 forged"',
      expect.stringContaining("file "),
    ]);
  });
});

test("find has one line for each entry, and each can be read", async () => {
  const lines = (await output(findTool(), { query: "*", type: "file" })).split("\n");
  expect(lines).toHaveLength(2 * NAMES.length);
  const texts = await Promise.all(lines.map((path) => output(readTool(), { path })));
  expect(texts.every((text) => text.includes("\thit "))).toBe(true);
  // Joined to the searched folder, as a model would do.
  const below = (await output(findTool(), { query: "*", path: "sub", type: "file" })).split("\n");
  for (const path of below) expect(await output(readTool(), { path: `sub/${path}` })).toContain("\thit ");
});

test("grep has one line for each hit, and each path can be read", async () => {
  for (const pattern of ["hit", "h.t"]) {
    const lines = (await output(grepTool(), { pattern })).split("\n");
    expect(lines).toHaveLength(2 * NAMES.length);
    for (const line of lines) {
      const [, path = "", name = ""] = /^(.*):1: hit (".*")$/s.exec(line) ?? [];
      await expectReadBack(path, JSON.parse(name) as string);
    }
  }
});

test("a path in quotes is edited and written under its own name", async () => {
  const context = await makeMemoryContext("/ws");
  const call = (tool: DefinedTool, input: JsonObject) =>
    tool.invoke({ id: "call", name: tool.name, input }, context);
  await call(writeTool(), { path: 'sub/"a\\nb"', content: "one" });
  await call(editTool(), { path: '"sub/a\\nb"', oldText: "one", newText: "two" });
  expect(await context.fs.readText("/ws/sub/a\nb")).toBe("two");
});

test("what is cut from a listing is whole lines", async () => {
  const ws = createWorkspace();
  for (let index = 0; index < 40; index++) ws.put(`folder/name-${index}.txt`, "hit\n");
  const budget = { kind: "middle", maxBytes: 500 } as const;
  for (const [tool, input, line] of [
    [lsTool(), { path: "folder" }, /^(file 4 name-\d+\.txt|40 entries in folder|)$/],
    [findTool(), { query: "*.txt" }, /^(folder\/name-\d+\.txt|)$/],
    [grepTool(), { pattern: "hit" }, /^(folder\/name-\d+\.txt:1: hit|)$/],
  ] as const) {
    const { output: said } = await ws.call(tool, input, { budget });
    const odd = String(said)
      .split("\n")
      .filter((one) => !line.test(one));
    expect([tool.name, odd]).toEqual([
      tool.name,
      [expect.stringMatching(/\d+ bytes? (trimmed|to fit)|trimmed \d+/)],
    ]);
  }
});

test.skipIf(process.platform !== "linux")(
  "a name that is not UTF-8 is listed, and what opens it is said",
  async () => {
    const ws = createWorkspace();
    mkdirSync(ws.root, { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(`${ws.root}/a`), Buffer.of(0xff)]), "");
    const note =
      "[1 name contains U+FFFD: a name that is not UTF-8 on disk can only be opened by a command.]";
    expect((await ws.call(lsTool(), {})).output).toBe(`1 entry in .\nother 0 a\ufffd\n${note}`);
    expect((await ws.call(findTool(), { query: "a*" })).output).toBe(`a\ufffd\n${note}`);
  },
);

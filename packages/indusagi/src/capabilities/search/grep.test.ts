import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import type { JsonObject } from "../../core/schema/json-schema.ts";
import { localFs } from "../backends/local-fs.ts";
import { grepTool } from "./grep.ts";
import { PatternError, parsePattern } from "./pattern.ts";

const grep = grepTool();

test("each hit is path:line: text, with paths as the other tools take them", async () => {
  const ws = createWorkspace();
  ws.put("src/a.ts", "const one = 1;\nconst two = 2;\n");
  const other = createWorkspace();
  other.put("b.ts", "const one = 1;\n");
  expect((await ws.call(grep, { pattern: "tw." })).output).toBe("src/a.ts:2: const two = 2;");
  expect((await ws.call(grep, { pattern: "one", path: "src/a.ts" })).output).toBe(
    "src/a.ts:1: const one = 1;",
  );
  expect((await ws.call(grep, { pattern: "one", path: other.root })).output).toBe(
    `${other.path("b.ts")}:1: const one = 1;`,
  );
  expect(await ws.call(grep, { pattern: "absent" })).toEqual({
    id: "call",
    output: "No line under . matches absent.",
    isError: false,
  });
});

test("of a very long line, what is around each match is shown, within the length of one", async () => {
  const ws = createWorkspace();
  const [x, y] = ["x".repeat(50_000), "y".repeat(50_000)];
  ws.put("two.js", `a\n${x}Hit(1)${y}hit(2)${x}\r\n`);
  ws.put("near.js", `hit${"y".repeat(500)}hit${x}\n`);
  ws.put("many.js", `${"hit(😀);".repeat(9)}${"hit 😀".padEnd(200, "-").repeat(400)}\n`);
  const shown = async (path: string, pattern = "[hH]it"): Promise<string> =>
    String((await ws.call(grep, { pattern, path })).output);
  expect(await shown("two.js")).toBe(
    `two.js:2: … ${"x".repeat(498)}Hit(1)${"y".repeat(496)} … ${"y".repeat(498)}hit(2)${"x".repeat(496)} … ` +
      "[line of 150012 characters with 2 matches, shown from 49503, 99509]",
  );
  expect(await shown("near.js")).toBe(
    `near.js:1: hit${"y".repeat(500)}hit${"x".repeat(1_494)} … [line of 50506 characters]`,
  );
  const many = await shown("many.js");
  expect(many).toContain("with 409 matches, the first 25, shown from 1, ");
  expect(many.length).toBeLessThan(2_400);
  expect(many).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  // A pattern that may take long is not tried again.
  expect(await shown("two.js", "[hH]it\\(\\d+\\)")).toContain(
    "[line of 150012 characters, shown from 49001]",
  );
  // Below a folder, by whatever engine.
  expect(await shown(".")).toContain("with 2 matches");
});

test("flags are taken from the accepted set, and i alone changes anything", async () => {
  const ws = createWorkspace();
  ws.put("a", "Hit\nhit\n");
  const outputs = [];
  for (const flags of ["", "i", "gimsuy", "x"]) {
    outputs.push((await ws.call(grep, { pattern: "hit", flags })).output);
  }
  expect(outputs).toEqual([
    "a:2: hit",
    "a:1: Hit\na:2: hit",
    "a:1: Hit\na:2: hit",
    'Could not compile the search pattern: flag "x" is not one of g, i, m, s, u, y.',
  ]);
});

test("what the linear dialect has not is refused in words, with and without a native search", async () => {
  const ws = createWorkspace();
  ws.put("a", "x");
  const { search: _native, ...portableFs } = localFs();
  for (const pattern of ["a(?=b)", "(?<!a)b", "(a)\\1", "\\k<n>", "a\\nb", "(", "a\nb"]) {
    for (const fs of [localFs(), portableFs]) {
      const { output, isError } = await ws.call(grep, { pattern }, { fs });
      expect([isError, String(output).startsWith("Could not compile the search pattern: ")]).toEqual([
        true,
        true,
      ]);
    }
  }
  // A class can contain the same characters.
  expect((await ws.call(grep, { pattern: "\\\\1" })).isError).toBe(false);
});

test("hits stop at 200, at what is asked for, and never pass 5000", async () => {
  const ws = createWorkspace();
  ws.put("a", "hit\n".repeat(6_000));
  const counts = [];
  for (const input of [{}, { maxHits: 7 }, { maxHits: 9_999 }]) {
    const lines = String(
      (await ws.call(grep, { pattern: "hit", ...input }, { budget: { kind: "head", maxBytes: 1e6 } })).output,
    ).split("\n");
    counts.push([lines.length - 1, lines.at(-1)]);
  }
  const note = (hits: number): string =>
    `[stopped at ${hits} hits: narrow the pattern or the path to see the rest]`;
  expect(counts).toEqual([
    [200, note(200)],
    [7, note(7)],
    [5_000, note(5_000)],
  ]);
});

test("a literal in a tree larger than the opening files is found whole", async () => {
  const ws = createWorkspace();
  for (let i = 0; i < 400; i++)
    ws.put(`f${String(i).padStart(3, "0")}`, i % 100 === 99 ? "needle\n" : "hay\n");
  expect((await ws.call(grep, { pattern: "needle" })).output).toBe(
    "f099:1: needle\nf199:1: needle\nf299:1: needle\nf399:1: needle",
  );
});

test("malformed arguments are refused, each with what was expected", async () => {
  const ws = createWorkspace();
  expect((await ws.call(grep, {})).output).toBe('"pattern" is missing: expected a string.');
  expect((await ws.call(grep, { pattern: "x", path: "none" })).output).toBe(
    "Cannot search none: path not found.",
  );
});

test.skipIf(process.platform === "win32")(
  "a path that cannot be searched is refused with the reason, without a long wait",
  async () => {
    const ws = createWorkspace();
    symlinkSync("loop", ws.path("loop"));
    execFileSync("mkfifo", [ws.path("pipe")]);
    ws.put("file", "");
    const { search: _native, ...portableFs } = localFs();
    for (const fs of [localFs(), portableFs]) {
      for (const pattern of ["x", "x+"]) {
        const refused = async (path: string): Promise<unknown> => {
          const { output, isError } = await ws.call(grep, { pattern, path }, { fs });
          return isError && output;
        };
        expect(await refused("loop")).toBe("Cannot search loop: its symbolic links form a loop.");
        expect(await refused("pipe")).toBe("Cannot search pipe: it is not a regular file.");
        expect(await refused("/dev/zero")).toBe("Cannot search /dev/zero: it is not a regular file.");
        expect(await refused("file/x")).toBe("Cannot search file/x: path not found.");
        expect(await refused("")).toBe('"path" must not be empty. Omit it for the working folder.');
        expect(await refused("\t ")).toBe('"path" contains only whitespace: expected a path.');
      }
    }
  },
);

test("what was not searched is told by reason, where the answer was that nothing matches", async () => {
  const ws = createWorkspace();
  ws.put("big.log", `${"-\n".repeat(1_100_000)}needle\n`);
  const { search: _native, ...portableFs } = localFs();
  const advice = "A file given as path is searched whatever it contains.";
  for (const fs of [localFs(), portableFs]) {
    for (const pattern of ["needle", "need.e"]) {
      const ask = async (input: JsonObject): Promise<unknown> =>
        (await ws.call(grep, { pattern, ...input }, { fs })).output;
      expect(await ask({})).toBe(
        `No line under . matches ${pattern}.\n[1 file over 2 MiB was not searched. ${advice}]`,
      );
      expect(await ask({ path: "big.log" })).toBe("big.log:1100001: needle");
      ws.put("d/bin", "\0needle\n");
      ws.put("d/more.log", "-".repeat(2_097_153));
      ws.put("d/text", "needle\n");
      expect(await ask({})).toBe(
        `d/text:1: needle\n[2 files over 2 MiB and 1 binary file were not searched. ${advice}]`,
      );
      expect(await ask({ path: "d/bin" })).toBe(
        "d/bin:1: \\0needle\n[d/bin is binary (it has a NUL near its start); it was searched as text.]",
      );
      rmSync(ws.path("d"), { recursive: true });
    }
  }
});

test.skipIf(process.platform === "win32")("pipes in a tree are told and not waited for", async () => {
  const ws = createWorkspace();
  ws.put("a", "x\n");
  execFileSync("mkfifo", [ws.path("pipe")]);
  expect((await ws.call(grep, { pattern: "y" })).output).toBe(
    "No line under . matches y.\n[1 pipe, socket or device was not searched.]",
  );
});

test("a line too long to be matched to its end is told", async () => {
  const ws = createWorkspace();
  const { search: _native, ...fs } = localFs();
  ws.put("a", `${"-".repeat(100_000)}needle\nneedle\n`);
  expect((await ws.call(grep, { pattern: "need.e" }, { fs })).output).toBe(
    "a:2: needle\n[1 line was too long: only the beginning was searched.]",
  );
  const found = String((await ws.call(grep, { pattern: "need.e" })).output).split("\n");
  expect(found).toEqual([
    expect.stringMatching(/^a:1: … -+needle … \[line of 100006 characters, shown from 98007\]$/),
    "a:2: needle",
  ]);
  expect(String((await ws.call(grep, { pattern: "needle" }, { fs })).output).split("\n")).toHaveLength(2);
});

test("a pattern may be plain text, and one that cannot be read says how to write the text", async () => {
  const ws = createWorkspace();
  ws.put("a.js", "if (a) {\n  go(b[0]);\n}\n$x.y = '\\\\n';\n");
  const { search: _native, ...portableFs } = localFs();
  for (const fs of [localFs(), portableFs]) {
    const ask = async (input: JsonObject): Promise<unknown> => (await ws.call(grep, input, { fs })).output;
    expect(await ask({ pattern: "if (a) {" })).toBe(
      "Could not compile the search pattern: a { must start a repetition such as {2,3}. " +
        "To search for this text, set literal to true, or escape it: if \\(a\\) \\{",
    );
    expect(await ask({ pattern: "if \\(a\\) \\{" })).toBe("a.js:1: if (a) {");
    for (const pattern of ["if (a) {", "go(b[0]);", "$x.y = '\\\\n'", "IF (A)"])
      expect(await ask({ pattern, literal: true, flags: "i" })).toMatch(/^a\.js:\d: /);
    expect(await ask({ pattern: "a.js", literal: true })).toBe("No line under . matches a.js.");
    expect(await ask({ pattern: "go(b" })).toMatch(
      /^Could not compile the search pattern: .*\. To search for this text, set literal to true, or escape it: go\\\(b$/,
    );
    expect(await ask({ pattern: "(?=x)" })).toContain("set literal to true");
    expect(await ask({ pattern: "a\\nb" })).not.toContain("set literal to true");
    expect(await ask({ pattern: "x", literal: "perhaps" })).toBe(
      '"literal" must be true or false, got "perhaps".',
    );
  }
});

test("a class, a repetition and an escape are no operators that are refused", () => {
  const legal = [
    "[^\\n]foo",
    "a[(?=]",
    "[]{]",
    "[^]{]x",
    "[[:alpha:]{]",
    "[a[{]]",
    "\\{",
    "[\\]{]",
    "a{2}",
    "a{2,}",
    "a{2,3}",
    "\\p{L}",
    "\\x{41}",
    "}",
    "\\\\1",
    "[a\\n]",
  ];
  for (const pattern of legal) expect(() => parsePattern(pattern)).not.toThrow();
  const refused = [
    "a{",
    "a{,3}",
    "a{2",
    "{",
    "[a]{",
    "(?=[a])",
    "[a](?<!x)",
    "[\\n]",
    "x\\n",
    "(a)\\1",
    "\\x{41}{",
  ];
  for (const pattern of refused) expect(() => parsePattern(pattern)).toThrow(PatternError);
  expect(growthOf([1_000, 10_000, 100_000], (size) => parsePattern("[a](b)".repeat(size)))).toBe("even");
});

test("the tool can be made to leave ignored files out, and says how many", async () => {
  const respectful = grepTool({ respectGitignore: true });
  const ws = createWorkspace();
  ws.put(".gitignore", "out/\n*.log");
  for (const file of ["a.ts", "out/b.ts", "c.log"]) ws.put(file, "hit\n");
  const note = "[2 ignored files were skipped; set includeIgnored to search them.]";
  const ask = async (input: JsonObject): Promise<unknown> => (await ws.call(respectful, input)).output;
  for (const pattern of ["hit", "h.t"]) {
    expect(await ask({ pattern })).toBe(`a.ts:1: hit\n${note}`);
    expect(await ask({ pattern, includeIgnored: true })).toBe("a.ts:1: hit\nc.log:1: hit\nout/b.ts:1: hit");
  }
  expect(await ask({ pattern: "absent" })).toBe(`No line under . matches absent.\n${note}`);
  expect(await ask({ pattern: "x", includeIgnored: "perhaps" })).toBe(
    '"includeIgnored" must be true or false, got "perhaps".',
  );
  expect((await ws.call(grep, { pattern: "hit" })).output).toContain("out/b.ts");
});

test("a path with a line break takes one line", async () => {
  const ws = createWorkspace();
  ws.put("new\nline", "hit");
  expect((await ws.call(grep, { pattern: "hit" })).output).toBe('"new\\nline":1: hit');
});

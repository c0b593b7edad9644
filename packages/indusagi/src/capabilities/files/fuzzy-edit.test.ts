import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { editTool } from "./edit.ts";
import { editReplacements } from "./edit-replacements.ts";
import { ownIndentation } from "./indentation.ts";
import { replaceSpans } from "./replace-spans.ts";
import { findSnippet } from "./snippet-match.ts";

interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

/** The text after an edit; undefined if it is refused because the indentation is not clear. */
function edited(before: string, edit: Edit): string | undefined {
  const match = findSnippet(before, edit.oldText);
  expect(match).toMatchObject({ isFuzzy: true });
  if (edit.replaceAll !== true) expect(match.places).toBe(1);
  const found = editReplacements(before, match, edit);
  return found.kind === "clear" ? replaceSpans(before, found.replacements).text : undefined;
}

describe("what is added gets the file's indentation, where writing it as quoted mixes two", () => {
  test.each<[name: string, before: string, oldText: string, newText: string, after: string]>([
    ["a Makefile", "all:\n\techo a\n", "    echo a", "    echo a\n    echo b", "all:\n\techo a\n\techo b\n"],
    [
      "Python with tabs",
      "def f():\n\tif True:\n\t\tx = 1\n",
      "        x = 1",
      "        x = 1\n        w = 9",
      "def f():\n\tif True:\n\t\tx = 1\n\t\tw = 9\n",
    ],
    [
      "Go, quoted from the middle of its first line",
      "\tif x {\n\t\treturn 1\n\t}\n",
      "if x {\n        return 1\n    }",
      "if x {\n        return 2\n    }",
      "\tif x {\n\t\treturn 2\n\t}\n",
    ],
    ["tabs of eight", "a:\n\tb\n", "        b\n", "        b\n        c\n", "a:\n\tb\n\tc\n"],
    [
      "a block deeper than all that is quoted",
      "a {\n\tb;\n}\n",
      "a {\n    b;\n}",
      "a {\n    if (b) {\n        c {\n            d;\n        }\n    }\n}",
      "a {\n\tif (b) {\n\t\tc {\n\t\t\td;\n\t\t}\n\t}\n}\n",
    ],
    [
      "YAML of two blanks, quoted as four",
      "a:\n  b:\n    c: 1\n",
      "    b:\n        c: 1",
      "    b:\n        c: 1\n        d:\n            e: 2",
      "a:\n  b:\n    c: 1\n    d:\n      e: 2\n",
    ],
    [
      "four blanks, quoted as two",
      "a:\n    b:\n        c: 1\n",
      "a:\n  b:\n    c: 1",
      "a:\n  b:\n    c:\n      d: 1",
      "a:\n    b:\n        c:\n            d: 1\n",
    ],
    ["spaces, quoted as tabs", "a:\n    b\n", "a:\n\tb", "a:\n\tb\n\t\tc", "a:\n    b\n        c\n"],
    [
      "a comment whose stars are one blank further in",
      "\t/**\n\t * a\n\t */\n",
      "    /**\n     * a\n     */",
      "    /**\n     * a\n     * b\n     */",
      "\t/**\n\t * a\n\t * b\n\t */\n",
    ],
    [
      "a snippet without the outer indentation",
      "\tif x {\n\t\treturn 1\n\t}\n",
      "if x {\n    return 1\n}",
      "if x {\n    for {\n        y()\n    }\n    return 1\n}",
      "\tif x {\n\t\tfor {\n\t\t\ty()\n\t\t}\n\t\treturn 1\n\t}\n",
    ],
    [
      "indentation where a tab stands for eight blanks",
      "f ()\n{\n  if (x)\n    {\n      a ();\n\tb ();\n    }\n}\n",
      "    {\n      a ();\n        b ();\n    }",
      "    {\n      a ();\n        b ();\n          c ();\n    }",
      "f ()\n{\n  if (x)\n    {\n      a ();\n\tb ();\n\t  c ();\n    }\n}\n",
    ],
    [
      "a first line that is indented less than before",
      "a\n\t\tb\n\t\tc\n",
      "        b\n        c",
      "    b\n        c",
      "a\n\tb\n\t\tc\n",
    ],
    [
      "a line that is put before the first one",
      "a\n\tb  =  1\n",
      "    b = 1",
      "    x = 0\n    b = 1",
      "a\n\tx = 0\n\tb  =  1\n",
    ],
    ["lines that are taken out", "a\n\tb\n\tc\nd\n", "    b\n    c\n", "    c\n", "a\n\tc\nd\n"],
    ["all lines that are quoted", "a\n\tb\nc\n", "    b\n", "", "a\nc\n"],
    ["a blank line before the first one", "a\n\tb\n", "    b", "\n    b", "a\n\n\tb\n"],
    ["a blank before the match that goes", "a(x,   y)\n", ", y", ",y", "a(x,y)\n"],
    ["what is in the middle of a line", "\tgo(a,  b); x\n", "go(a, b)", "", "\t; x\n"],
    [
      "a quote with CRLF, in a file without",
      "a:\n\tb\n",
      "\r\n    b\r\n",
      "\r\n    b\r\n    c\r\n",
      "a:\n\tb\n\tc\n",
    ],
    ["a blank line that goes", "a\n\n\tb\n", "\n    b", "    B", "a\n\tB\n"],
    [
      "kept lines, with their own blanks at the end and within",
      "\ta  =  1  \n\t\n\tb\t# c\n\td\n",
      "    a = 1\n\n    b # c\n    d",
      "    a = 1\n\n    b # c\n    e",
      "\ta  =  1  \n\t\n\tb\t# c\n\te\n",
    ],
    [
      "lines that end in CRLF",
      "a:\r\n\tb\r\n\tc\r\nlast",
      "    b\n    c",
      "    b\n    x\n    c",
      "a:\r\n\tb\r\n\tx\r\n\tc\r\nlast",
    ],
    ["lines that end in CR", "a:\r\tb\r\tc\r", "    b\n    c", "    b\n    x\n    c", "a:\r\tb\r\tx\r\tc\r"],
    [
      "a file that begins with a mark",
      "\ufeff\ta\n\tb\n",
      "    a\n    b",
      "    a\n    c",
      "\ufeff\ta\n\tc\n",
    ],
    [
      "another blank than the usual one",
      "a(\u00a0b)\n\tc\n",
      "a( b)\n    c",
      "a( b)\n    d",
      "a(\u00a0b)\n\td\n",
    ],
    [
      "both kinds in one file, each as it is quoted",
      "\ta\n    b\n",
      "  a\n   b",
      "  A\n   B",
      "\tA\n    B\n",
    ],
  ])("%s", (_, before, oldText, newText, after) => {
    expect(edited(before, { oldText, newText })).toBe(after);
  });

  test("with all places meant, each is indented by its own lines", () => {
    const before = "\ta\n\tb\n--\n  a\n  b\n";
    const edit = { oldText: "    a\n    b\n", newText: "    a\n    c\n    b\n", replaceAll: true };
    expect(edited(before, edit)).toBe("\ta\n\tc\n\tb\n--\n  a\n  c\n  b\n");
    const gone = { oldText: "    a\n    b\n", newText: "", replaceAll: true };
    expect(edited(before, gone)).toBe("--\n");
    expect(edited("x\n\n\ta\n\n\ta\n", { oldText: "\n  a\n", newText: "", replaceAll: true })).toBe("x\n");
  });
});

test("an indentation that the lines do not tell is refused, with the file's own lines", async () => {
  const ws = createWorkspace();
  const before = "\tif a:\n\t\tb\n";
  const path = ws.put("a.py", before);
  // Is the first line quoted without its blanks, or all of the snippet?
  const input = { path: "a.py", oldText: "if a:\n    b", newText: "if a:\n    if c:\n        b" };
  expect(await ws.call(editTool(), input)).toEqual({
    id: "call",
    output:
      "oldText matches lines 1–2 of a.py only apart from whitespace, and the indentation of newText does not tell which the " +
      "file's lines should have. Nothing was written. Quote the file's own indentation; its lines are (→ is a tab):\n" +
      "→if a:\n→→b",
    isError: true,
  });
  expect(readFileSync(path, "utf8")).toBe(before);
});

test.each([
  ["a half of what was quoted, in blanks", [["    ", "        "]], "  "],
  ["more, where it may be a shift or a scale", [["  ", "    "]], "    "],
  [
    "one indentation for two",
    [
      ["    ", "\t"],
      ["    ", "    "],
    ],
    "    ",
  ],
  [
    "what no line shows in a mixture",
    [
      ["    ", "\t"],
      ["        ", "    "],
    ],
    "            ",
  ],
] as const)("the indentation is not clear for %s", (_, pairs, quoted) => {
  const ownLead = ownIndentation(pairs.map(([quotedLead, own]) => ({ quoted: quotedLead, own })));
  expect(ownLead(quoted)).toBeUndefined();
});

interface Row {
  readonly depth: number;
  readonly blanksBefore: number;
  readonly tail: string;
}

const row: fc.Arbitrary<Row> = fc.record({
  depth: fc.nat(4),
  blanksBefore: fc.constantFrom(0, 0, 0, 1, 2),
  tail: fc.constantFrom("", "", " ", "\t"),
});

/** What becomes of a row: stays, goes, has another depth, or gets a row after it. */
const change = fc.oneof(
  fc.constant({ kind: "keep" } as const),
  fc.constant({ kind: "drop" } as const),
  fc.record({ kind: fc.constant("move" as const), depth: fc.nat(5) }),
  fc.record({ kind: fc.constant("add" as const), depth: fc.nat(5) }),
);

interface Program {
  readonly rows: readonly (Row & {
    readonly change: typeof change extends fc.Arbitrary<infer T> ? T : never;
  })[];
  readonly own: string;
  readonly quoted: string;
  readonly lineEnd: string;
  /** Whether the quote lacks the indentation that all of its lines share. */
  readonly isStripped: boolean;
  /** What its blank lines hold; the same in all, because it cannot be told which of two goes. */
  readonly blanks: string;
  readonly first: number;
  readonly length: number;
}

const program: fc.Arbitrary<Program> = fc.record({
  rows: fc.array(
    // A line that is written anew has no blanks at its end.
    fc
      .tuple(row, change)
      .map(([one, change]) => ({ ...one, change, tail: change.kind === "move" ? "" : one.tail })),
    { minLength: 1, maxLength: 12 },
  ),
  own: fc.constantFrom("\t", "  ", "    ", "        "),
  quoted: fc.constantFrom("\t", "  ", "    ", "        "),
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  isStripped: fc.boolean(),
  blanks: fc.constantFrom("", "  ", "\t"),
  first: fc.nat(8),
  length: fc.integer({ min: 1, max: 6 }),
});

test("a fuzzy edit equals the exact edit with the right indentation, or is refused", () => {
  let clear = 0;
  let tried = 0;
  fc.assert(
    fc.property(program, ({ rows, own, quoted, isStripped, lineEnd, blanks, first, length }) => {
      const block = rows.slice(first, first + length);
      const depths = block.flatMap(({ depth, change }) => [depth, "depth" in change ? change.depth : depth]);
      const outer = isStripped ? Math.min(...depths) : 0;
      const exact: Spelling = { indent: (depth) => own.repeat(depth), blankLine: blanks, hasTails: true };
      const asQuoted: Spelling = {
        indent: (depth) => quoted.repeat(depth - outer),
        blankLine: "",
        hasTails: false,
      };
      const [before, after] = [rows.slice(0, first), rows.slice(first + length)];
      const inFile = (middle: string): string =>
        `${spelled(before, 0, exact)}\n${middle}\n${spelled(after, first + length, exact)}`.replaceAll(
          "\n",
          lineEnd,
        );
      const file = inFile(spelled(block, first, exact));
      const edit = {
        oldText: `${spelled(block, first, asQuoted)}\n`,
        newText: `${changed(block, first, asQuoted)}\n`,
      };
      // Of another indentation only a line tells that is indented, and of a missing one only a line that is not.
      fc.pre(!isStripped || block.some(({ depth }) => depth === outer));
      fc.pre(own === quoted || block.some(({ depth }) => depth > outer));
      fc.pre(block.length > 0 && edit.oldText !== edit.newText && findSnippet(file, edit.oldText).isFuzzy);
      const result = edited(file, edit);
      tried++;
      if (result === undefined) return;
      clear++;
      expect(JSON.stringify(result)).toBe(JSON.stringify(inFile(changed(block, first, exact))));
    }),
    { numRuns: 3_000 },
  );
  expect(clear / tried).toBeGreaterThan(0.8);
});

interface Spelling {
  readonly indent: (depth: number) => string;
  readonly blankLine: string;
  /** Whether lines have their blanks at the end. */
  readonly hasTails: boolean;
}

type Rows = Program["rows"];

function spelled(rows: Rows, at: number, { indent, blankLine, hasTails }: Spelling): string {
  return rows
    .map(({ depth, blanksBefore, tail }, index) => {
      const above = `${blankLine}\n`.repeat(index === 0 ? 0 : blanksBefore);
      return `${above}${indent(depth)}word${at + index} x${hasTails ? tail : ""}`;
    })
    .join("\n");
}

function changed(rows: Rows, at: number, { indent, blankLine, hasTails }: Spelling): string {
  return rows
    .flatMap(({ depth, blanksBefore, tail, change }, index) => {
      if (change.kind === "drop") return [];
      const above = `${blankLine}\n`.repeat(index === 0 ? 0 : blanksBefore);
      const lead = indent(change.kind === "move" ? change.depth : depth);
      const line = `${above}${lead}word${at + index} x${hasTails ? tail : ""}`;
      return change.kind === "add" ? [line, `${indent(change.depth)}new y`] : [line];
    })
    .join("\n");
}

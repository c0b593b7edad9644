import { describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { type Line, paint, widthOf } from "../screen/spans.ts";
import { createPainter, THEMES } from "../screen/theme.ts";
import { createMarkdown } from "./markdown.ts";

const plain = (lines: readonly Line[]): readonly string[] =>
  lines.map((line) => line.map(({ text }) => text).join(""));

function shown(text: string, columns = 80): readonly string[] {
  const stream = createMarkdown(columns);
  return plain([...stream.write(text), ...stream.end()]);
}

test("code is cut at the row's end, with each of its blanks; words are not", () => {
  const columns = 14;
  expect(shown("```\naa bb cc   dd ee\n```", columns)).toEqual(["  aa bb cc   d", "  ↪ d ee"]);
  expect(shown("```\naa bb cc dddd  e\n```", columns)).toEqual(["  aa bb cc ddd", "  ↪ d  e"]);
  expect(shown("```\naaaaaaaaa日本語\n```", columns)).toEqual(["  aaaaaaaaa日", "  ↪ 本語"]);
  expect(shown("aa bb cc dddd eeee", columns)).toEqual(["aa bb cc dddd ", "eeee"]);
});

describe("each form", () => {
  test.each<[string, string, readonly string[]]>([
    ["a heading", "## One **two** ##", ["One two"]],
    [
      "a list with levels, numbers and boxes",
      "- a\n  - b\n1. c\n- [x] d\n- [ ] e",
      ["• a", "  • b", "1. c", "• ☑ d", "• ☐ e"],
    ],
    ["a quote", "> said", ["│ said"]],
    [
      "a quote with all that a text can have, and a nested one",
      "> - a\n>   - b\n> ```js\n> x > y\n> ```\n>> # in\n>>\n>> the other\n> | a |\n> |---|\n> | 1 |\n\nout",
      [
        ...["│ • a", "│   • b", "│   js", "│   x > y", "│ │ in", "│ │", "│ │ the other"],
        ...["│ a", "│ ───", "│ 1", "", "out"],
      ],
    ],
    ["a quote in a quote deeper than any is meant", `${">".repeat(8)}x`, ["│ │ │ │ │ │ >>x"]],
    [
      "code of a list item, below its text",
      "1. a\n   ```js\n   x\n   ```\n- b\n  ```\n    y\n  ```",
      ["1. a", "     js", "     x", "• b", "      y"],
    ],
    [
      "a line break that a backslash makes, and a backslash that makes none",
      "a\\\nb\\\\\nC:\\d\\",
      ["a", "b\\", "C:\\d\\"],
    ],
    ["a backslash at a paragraph's end", "C:\\d\\\n\nb", ["C:\\d\\", "", "b"]],
    ["bold and italic in one", "***a*** ___b___ ***c**", ["a b *c"]],
    [
      "characters by name and number, except in code",
      "&lt;T&gt; &amp;amp; &#39;a&#x27; `&lt;` &nope; &#0; [a &amp; b](c&amp;d)",
      ["<T> &amp; 'a' &lt; &nope; \ufffd a & b (c&d)"],
    ],
    [
      "characters by number that would command or reorder",
      "a&#27;[31mb &#x9b;2J &#x202e;c &#27;]0;t &#10;d [x&#46;com](https://y.z) ",
      ["a\\u{1b}[31mb \\u{9b}2J \\u{202e}c \\u{1b}]0;t  d x.com (https://y.z)"],
    ],
    ["code as it is", "```ts\nconst a = `*b*`;\n```", ["  ts", "  const a = `*b*`;"]],
    ["a fence within a longer one", "````\n```\n````\nx", ["  ```", "x"]],
    ["marks within a line", "**a** *b* `c` ~~d~~ __e__ \\*f\\*", ["a b c d e *f*"]],
    ["marks that are none", "2 * 3 * 4, snake_case_name, ** alone", ["2 * 3 * 4, snake_case_name, ** alone"]],
    [
      "a link, and one that is no address",
      "[docs](https://a.b/c) [x](javascript:y)",
      ["docs x (javascript:y)"],
    ],
    ["a table", "| a | b |\n|---|---|\n| 1 | **2** |", ["a   │ b", "────┼────", "1   │ 2"]],
    [
      "a table without edges, which ends with the paragraph",
      "Name | Value\n--- | ---\none | 1\n\na | b",
      ["Name │ Value", "─────┼──────", "one  │ 1", "", "a | b"],
    ],
    [
      "a table with sides",
      "left | middle | right\n:--- | :---: | ---:\na | b | c",
      ["left │ middle │ right", "─────┼────────┼──────", "a    │   b    │     c"],
    ],
    ["a line with a bar that heads no table", "a | b\nc | d\n- x", ["a | b", "c | d", "• x"]],
    ["a bar within a fence", "```\na | b\n--- | ---\n```", ["  a | b", "  --- | ---"]],
    ["empty lines in a row are one", "a\n\n\n\nb", ["a", "", "b"]],
  ])("%s", (_, text, lines) => {
    expect(shown(text).map((line) => line.trimEnd())).toEqual(lines);
  });

  test("a table that does not fit is a list of its cells", () => {
    const text = "| name | value |\n|---|---|\n| one | a |";
    expect(shown(text, 11)).toEqual(["• name: one", "  value: a"]);
  });

  test("links are links of the terminal only with a known scheme and nothing but visible ASCII", () => {
    const stream = createMarkdown(80);
    const lines = [...stream.write("[a](https://ok) [b](https://ü) [c](data:x)\n"), ...stream.end()];
    expect(
      lines
        .flat()
        .map(({ link }) => link)
        .filter(Boolean),
    ).toEqual(["https://ok"]);
  });
});

test("where the terminal shows no links, each address is shown once", () => {
  const stream = createMarkdown(80, undefined, false);
  const text =
    "[docs](https://a.b/c?d) [a.b](https://a.b) [x.com](https://a.b) https://e.f\n\n> - **[in](https://g.h)**\n";
  const lines = [...stream.write(text), ...stream.end()];
  expect(plain(lines)).toEqual([
    "docs (https://a.b/c?d) a.b x.com (https://a.b) https://e.f",
    "",
    "│ • in (https://g.h)",
  ]);
  expect(lines.flat().filter(({ link }) => link !== undefined)).toEqual([]);
});

const PIECES = [
  "# ",
  "- ",
  "1. ",
  "> ",
  ">>",
  "```ts\n",
  "   ```\n",
  "\\\n",
  "&#27;",
  "&#x202e;",
  "***",
  "```\n",
  "| a | b |\n",
  "|---|---|\n",
  "**",
  "*",
  "`",
  "[x](",
  "https://a.b/",
  ")",
  "\n",
  "\n\n",
  "word ",
  "日本語",
  "👩‍👩‍👧",
  "e\u0301",
  "שלום ",
  "\x1b[31m",
  "\u202e",
  "x".repeat(90),
  "  ",
] as const;

describe.each([40, 80, 200])("at %i columns, of any text", (columns) => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 });

  test("no row is wider than the terminal, and none has a control character", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const stream = createMarkdown(columns);
        const lines = [...stream.write(parts.join("")), ...stream.tail(), ...stream.end()];
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
          for (const { text } of line) expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
        }
      }),
    );
  });

  test("however it is cut, the rows are the same", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const whole = shown(parts.join(""), columns);
        const stream = createMarkdown(columns);
        const cut = parts.flatMap((part) => stream.write(part));
        expect(plain([...cut, ...stream.end()])).toEqual(whole);
      }),
    );
  });
});

test("a long text of marks that never close takes time in proportion to it", () => {
  // Each would be quadratic if a failed search were repeated; the time limit is vitest's own.
  for (const bomb of [
    "**a ",
    "***a ",
    "> ",
    ">",
    "&#27;",
    "&",
    "`",
    "[",
    "[x](",
    "_a ",
    "| ",
    "~~a",
    "<",
    "\\",
  ]) {
    const rows = shown(bomb.repeat(100_000 / bomb.length));
    expect(rows.length).toBeGreaterThan(0);
  }
});

test("without colours a row is its text; with them each mark is opened and closed", () => {
  const stream = createMarkdown(80);
  const [line = []] = [...stream.write("**bold** `code`\n"), ...stream.end()];
  expect(paint(line, createPainter(THEMES.dark, 0))).toBe("bold code");
  expect(paint(line, createPainter(THEMES.terminal, 16))).toBe("\x1b[1mbold\x1b[0m \x1b[35mcode\x1b[0m");
  expect(paint(line, createPainter(THEMES.dark, 256))).toMatch(/\x1b\[38;5;\d+mcode/);
  expect(paint(line, createPainter(THEMES.dark, 16777216))).toContain("\x1b[38;2;149;199;174mcode");
});

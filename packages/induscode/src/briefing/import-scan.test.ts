import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import * as fc from "../../../../tests/support/fast-check.ts";
import { blankCode, isTextFile, scanImports } from "./import-scan.ts";

describe("scanImports", () => {
  it.each<readonly [string, readonly string[]]>([
    ["@a.md", ["a.md"]],
    ["see @docs/a.md and\n@../b.txt\t@~/c @/d/e.json", ["docs/a.md", "../b.txt", "~/c", "/d/e.json"]],
    ["@with\\ blanks\\ here.md x", ["with blanks here.md"]],
    ["@a.md#part @b#", ["a.md", "b"]],
    ["@#part @ @\\x", []],
    ["me@example.com (@inside) x@y.md", []],
    ["see @a.md, @b.md. and @c.md)", ["a.md", "b.md", "c.md"]],
    [`@import "path with blanks.md" and @"b c.md", @'d e.md'.`, ["path with blanks.md", "b c.md", "d e.md"]],
    ["@<f g.md> @import <h.md>\n@import i.md; @import", ["f g.md", "h.md", "i.md", "import"]],
    [`@"never closed.md\n@<nor this.md\n@importer.md`, ['"never', "<nor", "importer.md"]],
    ["@LICENSE @logo.png @song.MP3 @App.TSX", ["LICENSE", "App.TSX"]],
    ["@a.md @a.md", ["a.md", "a.md"]],
  ])("%j", (text, targets) => {
    expect(scanImports(text)).toEqual(targets);
  });

  it.each<readonly [string, readonly string[]]>([
    ["`@a.md` @b.md", ["b.md"]],
    ["``x ` @a.md`` @b.md", ["b.md"]],
    ["a ` that nothing closes @a.md", ["a.md"]],
    ["`open @a.md\n\nclosed` @b.md", ["a.md", "b.md"]],
    ["`over\ntwo @a.md lines` @b.md", ["b.md"]],
    ["```\n@a.md\n```\n@b.md", ["b.md"]],
    ["```ts title\n@a.md\n`` ` ``\n````\n@b.md", ["b.md"]],
    ["~~~\n@a.md\n```\n~~~\n@b.md", ["b.md"]],
    ["- list\n  ```\n  @a.md\n  ```\n  @b.md", ["b.md"]],
    ["> ```\n> @a.md\n> ```\n@b.md", ["b.md"]],
    ["```\n@a.md never closed", []],
    ["``` a `span` of three is no fence @a.md", ["a.md"]],
  ])("does not look into code: %j", (text, targets) => {
    expect(scanImports(text)).toEqual(targets);
  });

  it("would import a decorator from a code sample if it did (the twin)", () => {
    const sample = "```py\n@app.py\n```";
    expect([...sample.matchAll(/(?:^|\s)@(\S+)/g)].map(([, name]) => name)).toEqual(["app.py"]);
    expect(scanImports(sample)).toEqual([]);
  });

  it("takes linear time for texts made to be slow", () => {
    const hostile = [
      "@",
      " @",
      "`",
      "` ",
      "``` `",
      "@\\ ",
      "@\\",
      "\n```",
      "`a``b```c",
      "@a#",
      "@a...",
      ' @"',
      " @<",
      " @'a\" @\"b' @<",
      " @import ",
      "~~~\n",
    ];
    const sizes = [10_000, 100_000, 1_000_000] as const;
    for (const piece of hostile)
      expect(
        growthOf(sizes, (size) => scanImports(piece.repeat(size / piece.length))),
        piece,
      ).toBe("even");
    const growing = (size: number): string =>
      Array.from({ length: Math.sqrt(2 * size) }, (_, n) => "`".repeat(n)).join(" ");
    expect(growthOf(sizes, (size) => scanImports(growing(size)))).toBe("even");
  });
});

describe("blankCode", () => {
  it("keeps every line and every length, whatever the text is", () => {
    const piece = fc.constantFrom("`", "``", "```", "~~~", "\n", " ", ">", "a", "@b", "é😀", "\r\n", "\t");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const lengths = (value: string): readonly number[] => value.split("\n").map((line) => line.length);
        expect(lengths(blankCode(text))).toEqual(lengths(text));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("scanImports and blankCode", () => {
  it("never throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void scanImports(text)));
  });
});

describe("isTextFile", () => {
  it.each([
    ["a.md", true],
    ["LICENSE", true],
    [".gitignore", true],
    ["a.png", false],
    ["a.", true],
    ["x/y.tar.gz", false],
  ])("%s: %s", (path, expected) => {
    expect(isTextFile(path)).toBe(expected);
  });
});

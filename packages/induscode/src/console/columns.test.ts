import { expect, test } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import * as fc from "../../../../tests/support/fast-check.ts";
import { columnsOf, headOf, tailOf, wrapColumns, wrapHanging } from "./columns.ts";

test("wide characters take two columns, marks and joiners none", () => {
  expect(["abc", "漢字", "한", "😀", "e\u0301", "a\u200db", ""].map(columnsOf)).toEqual([
    3, 4, 2, 2, 1, 2, 0,
  ]);
});

test("a head or tail of a text keeps whole characters", () => {
  expect([headOf("漢字ab", 3), tailOf("ab漢字", 3), headOf("ab", 9), tailOf("ab", 0)]).toEqual([
    "漢",
    "字",
    "ab",
    "",
  ]);
});

test("wrapped pieces fit and add up to the text", () => {
  expect(wrapColumns("abcdef", 4)).toEqual(["abcd", "ef"]);
  expect(wrapColumns("", 4)).toEqual([""]);
  expect(wrapColumns("wraps between words here", 11)).toEqual(["wraps ", "between ", "words here"]);
  expect(wrapColumns("a longwordwithoutend", 8)).toEqual(["a longwo", "rdwithou", "tend"]);
  expect(wrapColumns("漢字", 1)).toEqual(["漢", "字"]);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 9 }), (text, width) => {
      const pieces = wrapColumns(text, width);
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) expect(columnsOf(piece)).toBeLessThanOrEqual(width);
    }),
  );
});

test("a line in columns goes on below its last column, an indented one below its beginning, any other at the edge", () => {
  const lines =
    "  /tree [N]   the turns of this session\n  what is indented and too long\nwhat is not goes on there\n";
  expect(wrapHanging(lines, 24)).toBe(
    [
      "  /tree [N]   the turns",
      "              of this",
      "              session",
      "  what is indented and",
      "  too long",
      "what is not goes on",
      "there",
      "",
    ].join("\n"),
  );
  expect(wrapHanging("  /rewind [N|apply N]  take back", 24)).toBe("  /rewind [N|apply N]\n    take back");
});

test("a long command wraps in linear time", () => {
  const wrap = (length: number): readonly string[] => wrapColumns("é".repeat(length), 100);
  expect(wrap(200_000)).toHaveLength(2000);
  expect(growthOf([2_000, 20_000, 200_000], wrap)).toBe("even");
});

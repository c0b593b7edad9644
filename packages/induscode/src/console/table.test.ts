import { expect, test } from "vitest";
import { tableLines } from "./table.ts";

test("columns stand below each other, also behind wide characters and signs that take no column", () => {
  const rows = [
    ["name", "cost", "for"],
    ["日本", "$1.20", "a"],
    ["cafe\u0301", "$0.05", ""],
    ["🙂", "", "c"],
  ];
  expect(tableLines(rows, (column) => column === 1)).toEqual([
    "name   cost  for",
    "日本  $1.20  a",
    "cafe\u0301  $0.05",
    "🙂           c",
  ]);
});

test("rows may have different numbers of cells, and none may be there", () => {
  expect(tableLines([["a"], ["bb", "c"]])).toEqual(["a", "bb  c"]);
  expect(tableLines([])).toEqual([]);
});

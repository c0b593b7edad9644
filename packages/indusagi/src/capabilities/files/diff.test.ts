import { expect, test } from "vitest";
import { diffLines } from "./diff.ts";

test("operations carry both line numbers and the tallies", () => {
  expect(diffLines("a\nb\nc\n", "a\nB\nc\nd")).toEqual({
    ops: [
      { kind: "keep", text: "a", ending: "\n", beforeLine: 1, afterLine: 1 },
      { kind: "remove", text: "b", ending: "\n", beforeLine: 2, afterLine: undefined },
      { kind: "add", text: "B", ending: "\n", beforeLine: undefined, afterLine: 2 },
      { kind: "keep", text: "c", ending: "\n", beforeLine: 3, afterLine: 3 },
      { kind: "add", text: "d", ending: "", beforeLine: undefined, afterLine: 4 },
    ],
    added: 2,
    removed: 1,
  });
});

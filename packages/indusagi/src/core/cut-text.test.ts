import { expect, test } from "vitest";
import { beginningOf, endingOf } from "./cut-text.ts";

test("a character that a cut would halve is left out, and one that fits is kept", () => {
  expect([2, 3, 4, 9].map((max) => beginningOf("ab🙂", max))).toEqual(["ab", "ab", "ab🙂", "ab🙂"]);
  expect([2, 3, 4, 9].map((max) => endingOf("🙂ab", max))).toEqual(["ab", "ab", "🙂ab", "🙂ab"]);
  expect([beginningOf("ab", 0), endingOf("ab", 0)]).toEqual(["", ""]);
});

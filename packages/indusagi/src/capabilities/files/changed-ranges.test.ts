import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { changedRanges } from "./changed-ranges.ts";

test("changes come in order, and none for equal texts", () => {
  expect(changedRanges(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"])).toEqual([
    [1, 2, 1, 2],
    [4, 4, 4, 5],
  ]);
  expect(changedRanges(["a"], ["a"])).toEqual([]);
  expect(changedRanges([], ["a"])).toEqual([[0, 0, 0, 1]]);
});

const SIZES = [3_000, 30_000, 300_000] as const;

test("two long texts with nothing in common are one change, soon", () => {
  const text = (name: string, lines: number): string[] =>
    Array.from({ length: lines }, (_, index) => `${name}${index}`);
  const change = (lines: number) => changedRanges(text("a", lines), text("b", lines));
  expect(change(30_000)).toEqual([[0, 30_000, 0, 30_000]]);
  expect(growthOf([300, 3_000, 30_000], change)).toBe("even");
});

test(
  "a difference too costly to settle exactly is split at unique lines, where giving up would replace everything",
  LONG_ONLY,
  () => {
    // Every line occurs three times except each tenth one, and a third of the lines are moved to the front of their block.
    const change = (lines: number) => {
      const old = Array.from({ length: lines }, (_, index) =>
        index % 10 ? `${(index * 7919) % 9_000}` : `mark ${index}`,
      );
      const now = old.map((line, index) =>
        index % 3 || index % 10 === 0 ? line : `${(index * 104_729) % 9_000}`,
      );
      return changedRanges(old, now);
    };
    const removed = change(30_000).reduce((sum, [start, end]) => sum + end - start, 0);
    expect(removed).toBeLessThan(9_500); // 9,000 lines really changed
    expect(growthOf(SIZES, change)).toBe("even");
  },
);

test("lines that all moved are settled soon", LONG_ONLY, () => {
  const change = (lines: number) => {
    const old = Array.from({ length: lines }, (_, index) => `${index}`);
    return changedRanges(old, old.toReversed());
  };
  expect(change(20_000).length).toBeGreaterThan(0);
  expect(growthOf(SIZES, change)).toBe("even");
});

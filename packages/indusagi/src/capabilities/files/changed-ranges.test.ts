import { expect, test } from "vitest";
import { changedRanges } from "./changed-ranges.ts";

test("changes come in order, and none for equal texts", () => {
  expect(changedRanges(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"])).toEqual([
    [1, 2, 1, 2],
    [4, 4, 4, 5],
  ]);
  expect(changedRanges(["a"], ["a"])).toEqual([]);
  expect(changedRanges([], ["a"])).toEqual([[0, 0, 0, 1]]);
});

/** The time this thread computed, in milliseconds, so that a busy machine does not count. */
function computedMs(work: () => void): number {
  const started = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1_000;
}

test("two long texts with nothing in common are one change, soon", () => {
  const text = (name: string): string[] => Array.from({ length: 30_000 }, (_, index) => `${name}${index}`);
  const spent = computedMs(() =>
    expect(changedRanges(text("a"), text("b"))).toEqual([[0, 30_000, 0, 30_000]]),
  );
  expect(spent).toBeLessThan(500);
});

test("a difference too costly to settle exactly is split at unique lines, where giving up would replace everything", () => {
  // Every line stands three times but each tenth, and a third of the lines moved to the front of its block.
  const old = Array.from({ length: 30_000 }, (_, index) =>
    index % 10 ? `${(index * 7919) % 9_000}` : `mark ${index}`,
  );
  const now = old.map((line, index) =>
    index % 3 || index % 10 === 0 ? line : `${(index * 104_729) % 9_000}`,
  );
  let ranges: ReturnType<typeof changedRanges> = [];
  expect(computedMs(() => (ranges = changedRanges(old, now)))).toBeLessThan(2_000);
  const removed = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  expect(removed).toBeLessThan(9_500); // 9,000 lines did change
});

test("lines that all moved are settled soon", () => {
  const old = Array.from({ length: 20_000 }, (_, index) => `${index}`);
  expect(
    computedMs(() => expect(changedRanges(old, old.toReversed()).length).toBeGreaterThan(0)),
  ).toBeLessThan(1_000);
});

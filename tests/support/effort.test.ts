import { expect, test } from "vitest";
import { growthOf } from "./effort.ts";

const SIZES = [30, 300, 3_000] as const;

function repeat(times: number): number {
  let sum = 0;
  for (let at = 0; at < times; at++) sum = (sum * 31 + at) | 0;
  return sum;
}

test("what grows with its size is even, what grows with the square is steep", () => {
  expect(growthOf(SIZES, () => repeat(1_000))).toBe("even");
  expect(growthOf(SIZES, (size) => repeat(size * 100))).toBe("even");
  expect(growthOf(SIZES, (size) => repeat(size * size))).toBe("steep");
});

import { expect, it } from "vitest";
import { grouped } from "./grouped.ts";

it.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [14_800, "14,800"],
  [1_234_567, "1,234,567"],
])("%i is written %s", (count, words) => {
  expect(grouped(count)).toBe(words);
});

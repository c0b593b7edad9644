import { expect, test } from "vitest";
import { formatDollars } from "./dollars.ts";

test.each([
  [0, "$0.00"],
  [1.2, "$1.20"],
  [1234.5678, "$1234.57"],
  [0.01, "$0.01"],
  [0.0042, "$0.0042"],
  [0.000_123_4, "$0.00012"],
  [0.000_000_01, "$0.000000010"],
])("%d dollars are %s", (dollars, shown) => {
  expect(formatDollars(dollars)).toBe(shown);
});

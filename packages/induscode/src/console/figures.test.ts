import { expect, test } from "vitest";
import { formatCount, formatDuration, formatWait, plural } from "./figures.ts";

test("a duration is written in the unit that fits", () => {
  const durations = [0, 3.4, 999.4, 999.6, 1234, 59_949, 59_951, 125_000, 3_599_400, 3_780_000];
  expect(durations.map(formatDuration)).toEqual([
    "0 ms",
    "3 ms",
    "999 ms",
    "1.0 s",
    "1.2 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 5 s",
    "59 min 59 s",
    "1 h 3 min",
  ]);
});

test("a wait is written in whole seconds, at least one", () => {
  expect([0, 400, 2000, 2001].map(formatWait)).toEqual(["1 s", "1 s", "2 s", "3 s"]);
});

test("a count above a thousand is written with one digit after the point", () => {
  expect([0, 999, 12_400, 999_949, 999_951, 1_234_567].map(formatCount)).toEqual([
    "0",
    "999",
    "12.4k",
    "999.9k",
    "1.0M",
    "1.2M",
  ]);
  expect([plural(1, "turn"), plural(2, "turn")]).toEqual(["1 turn", "2 turns"]);
});

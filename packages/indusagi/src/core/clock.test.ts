import { describe, expect, it, onTestFinished } from "vitest";
import { isoTime, isTime, nowMs, useWallClock } from "./clock.ts";

const NO_TIMES = [
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300],
  ...[8_640_000_000_000_001, 253_402_300_800_000, -62_167_219_200_001],
];

describe("a number that a file states", () => {
  it.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [-1, "1969-12-31T23:59:59.999Z"],
    [-62_167_219_200_000, "0000-01-01T00:00:00.000Z"],
    [253_402_300_799_999, "9999-12-31T23:59:59.999Z"],
  ])("is a time: %s", (at, text) => {
    expect([isTime(at), isoTime(at)]).toEqual([true, text]);
  });

  it.each(NO_TIMES)("is none: %s, and no clock tells it", (at) => {
    expect([isTime(at), isoTime(at)]).toEqual([false, undefined]);
    onTestFinished(useWallClock(() => at));
    expect(nowMs()).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { verdictOf } from "../../../../../../tests/support/test-filter-machine.ts";
import { ownSignalsFilter } from "./own-signals-filter.ts";

describe.each([
  { architecture: "x64", calls: [62, 200, 234, 129, 297] },
  { architecture: "arm64", calls: [129, 130, 131, 138, 240] },
] as const)("ownSignalsFilter on $architecture", ({ architecture, calls }) => {
  const filter = ownSignalsFilter(4711, architecture);
  const verdict = (number: number, ...args: number[]): string =>
    verdictOf(filter, { architecture, number, args });

  it.each(calls)("lets call %i reach the process itself, and nobody else", (number) => {
    expect(verdict(number, 4711, 15)).toBe("allow");
    expect([4712, 1, 0, -1, -4711].map((pid) => verdict(number, pid, 15))).toEqual(Array(5).fill("errno 1"));
  });

  it("refuses signals by an open file, and nothing else", () => {
    expect(verdict(424, 4711, 15)).toBe("errno 1");
    const others = Array.from({ length: 400 }, (_, number) => number).filter(
      (number) => !(calls as readonly number[]).includes(number),
    );
    expect(others.filter((number) => verdict(number, 1) !== "allow")).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import { matchPathGlob, matchWildcard } from "./wildcard.ts";

describe("matchWildcard", () => {
  const cases: readonly [string, string, boolean][] = [
    ["", "", true],
    ["*", "", true],
    ["a*c", "abbbc", true],
    ["a*c", "abbb", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["*.ts", "x.test.ts", true],
    ["?", "😀", true],
    ["a.c", "abc", false],
  ];
  it.each(cases)("%j against %j is %s", (pattern, text, expected) => {
    expect(matchWildcard(pattern, text)).toBe(expected);
  });

  it("answers a pattern of 34 stars at once, where a backtracking expression would hang (CVE-2026-26996)", () => {
    expect(matchWildcard(`${"*a".repeat(34)}b`, "a".repeat(5_000))).toBe(false);
    expect(growthOf([1, 3, 5], (stars) => matchWildcard(`${"*a".repeat(stars)}b`, "a".repeat(80)))).toBe(
      "even",
    );
  });
});

describe("matchPathGlob", () => {
  const cases: readonly [string, string, boolean][] = [
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/*", "src/a/b.ts", false],
    ["**/*.ts", "a/b/c.ts", true],
    ["**/*.ts", "c.ts", true],
    ["/etc/**", "/etc/passwd", true],
    ["src/**", "src-evil/a", false],
  ];
  it.each(cases)("%j against %j is %s", (glob, path, expected) => {
    expect(matchPathGlob(glob, path)).toBe(expected);
  });
});

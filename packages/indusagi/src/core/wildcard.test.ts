import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import * as fc from "../../../../tests/support/fast-check.ts";
import { includesText } from "./find-piece.ts";
import { charactersOf, matchCharacters, matchPathGlob, matchSequence, matchWildcard } from "./wildcard.ts";

const isOne = (wanted: string, found: string): boolean => wanted === "?" || wanted === found;
/** The previous algorithm: the latest star is retried at every position. */
const matchByRetrying = (pattern: string, text: ArrayLike<string>): boolean =>
  matchSequence(charactersOf(pattern), text, "*", isOne);

/** How many characters of the text are read. */
function looksAt(match: (text: ArrayLike<string>) => boolean, text: string): number {
  let looks = 0;
  match(
    new Proxy([...text], {
      get(target, key, receiver) {
        if (key !== "length") looks++;
        return Reflect.get(target, key, receiver);
      },
    }),
  );
  return looks;
}

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
    ["*", "anything", true],
    ["**", "", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*aab*", "aaab", true],
    ["*a?c*", "abbabc", true],
    ["*a?c*", "abbab", false],
    ["*?*", "", false],
    ["?*?", "x", false],
    ["*ab*ab*", "abxab", true],
    ["*ab*ab*", "aab", false],
    ["*ab*b", "ab", false],
    ["*😀?*", "x😀😀", true],
    [`*${"a".repeat(31)}?${"b".repeat(40)}*`, `x${"a".repeat(31)}-${"b".repeat(40)}y`, true],
    [`*${"a".repeat(31)}?${"b".repeat(40)}*`, `x${"a".repeat(31)}-${"b".repeat(39)}y`, false],
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

describe("the effort of a match", () => {
  const worst = {
    "a long piece before the end": `*${"a".repeat(124)}b*`,
    "a long piece at the end": `*${"a".repeat(124)}`,
    "one with any character in it": `*${"a".repeat(60)}?${"a".repeat(60)}b*`,
    "many pieces": `${"*a".repeat(60)}*b`,
  };
  const text = (length: number): string => `${"a".repeat(length)}c`;

  it.each(Object.entries(worst))(
    "of %s: each character of the text is looked at a few times",
    (_what, pattern) => {
      for (const length of [650, 6_500, 65_000])
        expect(looksAt((from) => matchCharacters(pattern, from), text(length))).toBeLessThan(
          2 * length + 500,
        );
    },
  );

  it("the twin: retrying the latest star looks at each of them once for every character of the pattern", () => {
    const pattern = worst["a long piece before the end"];
    for (const length of [650, 6_500])
      expect(looksAt((from) => matchByRetrying(pattern, from), text(length))).toBeGreaterThan(50 * length);
  });

  it("of a plain part too, which the engine's own search is not: it looks again and again", () => {
    const part = `${"a".repeat(40)}b${"a".repeat(80)}`;
    for (const length of [650, 6_500, 65_000]) {
      const looks = looksAt((from) => includesText(from, part), text(length));
      expect(looks).toBeLessThan(2 * length + 500);
    }
  });

  it("of a plain part finds what the engine finds", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "?", "😀"), maxLength: 6 }),
        fc.string({ unit: fc.constantFrom("a", "b", "?", "😀"), maxLength: 20 }),
        (part, from) => {
          expect(includesText(from, part)).toBe(from.includes(part));
        },
      ),
    );
  });

  it("does not change what matches", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "😀"), maxLength: 12 }),
        fc.string({ unit: fc.constantFrom("a", "b", "😀"), maxLength: 14 }),
        (pattern, from) => {
          expect(matchWildcard(pattern, from)).toBe(matchByRetrying(pattern, charactersOf(from)));
        },
      ),
      { numRuns: 3_000 },
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

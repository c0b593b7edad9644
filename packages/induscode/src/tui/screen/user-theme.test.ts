import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createPainter, MARKS, THEMES } from "./theme.ts";
import { readUserTheme } from "./user-theme.ts";

test("a theme changes what it names of the one that it begins with", () => {
  const { theme, problems } = readUserTheme({
    base: "dark",
    accent: "#7FB4CA",
    good: 2,
    added: { fore: 10, back: "#14301c", bold: true },
    dim: {},
  });
  expect(problems).toEqual([]);
  expect(theme).toEqual({
    ...THEMES.dark,
    accent: { fore: "#7FB4CA" },
    good: { fore: 2 },
    added: { fore: 10, back: "#14301c", bold: true },
    dim: {},
  });
});

test.each<[string, unknown, string]>([
  ["no object", ["#ffffff"], "expected an object of colours"],
  ["no such base", { base: "drak" }, '"base" must be one of terminal, dark'],
  ["a misspelt meaning", { acent: 2 }, '"acent" is not a colour of a theme; did you mean "accent"?'],
  ["a colour by name", { accent: "red" }, '"accent" must be "#rrggbb", a number from 0 to 15'],
  ["a number beyond the palette", { accent: 16 }, '"accent" must be'],
  ["a sequence", { accent: "\u001b[31m" }, '"accent" must be'],
  ["a sequence within", { accent: { fore: "#ffffff;5" } }, '"accent" must be'],
  ["an unknown part", { accent: { blink: true } }, '"accent" must be'],
])("%s is named, and the rest holds", (_, value, problem) => {
  const { theme, problems } = readUserTheme(value);
  expect(problems.join("\n")).toContain(problem);
  expect(theme.bad).toEqual(THEMES.terminal.bad);
});

test("each mistake has its line in the file, and what was probably meant", () => {
  const text = `{
  "base": "acent",
  "added": { "fore": 2,
    "bakc": 1 },
  "acent": 2, "good": 99,

  "fore": 3
}`;
  expect(readUserTheme(JSON.parse(text), text).problems).toEqual([
    expect.stringMatching(/^line 2: "base" must be one of/),
    expect.stringMatching(/^line 3: "added" must be .*; did you mean "back" by "bakc"\?$/),
    'line 5: "acent" is not a colour of a theme; did you mean "accent"?',
    expect.stringMatching(/^line 5: "good" must be/),
    expect.stringMatching(/^line 7: "fore" is not a colour of a theme/),
  ]);
});

test("of many mistakes in a theme the first are named and the others counted", () => {
  const { problems } = readUserTheme(
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`nothing${i}`, 1])),
  );
  expect(problems).toHaveLength(11);
  expect(problems.at(-1)).toBe("and 20 more");
});

test("a theme file with any text yields colours and nothing else", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...MARKS, "base", "__proto__", "constructor"), fc.jsonValue()),
      (value) => {
        const painter = createPainter(readUserTheme(value).theme, 16_777_216);
        for (const mark of MARKS) expect(painter(mark)).toMatch(/^(?:\x1b\[[\d;]+m)?$/);
      },
    ),
  );
});

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { commandLine, shownWord } from "./shell-quote.ts";

const printEach = `printf '%s\\0'`;
const run = (line: string): string[] => execFileSync("sh", ["-c", line]).toString().split("\0").slice(0, -1);

it("hands every word to the command as it is, whatever the shell would make of it", () => {
  const word = fc.string({ unit: "binary" }).filter((text) => !text.includes("\0") && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      expect(run(commandLine(printEach, words))).toEqual(words);
    }),
    { numRuns: 50 },
  );
});

it("keeps `; id` an argument; glued on, it is a second command (the twin)", () => {
  expect(run(commandLine(printEach, ["; id"]))).toEqual(["; id"]);
  expect(execFileSync("sh", ["-c", `${printEach} x ; echo second`]).toString()).toContain("second");
});

it("shows a word on one line, and it is the same word once it is copied", () => {
  for (const word of ["plain", "it's", "a\nb\tc", "it's\n\\n \u0001\u007f", "\n"]) {
    const shown = shownWord(word);
    expect(shown).not.toMatch(/[\x00-\x1f\x7f]/);
    expect(execFileSync("bash", ["-c", `${printEach} ${shown}`]).toString()).toBe(`${word}\0`);
  }
});

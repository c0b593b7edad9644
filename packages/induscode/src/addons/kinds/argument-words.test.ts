import { expect, it } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { argumentWords } from "./argument-words.ts";

it.each([
  ["", []],
  ["  \t ", []],
  ["staging", ["staging"]],
  ["a  b\tc\nd", ["a", "b", "c", "d"]],
  ["; id", [";", "id"]],
  ["$(id) `id` | sh > /x && y", ["$(id)", "`id`", "|", "sh", ">", "/x", "&&", "y"]],
  [`'two words' "and \\"more\\""`, ["two words", 'and "more"']],
  [`a'b'"c"d`, ["abcd"]],
  [`'' ""`, ["", ""]],
  [`'\\'`, ["\\"]],
  [`"\\n \\\\"`, ["\\n \\"]],
  ["a\\ b \\'", ["a b", "'"]],
  ["* ~ $HOME", ["*", "~", "$HOME"]],
])("%j is %j", (text, words) => {
  expect(argumentWords(text)).toEqual({ ok: true, words });
});

it.each([
  ["'open", "the quote ' is not closed"],
  ['a "open', 'the quote " is not closed'],
  ["end\\", "a backslash at the end escapes nothing"],
])("%j is refused", (text, problem) => {
  expect(argumentWords(text)).toEqual({ ok: false, problem });
});

it("gives back any words that were quoted", () => {
  const word = fc.string({ unit: fc.constantFrom(..."'\"\\ \n\0a$;🦀") });
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      expect(argumentWords(quoted)).toEqual({ ok: true, words });
    }),
  );
});

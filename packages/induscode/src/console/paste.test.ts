import { expect, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { createPasteFilter, unmarkLineBreaks } from "./paste.ts";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";

function filtered(...chunks: readonly string[]): string {
  const filter = createPasteFilter();
  return chunks.map(filter).join("");
}

test("keys pass as they are", () => {
  expect(filtered("a", "\x1b", "\x1b[A", "\r", "\x03", "é")).toBe("a\x1b\x1b[A\r\x03é");
});

test("pasted line breaks become marks, and lines again when the line is entered", () => {
  const line = filtered(`x${BEGIN}one\rtwo\nthree\r\n\tfour${END}y`);
  expect(line).toBe("xone␊two␊three␊  foury");
  expect(unmarkLineBreaks(line)).toBe("xone\ntwo\nthree\n  foury");
});

test("pasted control keys and escape sequences do not act; unfiltered they would", () => {
  const hostile = `ls\x15rm -rf ~\r\x03\x1b[31m\x1b]0;t\x07`;
  expect(hostile).toMatch(/[\x03\x15\r\x1b]/);
  expect(filtered(BEGIN + hostile + END)).toBe("lsrm -rf ~␊");
});

test("cut anywhere, the same keys come out", () => {
  const sent = `a${BEGIN}one\r\ntwo\x1b[31m😀${END}\x1b[Ab${BEGIN}x\r${END}`;
  const whole = filtered(sent);
  expect(whole).toBe("aone␊two😀\x1b[Abx␊");
  for (let cut = 0; cut <= sent.length; cut++)
    expect(filtered(sent.slice(0, cut), sent.slice(cut))).toBe(whole);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 7 }), (size) => {
      const chunks = sent.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(filtered(...chunks)).toBe(whole);
    }),
  );
});

test("the Escape key alone does not wait for the next key", () => {
  const filter = createPasteFilter();
  expect([filter("\x1b"), filter("b"), filter("ab\x1b"), filter("[A")]).toEqual([
    "\x1b",
    "b",
    "ab",
    "\x1b[A",
  ]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { type ClipEnd, clamp, defaultNotice, type OutputBudget } from "./clamp.ts";

const MARK = "\u0000CUT\u0000";

function bounded(kind: ClipEnd, maxBytes: number): OutputBudget {
  return { kind, maxBytes, notice: (omitted) => `${MARK}${omitted}${MARK}` };
}

test("a text within its budget comes back untouched", () => {
  expect(clamp("größe", { kind: "middle", maxBytes: 7 })).toBe("größe");
  expect(clamp("", { kind: "head", maxBytes: 0 })).toBe("");
});

test("each end keeps its part and says what was dropped", () => {
  expect(clamp("0123456789", { kind: "head", maxBytes: 4 })).toBe(`0123${defaultNotice(6)}`);
  expect(clamp("0123456789", { kind: "tail", maxBytes: 4 })).toBe(`${defaultNotice(6)}6789`);
  expect(clamp("0123456789", { kind: "middle", maxBytes: 5 })).toBe(`01${defaultNotice(5)}789`);
  expect(clamp("0123456789", { kind: "head", maxBytes: 9 })).toBe(
    "012345678\n… trimmed 1 byte to fit the window …\n",
  );
});

test("a character is never cut in half", () => {
  expect(clamp("ééé", { kind: "head", maxBytes: 3 })).toBe(`é${defaultNotice(4)}`);
  expect(clamp("😀😀", { kind: "tail", maxBytes: 5 })).toBe(`${defaultNotice(4)}😀`);
  expect(clamp("😀😀", { kind: "head", maxBytes: 3 })).toBe(defaultNotice(8));
  expect(clamp("a😀b", { kind: "middle", maxBytes: 5 })).toBe(`a${defaultNotice(4)}b`);
});

test("whatever the text, what survives is bounded, well formed, and accounted for to the byte", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(
      text,
      fc.constantFrom<ClipEnd>("head", "tail", "middle"),
      fc.nat(300),
      (value, kind, maxBytes) => {
        const out = clamp(value, bounded(kind, maxBytes));
        const total = Buffer.byteLength(value);
        if (total <= maxBytes) {
          expect(out).toBe(value);
          return;
        }
        const [head = "", omitted = "", tail = ""] = out.split(MARK);
        const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
        expect(kept).toBeLessThanOrEqual(maxBytes);
        expect(kept + Number(omitted)).toBe(total);
        expect(value.startsWith(head) && value.endsWith(tail)).toBe(true);
        expect(out.isWellFormed()).toBe(true);
        // Snapping loses at most three bytes at each end.
        expect(kept).toBeGreaterThan(maxBytes - 7);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a 100 MB text is clamped in far less time than encoding it takes twice", () => {
  const text = "abcdefgh é ".repeat(9_000_000);
  const started = performance.now();
  const out = clamp(text, { kind: "middle", maxBytes: 65_536 });
  expect(performance.now() - started).toBeLessThan(1_000);
  expect(Buffer.byteLength(out)).toBeLessThan(65_536 + 256);
});

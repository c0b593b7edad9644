import { expect, test } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import { clamp, clampEncoded, clampLines, defaultNotice } from "./clamp.ts";

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

test("half a pair counts as the three bytes that it is written with, and is a place to cut like any other", () => {
  const text = "\ud800\ud800ࠀࠀ𐀀\ud800";
  const cut = (maxBytes: number, kind: "head" | "middle"): string =>
    clamp(text, { kind, maxBytes, notice: () => "|" });
  expect(cut(17, "middle")).toBe("\ud800\ud800|𐀀\ud800");
  expect([3, 5, 6].map((maxBytes) => cut(maxBytes, "head"))).toEqual(["\ud800|", "\ud800|", "\ud800\ud800|"]);
});

test("a list is cut between its lines, where a cut by bytes leaves parts of entries that read as others", () => {
  const list = "first\nsecond\nthird\nfourth";
  const cut = (kind: "head" | "middle" | "tail", maxBytes: number): string =>
    clampLines(list, { kind, maxBytes, notice: (omitted) => `\n[${omitted}]\n` });
  expect(cut("head", 11)).toBe("first\n[20]\n");
  expect(cut("head", 12)).toBe("first\nsecond\n[13]\n");
  expect(cut("tail", 11)).toBe("\n[19]\nfourth");
  expect(cut("tail", 12)).toBe("\n[13]\nthird\nfourth");
  expect(cut("middle", 14)).toBe("first\n[14]\nfourth");
  expect(cut("middle", 4)).toBe("\n[25]\n");
  expect(cut("middle", 25)).toBe(list);
  expect(clamp(list, { kind: "head", maxBytes: 8 })).toMatch(/^first\nse\n/); // the twin
  for (let maxBytes = 0; maxBytes < 30; maxBytes++) {
    for (const kind of ["head", "middle", "tail"] as const) {
      const [head = "", tail = ""] = cut(kind, maxBytes).split(/\n\[\d+\]\n/);
      expect(list.split("\n")).toEqual(
        expect.arrayContaining(`${head}\n${tail}`.split("\n").filter(Boolean)),
      );
      expect(head.length + tail.length).toBeLessThanOrEqual(maxBytes);
    }
  }
});

test("a text without measure is clamped in the time that counting its bytes takes", () => {
  const cut = (length: number): string =>
    clamp("abcdefgh é ".repeat(length), { kind: "middle", maxBytes: 65_536 });
  expect(Buffer.byteLength(cut(9_000_000))).toBeLessThan(65_536 + 256);
  expect(growthOf([9_000, 90_000, 900_000], cut)).toBe("even");
});

test("what a request costs can be the measure: controls as six bytes, quotes and line breaks as two", () => {
  const budget = { kind: "middle", maxBytes: 60, notice: (omitted: number) => `<${omitted}>` } as const;
  expect(clampEncoded("x".repeat(60), budget)).toBe("x".repeat(60));
  expect(clampEncoded("\x1b".repeat(11), budget)).toBe(`${"\x1b".repeat(5)}<1>${"\x1b".repeat(5)}`);
  expect(clampEncoded("\n".repeat(40), budget)).toBe(`${"\n".repeat(15)}<10>${"\n".repeat(15)}`);
  expect(clampEncoded("🙂".repeat(20), budget)).toBe(`${"🙂".repeat(7)}<24>${"🙂".repeat(7)}`);
  expect(clampEncoded("\ud800".repeat(11), { ...budget, kind: "head" })).toBe(`${"\ud800".repeat(10)}<3>`);
  expect(clampEncoded("é".repeat(31), { ...budget, kind: "tail" })).toBe(`<2>${"é".repeat(30)}`);
});

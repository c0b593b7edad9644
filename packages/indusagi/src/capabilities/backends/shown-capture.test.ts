import { describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { elisionNotice } from "./elision-notice.ts";
import { createCapture, shownText } from "./shown-capture.ts";

function shown(chunks: readonly (string | Uint8Array)[], maxBytes = 65_024): string {
  const capture = createCapture(maxBytes, true);
  for (const chunk of chunks) capture.write(Buffer.from(chunk));
  return capture.text(elisionNotice);
}

const PNG = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0", "latin1"),
  Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7_919 + (at >> 3)) % 256)),
]);
/** As a program has it: code, and texts between zeros. */
const PROGRAM = Buffer.concat([
  Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0/lib64/ld-linux.so\0", "latin1"),
  ...Array.from({ length: 200 }, (_, at) =>
    Buffer.from(`\0\x03\x90symbol_${at}\0\0usage of ${at}\nsecond line\n`, "latin1"),
  ),
]);

test("plain chunks, at any address, are shown as the same bytes one by one are", () => {
  const plain = "a plain line\tof text\n".repeat(3);
  for (const control of ["", "\r", "\x1b[1A\x1b[2K", "\x7f", "\b", "\u00e9", "\u0085"])
    for (let at = 0; at < 9; at++) {
      const bytes = Buffer.from(`xxxx${plain.slice(0, at)}${control}${plain.slice(at)}`);
      for (let start = 0; start < 4; start++) {
        const chunk = bytes.subarray(start);
        const whole = shown([plain, chunk, plain]);
        expect(whole).toBe(
          shown(
            [...Buffer.concat([Buffer.from(plain), chunk, Buffer.from(plain)])].map((byte) =>
              Uint8Array.of(byte),
            ),
          ),
        );
      }
    }
});

describe("binary output", () => {
  test("is named with its type, its size and its first texts", () => {
    expect(shown([Buffer.alloc(70_000)])).toBe(
      "[binary output, 70000 bytes, not shown: zeros; to keep it, write it to a file]\n",
    );
    expect(shown([PNG])).toMatch(
      new RegExp(`^\\[binary output, ${PNG.length} bytes, not shown: PNG picture; .*\\]\\n$`),
    );
    expect(shown([PROGRAM])).toMatch(
      /^\[binary output, \d+ bytes, not shown: ELF program; begins with the texts "\/lib64\/ld-linux\.so", "symbol_0", /,
    );
    expect(shown([PROGRAM]).length).toBeLessThan(400);
  });

  test.each([[1], [17], [1_000], [65_536]])("leaves the text around it, in pieces of %i", (size) => {
    const all = Buffer.concat([Buffer.from("before\n"), PNG, Buffer.from("\0after\n")]);
    const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
      all.subarray(at * size, at * size + size),
    );
    expect(shown(pieces)).toMatch(
      /^before\n\[binary output, \d+ bytes, not shown: PNG picture; .*\]\nafter\n$/,
    );
  });

  test("ends where a long text follows", () => {
    const log = "compiling a file\n".repeat(1_000);
    const text = shown([PNG, log, PNG, "done\n"]);
    expect(text.match(/\[binary output/g)).toHaveLength(2);
    expect(text).toContain(log.slice(-16_000));
    expect(text.endsWith("done\n")).toBe(true);
  });

  test("is not: lists with NUL, old encodings, a stray control, a few bytes among text", () => {
    expect(shown(["./a\0./b/c\0./long name\0"])).toBe("./a\n./b/c\n./long name\n");
    expect(shown([Buffer.from("caf\xe9 fran\xe7ais\n", "latin1")])).toBe("caf\ufffd fran\ufffdais\n");
    expect(shown(["a\x01b and more\n"])).toBe("ab and more\n");
    expect(shown(["größe 你好 🙂\n"])).toBe("größe 你好 🙂\n");
  });
});

test("text that has no controls is kept as it is, in whatever pieces", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("abc", "\n", "é", "🙂", "\t", "line\n".repeat(300))),
      fc.integer({ min: 1, max: 50 }),
      (parts, size) => {
        const bytes = Buffer.from(parts.join(""));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, at * size + size),
        );
        expect(shown(pieces)).toBe(parts.join(""));
      },
    ),
    { numRuns: 50 },
  );
});

test("what is overwritten does not count against the limit", () => {
  const frames = Array.from({ length: 50_000 }, (_, at) => `\r\x1b[32mprogress ${at}\x1b[0m`).join("");
  expect(shown(["begin\n", frames, "\nend\n"], 1_000)).toBe("begin\nprogress 49999\nend\n");
});

test.each([
  ["quotes", '"'],
  ["line breaks", "\n"],
  ["backslashes", "\\"],
  ["letters", "x"],
  ["emoji", "🙂"],
])("the limit counts what a request costs: %s", (_what, character) => {
  const text = shown([character.repeat(200_000)], 10_000);
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(10_000 + 80);
  expect(Buffer.byteLength(JSON.stringify(text))).toBeGreaterThan(9_900);
  const said = Number(/\[(\d+) bytes elided/.exec(text)?.[1]);
  const kept = text.replace(elisionNotice(said), "");
  expect(said + Buffer.byteLength(kept)).toBe(200_000 * Buffer.byteLength(character));
});

test("one long line is cut in its middle: both ends are there", () => {
  const text = shown([`first${"x".repeat(500_000)}last`], 1_000);
  expect(text.startsWith("firstxxx")).toBe(true);
  expect(text.endsWith("xxxlast")).toBe(true);
});

test("a text that was captured otherwise is shown the same", () => {
  expect(shownText("10%\r20%\n\x1b[31mred\x1b[0m")).toBe("20%\nred");
});

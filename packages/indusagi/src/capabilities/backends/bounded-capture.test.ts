import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { BoundedCapture } from "./bounded-capture.ts";

const MARK = "\u0000";
const mark = (omitted: number): string => `${MARK}${omitted}${MARK}`;

function captureAll(maxBytes: number, chunks: readonly (string | Buffer)[]): BoundedCapture {
  const capture = new BoundedCapture(maxBytes);
  for (const chunk of chunks) capture.write(Buffer.from(chunk));
  return capture;
}

test("output within the limit is whole", () => {
  expect(captureAll(10, ["hello", "", "world"]).text(mark)).toBe("helloworld");
  expect(captureAll(10, []).text(mark)).toBe("");
});

test("past the limit, half is kept from the head and half from the tail", () => {
  expect(captureAll(6, ["01234", "56789"]).text(mark)).toBe(`012${mark(4)}789`);
  expect(captureAll(6, ["0123456789"]).text(mark)).toBe(`012${mark(4)}789`);
  expect(captureAll(0, ["abc"]).text(mark)).toBe(mark(3));
});

test("a character that a cut would halve is dropped and counted", () => {
  const text = captureAll(8, ["éééééééé"]).text(mark);
  expect(text).toBe(`éé${mark(8)}éé`);
  expect(captureAll(6, ["ééé€ééé"]).text(mark)).toBe(`é${mark(11)}é`);
});

test("however the stream is cut into chunks, the result is the same and every byte is accounted for", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.nat(64),
      fc.boolean(),
      (parts, limit, isText) => {
        const chunks = parts.map((part) =>
          isText ? Buffer.from(Buffer.from(part).toString("hex")) : Buffer.from(part),
        );
        const whole = Buffer.concat(chunks);
        const capture = captureAll(limit, chunks);
        expect(capture.totalBytes).toBe(whole.length);
        expect(capture.text(mark)).toBe(captureAll(limit, [whole]).text(mark));
        if (!isText) return;
        const [head = "", omitted = "0", tail = ""] = capture.text(mark).split(MARK);
        expect(head.length + Number(omitted) + tail.length).toBe(whole.length);
        expect(whole.toString().startsWith(head) && whole.toString().endsWith(tail)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { pdf } from "../../../../../tests/support/pdf.ts";
import { pagesOf } from "./pdf-pages.ts";

test.each([
  ["in the open", pdf(3), 3],
  ["in a stream of objects", pdf(120, true), 120],
  ["of both kinds", Buffer.concat([pdf(2), pdf(3, true)]), 5],
  ["none that is seen", Buffer.from("%PDF-1.4\n/Type /Pages /Count 7 /Type/PageLabel"), 0],
  ["in a stream that ends too early", pdf(9, true).subarray(0, 200), 0],
  ["in a stream that is no such", Buffer.from("%PDF-1.4 /ObjStm stream\nnothing endstream"), 0],
])("pages %s", (_, bytes, pages) => {
  expect(pagesOf(bytes)).toBe(pages);
});

test("what unpacks to more than a stream may hold is not unpacked, and the streams behind it are", () => {
  const stream = (text: string): Buffer =>
    Buffer.concat([Buffer.from("/ObjStm\nstream\n"), deflateSync(text), Buffer.from("\nendstream\n")]);
  const bomb = stream("/Type /Page ".repeat(1_000_000));
  expect(pagesOf(Buffer.concat([bomb, stream("/Type /Page ")]))).toBe(1);
});

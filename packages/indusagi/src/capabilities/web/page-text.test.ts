import { expect, test } from "vitest";
import { pageText } from "./page-text.ts";

const bytes = (...values: readonly (string | number)[]): Uint8Array =>
  Buffer.concat(
    values.map((value) => (typeof value === "string" ? Buffer.from(value, "latin1") : Buffer.of(value))),
  );

test.each([
  ["text/html", "<p>", "html"],
  ["Text/HTML; charset=utf-8", "<p>", "html"],
  ["application/xhtml+xml", "<p>", "html"],
  ["text/plain", "<p>", "text"],
  ["text/markdown", "# a", "text"],
  ["application/json", "{}", "text"],
  ["application/ld+json", "{}", "text"],
  ["application/atom+xml", "<a/>", "text"],
  ["application/x-yaml", "a: 1", "text"],
  ["application/javascript", "a", "text"],
  ["application/octet-stream", "plain", "text"],
  ["", "plain", "text"],
  ["", "  <!DOCTYPE HTML><p>", "html"],
  ["", "GIF89a\0\0", "binary"],
  ["text/html", "a\0b", "binary"],
  ["image/png", "x", "binary"],
  ["application/pdf", "%PDF-1.7", "binary"],
  ["application/zip", "PK", "binary"],
])("%j with %j is %s", (contentType, body, kind) => {
  expect(pageText(bytes(body), contentType).kind).toBe(kind);
});

test.each([
  ["the header's encoding", "text/plain; charset=ISO-8859-1", bytes("caf", 0xe9), "café"],
  ["the header's, quoted", 'text/plain; charset="windows-1252"', bytes(0x80), "€"],
  [
    "a byte order mark before the header's",
    "text/plain; charset=latin1",
    bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9),
    "é",
  ],
  ["UTF-16 by its mark", "text/plain", bytes(0xff, 0xfe, 0x61, 0), "a"],
  ["UTF-16 by the header", "text/plain; charset=utf-16le", bytes(0x61, 0), "a"],
  ["the page's own word", "text/html", bytes('<meta charset="koi8-r">', 0xc1), '<meta charset="koi8-r">а'],
  [
    "the page's own word, old spelling",
    "text/html",
    bytes('<META http-equiv=x content="text/html; charset=latin1">', 0xe9),
    '<META http-equiv=x content="text/html; charset=latin1">é',
  ],
  ["no word: UTF-8, broken bytes replaced", "text/plain", bytes(0xc3, 0xa9, 0xff), "é\ufffd"],
])("%s decides", (_name, contentType, body, text) => {
  expect(pageText(body, contentType)).toMatchObject({ text });
});

test("an encoding that nobody knows is read as UTF-8, and told", () => {
  expect(pageText(Buffer.from("é"), "text/plain; charset=klingon")).toEqual({
    kind: "text",
    text: "é",
    note: 'read as UTF-8, because its encoding "klingon" is unknown',
  });
});

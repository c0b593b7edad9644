import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { DUCKDUCKGO_PAGE } from "../../../../../tests/support/test-duckduckgo-pages.ts";
import { readDuckDuckGoHits, unwrapLink } from "./search-duckduckgo.ts";

test("results are read in their order, advertisements and own pages left out", () => {
  expect(readDuckDuckGoHits(DUCKDUCKGO_PAGE)).toEqual([
    {
      title: "Streams & pipes",
      url: "https://example.com/streams?a=1&b=2",
      snippet: "All about streams & <pipes>.",
    },
    { title: "A direct link", url: "https://example.org/direct", snippet: "" },
    { title: "Streams again", url: "https://example.com/streams?a=1&b=2", snippet: "The same page." },
  ]);
});

test.each([
  [
    "//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%2520d&rut=x",
    "https://example.com/a?b=c%20d",
  ],
  ["https://duckduckgo.com/l/?kh=-1&uddg=http%3A%2F%2Fexample.com", "http://example.com"],
  ["https://example.com/l/", "https://example.com/l/"],
  ["/l/?uddg=%E0%A4%A", "\ufffd%A"],
  ["http://", ""],
])("%s leads to %s", (href, url) => {
  expect(unwrapLink(href)).toBe(url);
});

test("any page is read without a throw", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      '<a class="result__a" href="',
      '">',
      "</a>",
      '<a class="result__snippet">',
      "//duckduckgo.com/l/?uddg=",
      "%",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(readDuckDuckGoHits(pieces.join(""))).toBeInstanceOf(Array);
    }),
    { numRuns: 1_000 },
  );
});

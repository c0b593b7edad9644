import { expect, test } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { rows } from "../../../../../tests/support/long-form.ts";
import { attribute, decodeEntities, plainHtmlText } from "./plain-html-text.ts";

test("a page becomes text that can be read: links, headings, lists, entities, tidy white space", () => {
  const html = `<!doctype html><html><head><title>gone</title><style>p{}</style></head><body>
    <!-- gone --><script>if (a < b) gone()</script><SVG><text>gone</text></SVG>
    <h1>Head &amp; tail</h1><p>One   <b>bold</b>
    line<br>and <a href="/next?a=1&amp;b=2">a link</a>, <a href="javascript:x()">no link</a>.</p>
    <ul><li>first</li><li>second</ul><h3>Code</h3><pre>  a &lt; b\n\tc</pre>
    <table><tr><td>x</td><td>y</td></tr></table>&#8364; &#x1F600; &nbsp;&hellip; &unknown; 1 < 2</body></html>`;
  expect(plainHtmlText(html, "https://example.com/dir/page")).toBe(
    `# Head & tail

One bold line
and a link (https://example.com/next?a=1&b=2), no link.

- first

- second

### Code

  a < b
	c

x y

€ 😀 … &unknown; 1 < 2`,
  );
});

test("what is never closed ends the page, quietly", () => {
  const inputs = ["a<script>b", "a<!-- b", "a<b", "a<style>b</style", "a<svg", "a<", "a</"];
  expect(inputs.map((html) => plainHtmlText(html))).toEqual(["a", "a", "a", "a", "a", "a<", "a</"]);
});

test("attributes are read in every quoting, and never from inside another's value", () => {
  const tag = `<a title="href='no'" HREF='x y' data-href=z class=b>`;
  expect(["href", "class", "title", "data-href", "id"].map((name) => attribute(tag, name))).toEqual([
    "x y",
    "b",
    "href='no'",
    "z",
    undefined,
  ]);
});

test("numeric references name characters, and nothing else", () => {
  expect(decodeEntities("&#65;&#x42;&#0;&#xD800;&#x110000;&#9999999;&constructor;&amp;lt;")).toBe(
    "AB\ufffd\ufffd\ufffd\ufffd&constructor;&lt;",
  );
});

const HOSTILE = [
  "<",
  "<a",
  "<a ",
  "<!--",
  "<script>",
  "</script x",
  "<script></script",
  '<a href="',
  "<a x=",
  "&amp",
  "&#",
  " ",
  " \n",
  "<p>",
  "<pre>x",
  "<li>",
  "<a href=x>",
  "\0",
];

test.each(rows(HOSTILE, (_, at) => at % 8 === 0))(
  "512 KiB of %j take as long as their length makes them",
  (piece) => {
    const convert = (open: string, length: number, close = ""): unknown =>
      plainHtmlText(open + piece.repeat(length / piece.length) + close, "https://example.com/");
    const sizes = [5_243, 52_429, 524_288] as const;
    expect(growthOf(sizes, (length) => convert("", length))).toBe("even");
    expect(growthOf(sizes, (length) => convert("<a ", length, ">"))).toBe("even");
  },
);

test("any text goes through without a throw", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "<script>bad",
      "</script>",
      "<a href='",
      "'>",
      ">",
      "<!--",
      "-->",
      "&#x",
      ";",
      "<pre>",
      "</pre>",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(plainHtmlText(pieces.join(""), "https://example.com/")).toBeTypeOf("string");
    }),
    { numRuns: 2_000 },
  );
});

import { expect, it } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { nestsDeeper } from "./nesting.ts";

it.each([
  ["<div>".repeat(5), true],
  ["<div>".repeat(4), false],
  ["<b>x".repeat(5), true],
  ["<table><tr><td>".repeat(5), true],
  ["<ul><li>".repeat(5), true],
  [`${"<div>".repeat(5)}${"</div>".repeat(5)}`, true],
  ["<div></div>".repeat(50), false],
  ["<div><b></div>".repeat(50), false], // the end of what is around it ends it too
  ["</div>".repeat(50), false],
  ["<li>x<p>y<br><img src=a>".repeat(50), false],
  ["<table><tr><td>a<td>b<tr><td>c".concat("<tr><td>d".repeat(50)), false],
  ["<x/>".repeat(50), false],
  [`<!--${"<div>".repeat(50)}--><script>${'"<div>"'.repeat(50)}</script>`, false],
])("%s nests deeper than 4: %s", (html, isDeeper) => {
  expect(nestsDeeper(html, 4)).toBe(isDeeper);
});

it("takes time in proportion to the page", () => {
  for (const piece of ["<div></div>", "<b><i></b>", "<div>".repeat(300) + "</div>".repeat(300)])
    expect(growthOf([100, 1_000, 10_000], (count) => nestsDeeper(piece.repeat(count / 10), 400))).toBe(
      "even",
    );
});

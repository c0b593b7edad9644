import { expect, test } from "vitest";
import { shortenRows } from "./long-rows.ts";
import { renderUnifiedDiff } from "./unified-diff.ts";

const long = (middle: string): string => `${"a".repeat(5_000)}${middle}${"b".repeat(5_000)}`;
const [before, after] = ["a".repeat(200), "b".repeat(200)];

test("of a very long line that changed, the change is shown on both sides", () => {
  const diff = renderUnifiedDiff(`x\n${long("old")}\r\ny\n`, `x\n${long("newer")}\r\ny\n`);
  expect(shortenRows(diff)).toBe(
    "@@ -1,3 +1,3 @@\n x\n" +
      `-… ${before}old${after} … [line of 10004 characters, shown from 4801]\n` +
      `+… ${before}newer${after} … [line of 10006 characters, shown from 4801]\n y\n`,
  );
});

test("each of several long lines is shown with the one in its place, and others from their beginning", () => {
  const lines = (one: string, two: string): string => `${long(one)}\n${long(two)}\n`;
  const rows = shortenRows(renderUnifiedDiff(lines("1", "2"), lines("3", "4") + long("5"))).split("\n");
  const change = (sign: string, digit: string): string =>
    `${sign}… ${before}${digit}${after} … [line of 10001 characters, shown from 4801]`;
  expect(rows.slice(1)).toEqual([
    ...[change("-", "1"), change("-", "2"), change("+", "3"), change("+", "4")],
    `+${before} … [line of 10001 characters]`,
    "\\ No newline at end of file",
    "",
  ]);
});

test("a long change is shown from its beginning, and a diff without long lines stays as it is", () => {
  const diff = shortenRows(renderUnifiedDiff("x\n", `${"y".repeat(50_000)}\n`));
  expect(diff).toBe(`@@ -1,1 +1,1 @@\n-x\n+${"y".repeat(1_200)} … [line of 50000 characters]\n`);
  const short = renderUnifiedDiff("x\r\n", "y\n");
  expect(shortenRows(short)).toBe(short);
});

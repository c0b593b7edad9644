import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

/** Compares the rows between `<!-- name -->` and `<!-- /name -->` of a page with the expected ones; `UPDATE_PAGES=1` writes them. */
export function expectPageTable(page: string, name: string, rows: readonly string[]): void {
  const text = readFileSync(page, "utf8");
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [before = "", rest = ""] = text.split(begin);
  const [written = "", after = ""] = rest.split(end);
  const expected = rows.map((row) => `${row}\n`).join("");
  if (process.env.UPDATE_PAGES === "1") writeFileSync(page, `${before}${begin}${expected}${end}${after}`);
  else expect(written).toBe(expected);
}

// docs/reference/parsers.md has a row for every corpus, and names every library that parses.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PARSERS } from "./bombs/parsers.ts";

const ROOT = join(import.meta.dirname, "..");
const page = readFileSync(join(ROOT, "docs/reference/parsers.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| parser"));

/** Dependencies that read nothing of others. */
const NO_PARSERS: ReadonlySet<string> = new Set(["indusagi"]);

function dependencies(name: string): readonly string[] {
  const text = readFileSync(join(ROOT, "packages", name, "package.json"), "utf8");
  return Object.keys((JSON.parse(text) as { readonly dependencies: object }).dependencies);
}

test("each library that parses is in the table of parsers (twin: a new one is missed)", () => {
  const named = (library: string): boolean => rows.some((row) => row.includes(`\`${library}\``));
  const missing = [...dependencies("indusagi"), ...dependencies("induscode")].filter(
    (library) => !NO_PARSERS.has(library) && !named(library),
  );
  expect(missing).toEqual([]);
  expect(named("xml2js")).toBe(false);
});

test("each parser with a corpus has its row, and each row says from whom, where and within which limits", () => {
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const names = cells.map(([, name]) => name);
  expect(names).toEqual(
    [...PARSERS.map(({ name }) => name), "TypeScript", "WebAssembly"].sort(byPage(names)),
  );
  for (const [, name, ...rest] of cells)
    expect([name, rest.slice(0, 3).every((cell) => cell !== "")]).toEqual([name, true]);
});

/** The page's order is for readers; what counts is that nothing is missing or too much. */
function byPage(names: readonly (string | undefined)[]): (one: string, other: string) => number {
  return (one, other) => names.indexOf(one) - names.indexOf(other);
}

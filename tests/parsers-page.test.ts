// docs/reference/parsers.md has a row for every corpus, and names every library that parses.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PARSERS } from "./bombs/parsers.ts";

const ROOT = join(import.meta.dirname, "..");
const page = readFileSync(join(ROOT, "docs/reference/parsers.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| parser"));

/** Read in a sandbox, for one subcommand, or what is ours: decision 003 says which. */
const ELSEWHERE =
  /^(?:@agentclientprotocol|@modelcontextprotocol|@npmcli)\/|^(?:highlight\.js|npm-|pacote$|pg-boss$|tar$|indusagi$)/;

/** The packages that the product's sources import, with types alone as well: some are loaded by name. */
function libraries(): readonly string[] {
  const files = globSync("packages/*/src/**/*.ts", { cwd: ROOT }).filter(
    (path) => !/(\.test|-cases)\.ts$/.test(path),
  );
  const found = files.flatMap((path) =>
    [
      ...readFileSync(join(ROOT, path), "utf8").matchAll(
        /(?:^\} from |^import .* from |\bimport\()"(?!node:)([@\w][^"]*)"/gm,
      ),
    ].map(([, specifier = ""]) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ""),
  );
  return [...new Set(found)].filter((name) => !ELSEWHERE.test(name));
}

test("each library that parses is in the table of parsers (twin: a new one is missed)", () => {
  const named = (library: string): boolean => rows.some((row) => row.includes(`\`${library}\``));
  expect(libraries().length).toBeGreaterThan(8);
  expect(libraries().filter((library) => !named(library))).toEqual([]);
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

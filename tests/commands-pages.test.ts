// What the pages say of subcommands is what their table says. `UPDATE_PAGES=1` writes the exit codes anew.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { SUBCOMMANDS } from "../packages/induscode/src/boot/subcommands.ts";
import type { Subcommand } from "../packages/induscode/src/cli/subcommand-row.ts";
import { HOME_FILES } from "../packages/induscode/src/store/home-files.ts";
import { expectPageTable } from "./support/page-table.ts";

const page = (name: string): string => fileURLToPath(new URL(`../docs/${name}.md`, import.meta.url));
const HOME = readFileSync(page("reference/home"), "utf8");

it("the page of exit codes has every subcommand, and what its 1 says", () => {
  const rows = SUBCOMMANDS.map(
    ({ name, fault = "only what the table above says" }) => `| \`${name}\` | ${fault} |`,
  ).toSorted();
  expectPageTable(page("guide/exit-codes"), "subcommands", rows);
});

/** `<subcommand> in <file>` for each that the page of the home does not name there, or names and the table does not. */
function unlike(text: string, table: readonly Subcommand[]): readonly string[] {
  return Object.entries(HOME_FILES).flatMap(([file, { path }]) => {
    const row = text.split("\n").find((line) => line.startsWith(`| \`${path}\` |`)) ?? "";
    const named = new Set([...row.matchAll(/`indus ([a-z]+(?: [a-z]+)?)/g)].map(([, words]) => words));
    return table.flatMap(({ name, usages }) =>
      usages.flatMap(({ words, writes = [] }) => {
        const [first = ""] = words.split(" ");
        const verb = /^[a-z]/.test(first) ? `${name} ${first}` : name;
        const isWritten = (writes as readonly string[]).includes(file);
        // A row may name a whole subcommand that only shows the file.
        const isRight = named.has(verb) === isWritten || (!isWritten && verb === name);
        return isRight ? [] : `${verb} in ${path}`;
      }),
    );
  });
}

it("the page of the home names each subcommand that writes a file there, and no other", () => {
  expect(unlike(HOME, SUBCOMMANDS)).toEqual([]);
});

it("one that the page does not name is found out (the twin)", () => {
  expect(unlike(HOME.replaceAll("`indus addons revoke`", ""), SUBCOMMANDS)).toEqual([
    "addons revoke in trust.json",
  ]);
});

it("a flag that is two subcommands' own is the same flag", () => {
  const flags = SUBCOMMANDS.flatMap((row) => row.flags);
  for (const flag of flags) expect(flags.find(({ name }) => name === flag.name)).toEqual(flag);
});

// docs/reference/settings.md says what the product's table of settings says. `UPDATE_PAGES=1` writes it anew.

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PARTS } from "../packages/induscode/src/boot/parts.ts";
import type { SettingRow } from "../packages/induscode/src/settings/setting-row.ts";
import { settingsOf } from "../packages/induscode/src/settings/table.ts";
import { expectPageTable } from "./support/page-table.ts";

const PAGE = fileURLToPath(new URL("../docs/reference/settings.md", import.meta.url));

function lines({ name, check, does, otherwise, guide, within }: SettingRow): readonly string[] {
  if (within) return within.flatMap((row) => lines({ ...row, name: `${name}.${row.name}` }));
  const cells = [
    `\`${name}\``,
    check(undefined) ?? "",
    guide ? `${does}. ${guide.replaceAll("](", "](../guide/")}` : does,
    otherwise,
  ];
  return [`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`];
}

test("the page lists every setting, what it may be, what it does and what applies without it", () =>
  expectPageTable(
    PAGE,
    "settings",
    settingsOf(PARTS).flatMap((row) => lines(row)),
  ));

test("each setting is one row's, whichever part brings it", () => {
  const names = settingsOf(PARTS).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

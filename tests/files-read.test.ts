// The guide's page about the files that are read says what the code's own tables say. `UPDATE_PAGES=1` writes it anew.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { READ_PLACES, type ReadPlace } from "../packages/induscode/src/parts/doctor/read-places.ts";
import {
  FOREIGN_HOME_FILES,
  FOREIGN_PROJECT_FILES,
  type ForeignRow,
} from "../packages/induscode/src/session/features/foreign-files.ts";
import { expectPageTable } from "./support/page-table.ts";

const PAGE = fileURLToPath(new URL("../docs/guide/files-read.md", import.meta.url));
const code = (text: string): string => `\`${text}\``;
const list = (paths: readonly string[], prefix = ""): string =>
  paths.length === 0 ? "none" : paths.map((path) => code(prefix + path)).join(", ");

const placeRow = ({ what, repository, where, home, rule }: ReadPlace): string =>
  `| ${[what, list(repository), where || "–", list(home, "~/"), rule].join(" | ")} |`;
const foreignRow =
  (prefix = "") =>
  ({ path, instead }: ForeignRow): string =>
    `| ${code(prefix + path)} | ${instead} |`;

const TABLES: Readonly<Record<string, readonly string[]>> = {
  places: READ_PLACES.map(placeRow),
  foreign: FOREIGN_PROJECT_FILES.map(foreignRow()),
  "foreign-home": FOREIGN_HOME_FILES.map(foreignRow("~/")),
};

it.each(Object.entries(TABLES))("the table of %s on the page is the code's", (name, rows) => {
  expectPageTable(PAGE, name, rows);
});

it("README leads to the page", () => {
  expect(readFileSync(new URL("../README.md", import.meta.url), "utf8")).toContain(
    "docs/guide/files-read.md",
  );
});

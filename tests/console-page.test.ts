// The guide's table of keys is the product's.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { keyTable } from "../packages/induscode/src/tui/keys/list-keys.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../docs/guide/console.md", import.meta.url)), "utf8");

test("the guide to the console lists every action with its keys", () => {
  const [, table] = /<!-- keys -->\n([\s\S]*?)\n<!-- \/keys -->/.exec(PAGE) ?? [];
  expect(table).toBe(keyTable());
});

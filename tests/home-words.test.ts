import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const PRODUCT = join(import.meta.dirname, "../packages/induscode/src");

/** They say `INDUS_HOME` as well, or hand their words to somebody who names the place (`briefing/gather`). */
const OTHERS: readonly string[] = [
  "briefing/agent-files.ts",
  "briefing/asked-model.ts",
  "cli/manual-page.ts",
  "parts/usage/usage-keys.ts",
];

it("a message that names a file in ~/.indus names the home that is in use", () => {
  const found = readdirSync(PRODUCT, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) => {
      const text = readFileSync(join(PRODUCT, name), "utf8");
      const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
      return code.includes("~/.indus/") && !code.includes("inHome(");
    });
  expect(found.sort()).toEqual(OTHERS);
});

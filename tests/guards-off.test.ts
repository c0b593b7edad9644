// The twins that take a guard out of a copy of the product run in the long form only. Whether the guard is still where they say is
// looked at each time.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT: string = fileURLToPath(new URL("..", import.meta.url));
const LITERAL = String.raw`("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`;
const GUARD = new RegExp(String.raw`file: ${LITERAL},\s*guard:\s*${LITERAL}`, "g");

/** The text that a literal without templates stands for. */
function textOf(literal: string): string {
  const inner = literal.slice(1, -1);
  return JSON.parse(
    `"${literal.startsWith("'") ? inner.replaceAll('"', '\\"').replaceAll("\\'", "'") : inner}"`,
  );
}

const tests: readonly string[] = ["tests", "packages"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
    .map((name) => join(folder, name)),
);

const guards = tests.flatMap((test) =>
  [...readFileSync(join(ROOT, test), "utf8").matchAll(GUARD)].map(([, file = "", guard = ""]) => ({
    test,
    file: textOf(file),
    guard: textOf(guard),
  })),
);

it("every guard that a twin takes out is in its file, once", () => {
  expect(guards.length).toBeGreaterThan(10);
  const lost = guards.filter(
    ({ file, guard }) =>
      readFileSync(join(ROOT, "packages/induscode/src", file), "utf8").split(guard).length !== 2,
  );
  expect(lost).toEqual([]);
});

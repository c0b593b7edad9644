// `engines` says Node 20.19 for both packages, as libraries too: nothing that a door leads to may ask for a newer Node. The
// long form of exports.test runs the examples on the machine's own Node; this reads what no example reaches.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { publicDoors } from "../../scripts/declarations.mjs";
import { readImports } from "../support/import-graph.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What Node 20.19 lacks: methods, and names of its own modules. */
const NEWER: readonly RegExp[] = [
  /Promise\.(?:withResolvers|try)\b/,
  /Array\.fromAsync\b/,
  /\b(?:Object|Map)\.groupBy\b/,
  /\bRegExp\.escape\b|\bError\.isError\b|\bMath\.sumPrecise\b|\bIterator\.from\b/,
  /\.(?:union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(/,
  /\.(?:values|keys|entries)\(\)\s*\.(?:map|filter|take|drop|flatMap|toArray|some|every|find|reduce|forEach)\(/,
  /\bimport\.meta\.main\b/,
  /^\s*(?:await )?using \w+ =/m,
];
const NEWER_NAMES: ReadonlySet<string> = new Set([
  ...["enableCompileCache", "findPackageJSON", "registerHooks", "stripTypeScriptTypes"],
  ...["glob", "globSync", "matchesGlob", "execve", "getCallSites"],
]);

/** Every source file that the doors lead to, by imports that run. */
function reachable(): readonly string[] {
  const doors = publicDoors();
  const found = new Set<string>();
  const waiting = doors.map(({ file }) => file);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const { specifier, typeOnly } of readImports(file, readFileSync(file, "utf8"))) {
      const target = specifier.startsWith(".")
        ? join(dirname(file), specifier)
        : doors.find(({ name }) => name === specifier)?.file;
      if (!typeOnly && target !== undefined && existsSync(target)) waiting.push(target);
    }
  }
  return [...found].sort();
}

function newerThings(path: string, text: string): readonly string[] {
  const code = text.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  const methods = NEWER.flatMap((pattern) => pattern.exec(code)?.[0].trim() ?? []);
  const names = readImports(path, text)
    .filter(({ specifier, typeOnly }) => specifier.startsWith("node:") && !typeOnly)
    .flatMap((edge) => (edge.names ?? []).filter((name) => NEWER_NAMES.has(name)));
  return [...methods, ...names];
}

describe("what the doors lead to", () => {
  it("asks for nothing that Node 20.19 lacks", () => {
    const files = reachable();
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) =>
      newerThings(file, readFileSync(file, "utf8")).map((what) => `${relative(ROOT, file)}: ${what}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ["const { promise } = Promise.withResolvers<void>();", "Promise.withResolvers"],
    ["const all = new Map().values().map(String);", ".values().map("],
    [`import { globSync } from "node:fs";`, "globSync"],
    [`import { isBuiltin, registerHooks } from "node:module";`, "registerHooks"],
  ])("is searched for such things (the twin): %s", (text, found) => {
    expect(newerThings("/p/a.ts", text)).toEqual([found]);
  });

  it.each(["// Promise.withResolvers is missing there", `import type { glob } from "node:fs";`])(
    "is not accused of %s",
    (text) => {
      expect(newerThings("/p/a.ts", text)).toEqual([]);
    },
  );
});

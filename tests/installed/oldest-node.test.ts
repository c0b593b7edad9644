// `engines` says Node 20.19 for both packages, as libraries too: nothing that a door leads to may ask for a newer Node. The
// long form of exports.test runs the examples on the machine's own Node; this reads what no example reaches.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { publicDoors } from "../../scripts/declarations.mjs";
import { type ImportEdge, readImports } from "../support/import-graph.ts";

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

interface Source {
  readonly file: string;
  readonly text: string;
  readonly imports: readonly ImportEdge[];
}

const sourceOf = (file: string, text: string): Source => ({ file, text, imports: readImports(file, text) });

/** Every source file that the doors lead to, by imports that run. */
function reachable(): readonly Source[] {
  const doors = publicDoors();
  const found = new Map<string, Source>();
  const waiting = doors.map(({ file }) => file);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const source = sourceOf(file, readFileSync(file, "utf8"));
    found.set(file, source);
    for (const { specifier, typeOnly } of source.imports) {
      const target = specifier.startsWith(".")
        ? join(dirname(file), specifier)
        : doors.find(({ name }) => name === specifier)?.file;
      if (!typeOnly && target !== undefined && existsSync(target)) waiting.push(target);
    }
  }
  return [...found.values()];
}

function newerThings({ text, imports }: Source): readonly string[] {
  const code = text.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
  const methods = NEWER.flatMap((pattern) => pattern.exec(code)?.[0].trim() ?? []);
  const names = imports
    .filter(({ specifier, typeOnly }) => specifier.startsWith("node:") && !typeOnly)
    .flatMap((edge) => (edge.names ?? []).filter((name) => NEWER_NAMES.has(name)));
  return [...methods, ...names];
}

describe("what the doors lead to", () => {
  it("asks for nothing that Node 20.19 lacks", () => {
    const sources = reachable();
    expect(sources.length).toBeGreaterThan(200);
    const found = sources.flatMap((source) =>
      newerThings(source).map((what) => `${relative(ROOT, source.file)}: ${what}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ["const { promise } = Promise.withResolvers<void>();", "Promise.withResolvers"],
    ["const all = new Map().values().map(String);", ".values().map("],
    [`import { globSync } from "node:fs";`, "globSync"],
    [`import { isBuiltin, registerHooks } from "node:module";`, "registerHooks"],
  ])("is searched for such things (the twin): %s", (text, found) => {
    expect(newerThings(sourceOf("/p/a.ts", text))).toEqual([found]);
  });

  it.each(["// Promise.withResolvers is missing there", `import type { glob } from "node:fs";`])(
    "is not accused of %s",
    (text) => {
      expect(newerThings(sourceOf("/p/a.ts", text))).toEqual([]);
    },
  );
});

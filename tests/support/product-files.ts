import { globSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { SourceFiles } from "./import-graph.ts";

const PACKAGES = join(import.meta.dirname, "../../packages");

/** Every file in the packages' sources that is no test's, as `<package>/src/…`. Tests, and the test-* and *-cases files that only
 * they import, may reach for anything. */
export function productPaths(): readonly string[] {
  return globSync(`${PACKAGES}/*/src/**/*`, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^test-|(-cases|\.test)\.\w+$/.test(entry.name))
    .map((entry) => relative(PACKAGES, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

/** The product's sources in TypeScript, by path. */
export function productFiles(): SourceFiles {
  const paths = productPaths().filter((path) => path.endsWith(".ts"));
  return new Map(paths.map((path) => [path, readFileSync(join(PACKAGES, path), "utf8")]));
}

// Which file of an addon a path means, and what kind of module it is, determined without looking above the addon's folder.
// Node looks there for a package.json, which the sandbox may refuse to open and which does not belong to the addon.

import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { formatOf, type ModuleFormat } from "./module-format.ts";

/** Extensions that TypeScript authors omit, or replace with the extension of the compiled file. */
const ENDINGS: readonly string[] = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];
const INDEXES: readonly string[] = ["index.ts", "index.js", "index.cjs", "index.json"];
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

type OwnFormat = ModuleFormat | "json";

/** The file that an import of `path` means; undefined if there is none. */
export function ownFile(path: string): string | undefined {
  const extension = extname(path);
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  return [
    path,
    ...(SOURCES[extension] ?? []).map((source) => path.slice(0, -extension.length) + source),
    ...ENDINGS.map((ending) => bare + ending),
    ...mainOf(path),
    ...INDEXES.map((name) => join(path, name)),
  ].find(isFile);
}

/** The files that a folder's own package.json names. */
function mainOf(folder: string): readonly string[] {
  const file = join(folder, "package.json");
  if (!isFile(file)) return [];
  const { main } = readPackage(file);
  if (typeof main !== "string") return [];
  const path = join(folder, main);
  return [path, ...ENDINGS.map((ending) => path + ending), ...INDEXES.map((name) => join(path, name))];
}

/** By its name, otherwise by the addon's own nearest package.json, otherwise by its syntax, as in Node. */
export function ownFormat(root: string, path: string, text: () => string): OwnFormat {
  const extension = extname(path);
  if (extension === ".mjs") return "module";
  if (extension === ".cjs") return "commonjs";
  if (extension === ".json") return "json";
  const file = ownPackageFile(root, path);
  const type = file === undefined ? undefined : readPackage(file).type;
  if (type === "module" || type === "commonjs") return type;
  return formatOf(text(), false);
}

/** The nearest package.json above a file, but not above the addon's folder; an addon that is one file has none. */
export function ownPackageFile(root: string, path: string): string | undefined {
  for (
    let folder = dirname(path);
    folder === root || folder.startsWith(root + sep);
    folder = dirname(folder)
  ) {
    if (basename(folder) === "node_modules") return undefined;
    const file = join(folder, "package.json");
    if (existsSync(file)) return file;
  }
  return undefined;
}

/** Whether a package manager installed it: such packages declare their own format, and Node finds it. */
export function isInPackages(root: string, path: string): boolean {
  return relative(root, path).split(sep).includes("node_modules");
}

function readPackage(file: string): { readonly type?: unknown; readonly main?: unknown } {
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof content === "object" && content !== null ? content : {};
  } catch (cause) {
    throw new Error(`${file} cannot be read as a package.json: ${(cause as Error).message}`, { cause });
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // missing or unreachable
  }
}

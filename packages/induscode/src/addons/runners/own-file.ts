// Which file of an addon a path means, and what kind of module it is: said without any look above the addon's folder, where
// Node looks for a package.json that the sandbox may refuse to open, and that does not belong to the addon.

import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { formatOf, type ModuleFormat } from "./module-format.ts";

/** What TypeScript's authors leave out of a path, or write as the name of the file that a compiler would make. */
const ENDINGS: readonly string[] = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];
const INDEXES: readonly string[] = ["index.ts", "index.js", "index.cjs", "index.json"];
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

type OwnFormat = ModuleFormat | "json";

/** The file that an import of `path` means; undefined where there is none. */
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

/** What a folder's own package.json names. */
function mainOf(folder: string): readonly string[] {
  const file = join(folder, "package.json");
  if (!isFile(file)) return [];
  const { main } = readPackage(file);
  if (typeof main !== "string") return [];
  const path = join(folder, main);
  return [path, ...ENDINGS.map((ending) => path + ending), ...INDEXES.map((name) => join(path, name))];
}

/** By its name, else by the nearest package.json that is the addon's own, else by its syntax, as in Node. */
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

/** The nearest package.json above a file that is not above the addon's folder; an addon that is one file has none. */
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

/** Whether a package manager put it there: those packages say by themselves what they are, and Node finds that. */
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
    return false; // not there, or out of reach
  }
}

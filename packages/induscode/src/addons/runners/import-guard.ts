// What an addon may import: Node's own modules, the kit, and files of its own folder, by their real paths. Its trust covers
// exactly that. The sandbox enforces the boundary; this explains in words what was wrong.

import { readFileSync, realpathSync } from "node:fs";
import { createRequire, isBuiltin, registerHooks } from "node:module";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isInPackages, ownFile, ownFormat, ownPackageFile } from "./own-file.ts";
import { TYPESCRIPT } from "./typescript-endings.ts";

interface ImportGuardOptions {
  /** The addon's folder, or its one file; the real path. */
  readonly root: string;
  /** What `induscode/addons` resolves to. */
  readonly kit: string;
  /** Where its compiled TypeScript is; undefined if it has none. */
  readonly compiled: string | undefined;
}

const KIT_NAME = "induscode/addons";
const HOST_NAME = "induscode/addons/host";
const NOT_FOUND: readonly unknown[] = [
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
];

/** From now on every import and require of this process goes through the guard. */
export function guardImports({ root, kit, compiled }: ImportGuardOptions): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (isBuiltin(specifier)) return next(specifier, context);
      if (specifier === KIT_NAME) return { url: kit, shortCircuit: true };
      if (specifier === HOST_NAME)
        throw refused(specifier, `it is for programs that host addons; an addon imports ${KIT_NAME}`);
      const isRequire = context.conditions.includes("require");
      const target = asPath(specifier, context.parentURL, isRequire);
      if (target === "other") throw refused(specifier, "only files can be imported");
      if (target === "package") {
        const found = resolvePackage(specifier, isRequire, { root, context, next });
        if (!found.url.startsWith("file:") || !isInside(root, realPath(fileURLToPath(found.url))))
          throw refused(specifier, packageHint(root));
        return found;
      }
      if (!isInside(root, target)) throw refused(specifier, outside(root));
      const path = ownFile(target);
      if (path === undefined) throw notFound(specifier, target, context.parentURL, isRequire);
      const real = realPath(path);
      if (!isInside(root, real)) throw refused(specifier, outside(root));
      return { url: pathToFileURL(real).href + suffixOf(specifier, isRequire), shortCircuit: true };
    },
    load(url, context, next) {
      const path = url.startsWith("file:") ? fileURLToPath(url) : "";
      if (!isInside(root, path)) return next(url, context);
      if (TYPESCRIPT.includes(extname(path)))
        return { ...readCompiled(root, path, compiled), shortCircuit: true };
      if (isInPackages(root, path)) return next(url, context);
      let text: string | undefined;
      const read = (): string => {
        text ??= readFileSync(path, "utf8");
        return text;
      };
      const format = ownFormat(root, path, read);
      // Node requires imports of JSON to declare it.
      if (format === "json") return next(url, { ...context, format });
      return { format, source: read(), shortCircuit: true };
    },
  });
}

interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean | undefined;
}

interface Resolution {
  readonly root: string;
  readonly context: { readonly parentURL?: string | undefined };
  readonly next: (specifier: string, context?: { readonly parentURL?: string }) => Resolved;
}

/**
 * Resolves as Node does, but without looking for a package.json above the addon: unless the addon has its own, the importer
 * is placed next to the packages, where Node's search ends.
 */
function resolvePackage(
  specifier: string,
  isRequire: boolean,
  { root, context, next }: Resolution,
): Resolved {
  const parent = context.parentURL?.startsWith("file:") ? fileURLToPath(context.parentURL) : root;
  const hasScope = isInPackages(root, parent) || ownPackageFile(root, parent) !== undefined;
  if (!hasScope && specifier.startsWith("#"))
    throw refused(specifier, "names with a # come from a package.json, and the addon has none of its own");
  const asker = pathToFileURL(join(dirname(parent), "node_modules", "asks.js")).href;
  try {
    if (hasScope) return next(specifier);
    if (!isRequire) return next(specifier, { ...context, parentURL: asker });
    return { url: pathToFileURL(createRequire(asker).resolve(specifier)).href, shortCircuit: true };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    // Node's permissions deny looking for a package further up, outside the addon's folder.
    if (code === "ERR_ACCESS_DENIED") throw refused(specifier, "the addon may not read it", error);
    if (!NOT_FOUND.includes(code)) throw error;
    throw refused(specifier, "it is not in the addon's own node_modules", error);
  }
}

/** In Node's words. */
function notFound(specifier: string, path: string, parentUrl: string | undefined, isRequire: boolean): Error {
  const by = parentUrl?.startsWith("file:") ? fileURLToPath(parentUrl) : "the addon";
  const message = `Cannot find module '${isRequire ? specifier : path}' imported from ${by}`;
  return Object.assign(new Error(message), { code: isRequire ? "MODULE_NOT_FOUND" : "ERR_MODULE_NOT_FOUND" });
}

/** The part of a URL that makes two modules of one file. */
function suffixOf(specifier: string, isRequire: boolean): string {
  if (isRequire) return "";
  const { search, hash } = new URL(specifier, "file:///");
  return search + hash;
}

/** The path that a specifier names directly; `package` for a bare name, `other` for what is not a file. */
function asPath(specifier: string, parentUrl: string | undefined, isRequire: boolean): string {
  const parent = parentUrl?.startsWith("file:") ? parentUrl : undefined;
  if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..") {
    if (isRequire && specifier.startsWith("/")) return resolve(specifier);
    if (parent === undefined && !specifier.startsWith("/")) return "other";
    // require takes a path, import a URL.
    if (isRequire) return resolve(dirname(fileURLToPath(parent ?? "")), specifier);
    return fileURLToPath(new URL(specifier, parent ?? "file:///"));
  }
  if (specifier.startsWith("file:")) return fileURLToPath(specifier);
  return /^[a-z][a-z0-9+.-]*:/i.test(specifier) ? "other" : "package";
}

function readCompiled(
  root: string,
  path: string,
  compiled: string | undefined,
): { readonly format: "module" | "commonjs"; readonly source: string } {
  const name = path === root ? basename(path) : relative(root, path);
  for (const [ending, format] of [
    [".mjs", "module"],
    [".cjs", "commonjs"],
  ] as const) {
    if (compiled === undefined) break;
    try {
      return { format, source: readFileSync(join(compiled, name + ending), "utf8") };
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "ENOENT") throw error;
    }
  }
  const left = "TypeScript in node_modules and in folders whose name begins with a dot is not compiled";
  throw new Error(`${path} cannot be imported: it was not compiled (${left})`);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // Node reports what is wrong with it when loading it
  }
}

function refused(specifier: string, why: string, cause?: unknown): Error {
  const message = `import of "${specifier}" is refused: ${why}`;
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { code: "ERR_INDUS_IMPORT_REFUSED" });
}

function outside(root: string): string {
  return (
    `it is outside the addon, and trust covers only ${root}; an addon may import node: modules, ${KIT_NAME} and its own ` +
    "files. Make the addon a folder and put the file in it"
  );
}

function packageHint(root: string): string {
  return `the package is not in the addon's own node_modules, and trust covers only ${root}. Install it there`;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root + sep);
}

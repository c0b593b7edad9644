// What an addon may import: Node's own modules, the kit, and files of its own folder, by their real paths. All of that,
// and nothing else, is what its trust covers. The sandbox holds the boundary; this says in words what was wrong.

import { readFileSync, realpathSync } from "node:fs";
import { isBuiltin, registerHooks } from "node:module";
import { basename, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { TYPESCRIPT } from "./typescript-endings.ts";

export interface ImportGuardOptions {
  /** The addon's folder, or the one file that it is; its real path. */
  readonly root: string;
  /** What `induscode/addons` stands for. */
  readonly kit: string;
  /** Where its TypeScript lies compiled; undefined where it has none. */
  readonly compiled: string | undefined;
}

const KIT_NAME = "induscode/addons";
const HOST_NAME = "induscode/addons/host";
const NOT_FOUND: readonly unknown[] = [
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
];
/** What TypeScript's authors leave out of a path, or write as the name of the file that a compiler would make. */
const ENDINGS: readonly string[] = [
  ".ts",
  ".tsx",
  ".mts",
  ".cts",
  ".js",
  ".mjs",
  ".cjs",
  "/index.ts",
  "/index.js",
];
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

/** From now on every import and require of this process goes through the guard. */
export function guardImports({ root, kit, compiled }: ImportGuardOptions): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (isBuiltin(specifier)) return next(specifier, context);
      if (specifier === KIT_NAME) return { url: kit, shortCircuit: true };
      if (specifier === HOST_NAME)
        throw refused(specifier, `it is for programs that host addons; an addon imports ${KIT_NAME}`);
      const target = asPath(specifier, context.parentURL);
      if (target === "other") throw refused(specifier, "only files can be imported");
      if (target !== "package" && !isInside(root, target)) throw refused(specifier, outside(root));
      const resolved = resolveOwn(specifier, target, (name) => next(name, context));
      if (!resolved.url.startsWith("file:") || !isInside(root, realPath(fileURLToPath(resolved.url))))
        throw refused(specifier, target === "package" ? packageHint(root) : outside(root));
      return resolved;
    },
    load(url, context, next) {
      const path = url.startsWith("file:") ? fileURLToPath(url) : "";
      if (!TYPESCRIPT.includes(extname(path)) || !isInside(root, path)) return next(url, context);
      return { ...readCompiled(root, path, compiled), shortCircuit: true };
    },
  });
}

interface Resolved {
  readonly url: string;
}

function resolveOwn<Result extends Resolved>(
  specifier: string,
  target: string,
  next: (specifier: string) => Result,
): Result {
  let problem: unknown;
  const names = target === "package" ? [specifier] : [specifier, ...alternatives(specifier)];
  for (const name of names) {
    try {
      return next(name);
    } catch (error) {
      // The first one names the file that the author wrote.
      problem ??= error;
      const { code } = error as { readonly code?: unknown };
      // Looking for a package further up, out of the addon's folder, is denied by Node's permissions.
      if (code === "ERR_ACCESS_DENIED")
        throw refused(specifier, "it lies where the addon may not read", error);
      if (!NOT_FOUND.includes(code)) throw error;
    }
  }
  if (target === "package")
    throw refused(specifier, "it is no package of the addon's own node_modules", problem);
  throw problem;
}

function alternatives(specifier: string): readonly string[] {
  const extension = extname(specifier);
  const sources = SOURCES[extension];
  if (sources) return sources.map((source) => specifier.slice(0, -extension.length) + source);
  return ENDINGS.map((ending) => specifier.replace(/\/$/, "") + ending);
}

/** The path that a specifier names by itself; `package` for a bare name, `other` for what is no file. */
function asPath(specifier: string, parentUrl: string | undefined): string {
  if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..") {
    if (specifier.startsWith("/")) return specifier;
    return parentUrl?.startsWith("file:") ? fileURLToPath(new URL(specifier, parentUrl)) : "other";
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
    return path; // Node says what is wrong with it when it loads it
  }
}

function refused(specifier: string, why: string, cause?: unknown): Error {
  const message = `import of "${specifier}" is refused: ${why}`;
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { code: "ERR_INDUS_IMPORT_REFUSED" });
}

function outside(root: string): string {
  return (
    `it lies outside the addon, and trust covers ${root} only; an addon imports node: modules, ${KIT_NAME} and its own ` +
    "files. Make the addon a folder and put the file into it"
  );
}

function packageHint(root: string): string {
  return `the package is not in the addon's own node_modules, and trust covers ${root} only. Install it there`;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root + sep);
}

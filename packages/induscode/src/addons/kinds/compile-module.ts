// Compiles TypeScript to JavaScript before an addon's process starts: the process then needs no compiler, and a start that
// finds everything compiled costs one hash of the sources. Only trusted sources get here.

import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { describeError, readBoundedFile } from "indusagi/core";
import { readJson } from "../../store/json.ts";
import { LoaderError } from "../contract.ts";
import { TYPESCRIPT } from "../runners/typescript-endings.ts";
import { type CompiledFile, createCompiledCache } from "./compiled-cache.ts";
import type { LoadCompiler, SourceCompiler } from "./source-compiler.ts";

interface CompiledModule {
  /** Contains `<path of the source>.mjs` or `.cjs` for each source; undefined if there is no TypeScript. */
  readonly folder: string | undefined;
  readonly warnings: readonly string[];
}

interface CompileOptions {
  /** The product's home folder; compiled files are kept below it. */
  readonly home: string;
  /** The compiler; requested only if something has to be compiled. */
  readonly compiler: LoadCompiler;
}

const MAX_SOURCES = 2_000;
const MAX_PACKAGE_JSON_BYTES: number = 256 * 1024;
const MAX_SOURCE_BYTES: number = 4 * 1024 * 1024;
/** Part of the key: output of another compiler version or in another layout must not be found. */
const FORMAT = "indus modules 1, oxc-transform 0.158.0";

/**
 * Compiles every TypeScript file of an addon's folder, or its one file, unless exactly these bytes were compiled before.
 * Rejects with a {@link LoaderError}: `invalid` for a syntax error, with its place; `io` otherwise.
 */
export async function compileModule(
  root: string,
  { home, compiler }: CompileOptions,
): Promise<CompiledModule> {
  const sources = readSources(root);
  if (sources.length === 0) return { folder: undefined, warnings: [] };
  const cache = createCompiledCache(home);
  const key = keyOf(sources);
  const known = cache.find(key);
  if (known !== undefined) return { folder: known, warnings: [] };
  const { compile, warnings, isFallback } = await compiler();
  // Stored separately, so that the better compiler's output replaces it once that compiler is available.
  const name = isFallback ? `${key}-stripped` : key;
  const folder = cache.find(name) ?? cache.store(name, await compileAll(sources, compile));
  return { folder, warnings };
}

async function compileAll(
  sources: readonly Source[],
  compile: SourceCompiler["compile"],
): Promise<readonly CompiledFile[]> {
  const compiled: CompiledFile[] = [];
  for (const { name, path, bytes, isModule } of sources) {
    const { code, format } = await compile({ path, text: bytes.toString("utf8"), isModule });
    compiled.push({ name: `${name}${format === "module" ? ".mjs" : ".cjs"}`, code });
  }
  return compiled;
}

interface Source {
  /** Its `/`-separated path in the folder. */
  readonly name: string;
  readonly path: string;
  readonly bytes: Buffer;
  readonly isModule: boolean;
}

/** In sorted order. Symlinks are skipped: their target is compiled where it is, or does not belong to the addon. */
function readSources(root: string): readonly Source[] {
  try {
    const isFolder = lstatSync(root).isDirectory();
    const folder = isFolder ? root : dirname(root);
    const names = isFolder ? sourceNames(root) : isSource(root) ? [basename(root)] : [];
    let left = MAX_SOURCE_BYTES;
    return names.map((name) => {
      const path = join(folder, name);
      const bytes = readBoundedFile(path, left);
      left -= bytes.length;
      const isNamedSo = extname(name) === ".mts";
      const mayBeSaidSo = isFolder && extname(name) !== ".cts";
      return { name, path, bytes, isModule: isNamedSo || (mayBeSaidSo && isInModulePackage(root, name)) };
    });
  } catch (cause) {
    if (cause instanceof LoaderError) throw cause;
    const limit = `at most ${MAX_SOURCES} files with ${MAX_SOURCE_BYTES} bytes in total are compiled`;
    const detail = `its TypeScript cannot be read: ${describeError(cause)} (${limit})`;
    throw new LoaderError({ kind: "io", path: root }, detail, { cause });
  }
}

function sourceNames(root: string): readonly string[] {
  const names: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules" && !entry.name.startsWith(".")) folders.push(name);
      } else if (entry.isFile() && isSource(name)) names.push(name);
      if (names.length > MAX_SOURCES) throw new Error(`it has more than ${MAX_SOURCES} TypeScript files`);
    }
  }
  return names.sort();
}

/** Declaration files contain nothing to run. */
function isSource(name: string): boolean {
  return TYPESCRIPT.includes(extname(name)) && !/\.d\.[cm]?ts$/.test(name);
}

/** Whether the nearest package.json, up to the addon's own folder, says that its files are modules. */
function isInModulePackage(root: string, name: string): boolean {
  for (let folder = dirname(name); ; folder = dirname(folder)) {
    const path = join(root, folder, "package.json");
    if (existsSync(path)) return typeOf(path) === "module";
    if (folder === ".") return false;
  }
}

function typeOf(packageFile: string): unknown {
  try {
    return (readJson(packageFile, MAX_PACKAGE_JSON_BYTES) as { type?: unknown } | null)?.type;
  } catch (cause) {
    const detail = `it cannot be read: ${describeError(cause)}`;
    throw new LoaderError({ kind: "invalid", path: packageFile }, detail, { cause });
  }
}

/** Hashes the bytes that are compiled, not the trusted ones: a file may change between the two. */
function keyOf(sources: readonly Source[]): string {
  const hash = createHash("sha256").update(`${FORMAT}\0`);
  for (const { name, bytes, isModule } of sources)
    hash.update(`${isModule ? "module" : "any"}\0${name}\0${bytes.length}\0`).update(bytes);
  return hash.digest("hex");
}

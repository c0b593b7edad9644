// TypeScript to JavaScript, before an addon's process starts: the process then needs no compiler, and a start that finds
// everything compiled costs one hash of the sources. Only trusted sources come here.

import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { describeError, nowMs } from "indusagi/core";
import { readBoundedFile } from "../bounded-file.ts";
import { LoaderError } from "../contract.ts";
import { type CompiledSource, loadCompiler, type SourceCompiler } from "./source-compiler.ts";

export interface CompiledModule {
  /** Holds `<path of the source>.mjs` or `.cjs` for each source; undefined where there is no TypeScript. */
  readonly folder: string | undefined;
  readonly warnings: readonly string[];
}

export interface CompileOptions {
  /** The product's home folder; what is compiled is kept below it. */
  readonly home: string;
  /** For tests: what compiles. */
  readonly load?: () => Promise<SourceCompiler>;
}

const MAX_SOURCES = 2_000;
const MAX_SOURCE_BYTES = 16 * 1024 * 1024;
/** Part of the key: compiled by another version, or laid out in another way, is not what is looked for. */
const FORMAT = "indus modules 1, oxc-transform 0.158.0";
const TYPESCRIPT: readonly string[] = [".ts", ".tsx", ".mts", ".cts"];
/** What was compiled and not used for so long is removed, and so is what is too much. */
const KEEP_MS: number = 30 * 24 * 60 * 60 * 1000;
const KEEP_ENTRIES = 200;

/**
 * Compiles every TypeScript file of an addon's folder, or the one file that it is, unless these very bytes were compiled
 * before. Rejects with a {@link LoaderError}: `invalid` for a syntax error, with its place; `io` otherwise.
 */
export async function compileModule(
  root: string,
  { home, load = loadCompiler }: CompileOptions,
): Promise<CompiledModule> {
  const sources = readSources(root);
  if (sources.length === 0) return { folder: undefined, warnings: [] };
  const cache = join(home, "cache", "modules");
  const folder = join(cache, keyOf(sources));
  if (isUsable(folder)) return { folder, warnings: storedWarnings(folder) };
  const compiler = await load();
  const compiled: CompiledFile[] = [];
  for (const source of sources)
    compiled.push({ name: source.name, ...(await compileOne(root, source, compiler)) });
  try {
    store(folder, compiled, compiler.warnings);
    sweep(cache, basename(folder));
  } catch (cause) {
    throw new LoaderError({ kind: "io", path: folder }, `cannot be written: ${describeError(cause)}`, {
      cause,
    });
  }
  return { folder, warnings: compiler.warnings };
}

interface Source {
  /** Its `/`-separated path in the folder. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly isCommonJs: boolean;
}

interface CompiledFile extends CompiledSource {
  readonly name: string;
}

/** In sorted order. Links are left out: what they lead to is compiled where it lies, or does not belong to the addon. */
function readSources(root: string): readonly Source[] {
  try {
    const isFolder = lstatSync(root).isDirectory();
    const folder = isFolder ? root : dirname(root);
    const names = isFolder ? sourceNames(root) : isSource(root) ? [basename(root)] : [];
    let left = MAX_SOURCE_BYTES;
    return names.map((name) => {
      const bytes = readBoundedFile(join(folder, name), left);
      left -= bytes.length;
      return { name, bytes, isCommonJs: isFolder ? isCommonJs(root, name) : extname(name) === ".cts" };
    });
  } catch (cause) {
    if (cause instanceof LoaderError) throw cause;
    const limit = `at most ${MAX_SOURCES} files with ${MAX_SOURCE_BYTES} bytes together are compiled`;
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

/** Declarations hold nothing that runs. */
function isSource(name: string): boolean {
  return TYPESCRIPT.includes(extname(name)) && !/\.d\.[cm]?ts$/.test(name);
}

/** Node's rule for JavaScript, but for a package that does not say: what is written in TypeScript is a module then. */
function isCommonJs(root: string, name: string): boolean {
  const extension = extname(name);
  if (extension === ".cts" || extension === ".mts") return extension === ".cts";
  for (let folder = dirname(name); ; folder = dirname(folder)) {
    const path = join(root, folder, "package.json");
    if (existsSync(path)) return typeOf(path) === "commonjs";
    if (folder === ".") return false;
  }
}

function typeOf(packageFile: string): unknown {
  try {
    return (
      JSON.parse(readBoundedFile(packageFile, 256 * 1024).toString("utf8")) as { type?: unknown } | null
    )?.type;
  } catch (cause) {
    const detail = `it cannot be read: ${describeError(cause)}`;
    throw new LoaderError({ kind: "invalid", path: packageFile }, detail, { cause });
  }
}

/** Of the bytes that are compiled, and not of what trust was given to: a file may change between the two. */
function keyOf(sources: readonly Source[]): string {
  const hash = createHash("sha256").update(`${FORMAT}\0`);
  for (const { name, bytes, isCommonJs } of sources)
    hash.update(`${isCommonJs ? "cjs" : "mjs"}\0${name}\0${bytes.length}\0`).update(bytes);
  return hash.digest("hex");
}

async function compileOne(
  root: string,
  { name, bytes, isCommonJs }: Source,
  compiler: SourceCompiler,
): Promise<CompiledSource> {
  const path = root.endsWith(`/${name}`) && !lstatSync(root).isDirectory() ? root : join(root, name);
  return compiler.compile({ path, text: bytes.toString("utf8"), isCommonJs });
}

const WARNINGS_FILE = "warnings.json";

/** Whole or not at all: of two that compile the same at one time, one wins and both are right. */
function store(folder: string, files: readonly CompiledFile[], warnings: readonly string[]): void {
  const fresh = `${folder}.new-${process.pid}-${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(fresh, { recursive: true, mode: 0o700 });
    for (const { name, code, format } of files) {
      const path = join(fresh, `${name}${format === "module" ? ".mjs" : ".cjs"}`);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, code, { mode: 0o600 });
    }
    if (warnings.length > 0)
      writeFileSync(join(fresh, WARNINGS_FILE), JSON.stringify(warnings), { mode: 0o600 });
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else the other one won
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A complete folder is there by its name alone; that it was used is noted in its time. */
function isUsable(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const now = new Date(nowMs());
  utimesSync(folder, now, now);
  return true;
}

function storedWarnings(folder: string): readonly string[] {
  const path = join(folder, WARNINGS_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as readonly string[]) : [];
}

function sweep(cache: string, keep: string): void {
  const entries = readdirSync(cache)
    .filter((name) => name !== keep)
    .flatMap((name) => {
      const info = statSync(join(cache, name), { throwIfNoEntry: false });
      return info ? [{ name, usedMs: info.mtimeMs }] : [];
    })
    .sort((one, other) => other.usedMs - one.usedMs);
  const oldest = nowMs() - KEEP_MS;
  for (const [at, { name, usedMs }] of entries.entries())
    if (at >= KEEP_ENTRIES || usedMs < oldest) rmSync(join(cache, name), { recursive: true, force: true });
}

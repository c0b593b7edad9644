// Compiles one TypeScript file to JavaScript, in the compiler's own process: with oxc-transform's binary, or Node's own
// type stripping if that is missing. The host never calls any of this: a parser may end its process.

import { basename, extname } from "node:path";
import { errorText } from "./error-text.ts";
import { formatOf, type ModuleFormat } from "./module-format.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Its name or its package says that it is a module; otherwise its own syntax decides, as in Node. */
  readonly isModule: boolean;
}

export interface CompiledSource {
  /** Ends with its source map, so that an addon's stacks show its own lines. */
  readonly code: string;
  readonly format: ModuleFormat;
}

/** Why a file is not TypeScript, and where, counted from 1. */
export interface SourceProblem {
  readonly problem: string;
  readonly line?: number;
  readonly column?: number;
}

export type CompileSource = (file: SourceFile) => CompiledSource | SourceProblem;

type Oxc = Pick<typeof import("oxc-transform"), "transformSync">;
type OxcError = import("oxc-transform").OxcError;

/** The first of these native libraries that can be loaded; throws the reason of the last failure. */
export function loadBinding(files: readonly string[]): Oxc {
  let problem: unknown = new Error("it is not installed for this system");
  for (const file of files) {
    try {
      // Not through the package's entry point, which searches the system for files this process may not read.
      const binding: { exports: unknown } = { exports: {} };
      process.dlopen(binding, file);
      return binding.exports as Oxc;
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

export function oxcCompiler({ transformSync }: Oxc): CompileSource {
  return ({ path, text, isModule }) => {
    const name = basename(path);
    let problem: OxcError | undefined;
    for (const sourceType of sourceTypesOf(name, isModule)) {
      const { code, map, errors } = transformSync(name, text, {
        sourceType,
        target: "es2024",
        sourcemap: true,
      });
      const error = errors.find(({ severity }) => severity === "Error");
      if (!error)
        return { code: map === undefined ? code : withMap(code, map), format: formatOf(code, isModule) };
      problem ??= error;
    }
    const detail = [problem?.message, problem?.helpMessage].filter(Boolean).join(". ");
    return { problem: detail, ...placeOf(text, problem?.labels[0]?.start ?? 0) };
  };
}

/** The kinds of source to try, the likelier first. */
function sourceTypesOf(name: string, isModule: boolean): readonly ("module" | "commonjs")[] {
  if (isModule) return ["module"];
  return extname(name) === ".cts" ? ["commonjs", "module"] : ["module", "commonjs"];
}

/** Only erasable syntax can be compiled this way: no enum, no namespace with values, no parameter property, no JSX. */
export function strippingCompiler(): CompileSource {
  return ({ path, text, isModule }) => {
    if (extname(path) === ".tsx") return { problem: "a .tsx file cannot be compiled without oxc-transform" };
    try {
      // Every other character is left where it was, so no map is needed.
      const code = process.getBuiltinModule("node:module").stripTypeScriptTypes(text);
      return { code, format: formatOf(code, isModule) };
    } catch (error) {
      return { problem: errorText(error) };
    }
  };
}

function withMap(code: string, map: object): string {
  const data = Buffer.from(JSON.stringify(map)).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${data}\n`;
}

/** The compiler counts in bytes; line and column are counted from 1. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = Buffer.from(text).subarray(0, offset).toString("utf8");
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}

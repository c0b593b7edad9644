// What turns one TypeScript file into JavaScript: oxc-transform, or Node's own type stripping where its binary is missing.

import { basename, extname } from "node:path";
import { Script } from "node:vm";
import { describeError } from "indusagi/core";
import { LoaderError } from "../contract.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Its name or its package says that it is a module; otherwise its own syntax tells, as in Node. */
  readonly isModule: boolean;
}

export interface CompiledSource {
  /** Ends with its source map, so that an addon's stacks name its own lines. */
  readonly code: string;
  readonly format: "module" | "commonjs";
}

export interface SourceCompiler {
  /** Rejects with a {@link LoaderError} of kind `invalid` for what is no TypeScript, with its place. */
  readonly compile: (file: SourceFile) => Promise<CompiledSource>;
  readonly warnings: readonly string[];
  /** It stands in for a better one, which may be there next time. */
  readonly isFallback: boolean;
}

/** The compiler of this machine. Costs 10 ms, so it is asked for only once something has to be compiled. */
export async function loadCompiler(): Promise<SourceCompiler> {
  try {
    return oxcCompiler(await import("oxc-transform"));
  } catch (error) {
    return strippingCompiler(error);
  }
}

type Oxc = typeof import("oxc-transform");
type OxcError = import("oxc-transform").OxcError;

function oxcCompiler({ transform }: Oxc): SourceCompiler {
  return {
    isFallback: false,
    warnings: [],
    async compile({ path, text, isModule }) {
      const name = basename(path);
      let problem: OxcError | undefined;
      for (const sourceType of sourceTypesOf(name, isModule)) {
        const { code, map, errors } = await transform(name, text, {
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
      throw new LoaderError({ kind: "invalid", path }, detail, placeOf(text, problem?.labels[0]?.start ?? 0));
    },
  };
}

/** As what a source may be read, the likelier first. */
function sourceTypesOf(name: string, isModule: boolean): readonly ("module" | "commonjs")[] {
  if (isModule) return ["module"];
  return extname(name) === ".cts" ? ["commonjs", "module"] : ["module", "commonjs"];
}

/**
 * Only what is erasable can be compiled this way: no enum, no namespace with values, no parameter property, no JSX.
 * `cause` is why the better compiler is not there.
 */
export function strippingCompiler(cause: unknown): SourceCompiler {
  return {
    isFallback: true,
    warnings: [
      `oxc-transform cannot be loaded here (${describeError(cause)}); Node's own type stripping stands in, without enums, ` +
        "namespaces, parameter properties and .tsx. Install the product again, with its optional packages.",
    ],
    async compile({ path, text, isModule }) {
      try {
        if (extname(path) === ".tsx") throw new Error("a .tsx file cannot be compiled without oxc-transform");
        // Every other character is left where it was, so no map is needed.
        const code = process.getBuiltinModule("node:module").stripTypeScriptTypes(text);
        return { code, format: formatOf(code, isModule) };
      } catch (error) {
        throw new LoaderError({ kind: "invalid", path }, describeError(error), { cause: error });
      }
    },
  };
}

function withMap(code: string, map: object): string {
  const data = Buffer.from(JSON.stringify(map)).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${data}\n`;
}

/** What is no module by its name or package, is CommonJS if it can be: `import` and `export` cannot stand in a function. */
function formatOf(code: string, isModule: boolean): CompiledSource["format"] {
  if (isModule) return "module";
  try {
    // Parsed and never run.
    new Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    return "commonjs";
  } catch {
    return "module";
  }
}

/** The compiler counts in bytes; both from 1. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = Buffer.from(text).subarray(0, offset).toString("utf8");
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}

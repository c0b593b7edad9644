// What turns one TypeScript file into JavaScript: oxc-transform, or Node's own type stripping where its binary is missing.

import { stripTypeScriptTypes } from "node:module";
import { basename, extname } from "node:path";
import { describeError } from "indusagi/core";
import { LoaderError } from "../contract.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly isCommonJs: boolean;
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

function oxcCompiler({ transform }: Oxc): SourceCompiler {
  return {
    warnings: [],
    async compile({ path, text, isCommonJs }) {
      const format = isCommonJs ? "commonjs" : "module";
      const { code, map, errors } = await transform(basename(path), text, {
        // A .ts file is a module or a script by what stands around it, not by its name.
        sourceType: isCommonJs ? "commonjs" : "module",
        target: "es2024",
        sourcemap: true,
      });
      const [error] = errors.filter(({ severity }) => severity === "Error");
      if (error) {
        const [label] = error.labels;
        const detail = [error.message, error.helpMessage].filter(Boolean).join(". ");
        throw new LoaderError({ kind: "invalid", path }, detail, placeOf(text, label?.start ?? 0));
      }
      return { code: map === undefined ? code : withMap(code, map), format };
    },
  };
}

/**
 * Only what is erasable can be compiled this way: no enum, no namespace with values, no parameter property, no JSX.
 * `cause` is why the better compiler is not there.
 */
export function strippingCompiler(cause: unknown): SourceCompiler {
  return {
    warnings: [
      `oxc-transform cannot be loaded here (${describeError(cause)}); Node's own type stripping stands in, without enums, ` +
        "namespaces, parameter properties and .tsx. Install the product again, with its optional packages.",
    ],
    async compile({ path, text, isCommonJs }) {
      try {
        if (extname(path) === ".tsx") throw new Error("a .tsx file cannot be compiled without oxc-transform");
        // Every other character is left where it was, so no map is needed.
        return { code: stripTypeScriptTypes(text), format: isCommonJs ? "commonjs" : "module" };
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

/** The compiler counts in characters of JavaScript; both from 1. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}

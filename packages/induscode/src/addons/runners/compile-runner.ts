// The compiler's process: node compile-runner [BINDING...]. It first reports which compiler it has; then each input line is
// one file to compile, and each output line its result. It reads and writes nothing but these lines.

import {
  type CompileSource,
  loadBinding,
  oxcCompiler,
  type SourceFile,
  strippingCompiler,
} from "./compile-source.ts";
import { errorText } from "./error-text.ts";
import { createLineSplitter, writeOut } from "./pipe-lines.ts";

/** The first line. `missing` is why the better compiler is not available. */
export interface CompilerHello {
  readonly missing?: string | undefined;
}

const { compile, ...hello } = chooseCompiler();
writeOut(`${JSON.stringify(hello satisfies CompilerHello)}\n`);
process.stdin.on(
  "data",
  createLineSplitter((line) => writeOut(`${JSON.stringify(answer(line))}\n`)),
);
process.stdin.on("error", () => process.exit(1));

function chooseCompiler(): CompilerHello & { readonly compile: CompileSource } {
  try {
    return { compile: oxcCompiler(loadBinding(process.argv.slice(2))) };
  } catch (error) {
    return { compile: strippingCompiler(), missing: errorText(error) };
  }
}

function answer(line: string): ReturnType<CompileSource> {
  try {
    return compile(JSON.parse(line) as SourceFile);
  } catch (error) {
    return { problem: errorText(error) };
  }
}

import { Script } from "node:vm";

export type ModuleFormat = "module" | "commonjs";

/** What is not a module by its name or package, is CommonJS if it can be: `import` and `export` cannot be in a function. */
export function formatOf(code: string, isModule: boolean): ModuleFormat {
  if (isModule) return "module";
  try {
    // Parsed and never run.
    new Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    return "commonjs";
  } catch {
    return "module";
  }
}

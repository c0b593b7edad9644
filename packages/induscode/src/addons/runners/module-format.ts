import { Script } from "node:vm";

export type ModuleFormat = "module" | "commonjs";

/** Without a module name or package type, code is CommonJS if it can be: `import` and `export` cannot appear in a function. */
export function formatOf(code: string, isModule: boolean): ModuleFormat {
  if (isModule) return "module";
  try {
    // Parsed, never run.
    new Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    return "commonjs";
  } catch {
    return "module";
  }
}

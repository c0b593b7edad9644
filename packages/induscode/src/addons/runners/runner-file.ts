// Where the programs that run in an addon's own process lie: as sources next to this file, and as separate files in the
// built product.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export type RunnerName = "module-runner" | "wasm-runner" | "compile-runner" | "landlock-launcher";

export interface RunnerFile {
  /** Absolute; what Node runs. */
  readonly path: string;
  /** What it reads while it starts. */
  readonly readable: readonly string[];
}

/** Next to this file, or in the folder of the parts that run confined; in the built product all are in one folder. */
const FOLDERS: Readonly<Record<RunnerName, string>> = {
  "module-runner": ".",
  "wasm-runner": ".",
  "compile-runner": ".",
  "landlock-launcher": "../sandbox",
};
/** What the sources import from outside their own folder: relative to this file. */
const IMPORTS: Readonly<Record<RunnerName, readonly string[]>> = {
  "module-runner": ["../kit", "../process/protocol", "../../feature"],
  "wasm-runner": ["../process/protocol", "../../feature"],
  "compile-runner": ["../process/protocol", "../../feature"],
  "landlock-launcher": [],
};

/** The file of a runner. Throws if the product is incomplete. */
export function runnerFile(name: RunnerName): RunnerFile {
  const here = dirname(fileURLToPath(import.meta.url));
  const built = join(here, `${name}.mjs`);
  if (existsSync(built)) {
    // A separate bundle; the kit is a second file, because addons import it too.
    const kit = join(here, "addon-kit.mjs");
    return { path: built, readable: name === "module-runner" ? [built, kit] : [built] };
  }
  const folder = join(here, FOLDERS[name]);
  const path = join(folder, `${name}.ts`);
  if (!existsSync(path)) throw new Error(`the product is incomplete: ${name} is missing next to ${here}`);
  return {
    path,
    readable: [
      ...new Set([here, folder, ...IMPORTS[name].map((part) => join(here, part)), packageFile(here)]),
    ],
  };
}

/** An addon of ours with all that it needs, which only the bundle has: the sources use that, too. */
export function bundledAddon(name: "mcp-addon" | "hooks-addon"): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [".", "../../../dist/app"].map((folder) => join(here, folder, `${name}.mjs`));
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`the product is incomplete: ${name}.mjs is missing`);
  return found;
}

/** The package.json which declares that the package's files are modules. */
function packageFile(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) return path;
    if (folder === dirname(folder))
      throw new Error(`the product is incomplete: no package.json above ${from}`);
  }
}

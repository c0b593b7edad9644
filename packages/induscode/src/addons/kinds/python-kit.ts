import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that contains the Python package `induscode`, found both from the built files and from the sources. */
export function pythonKit(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "python", "induscode", "__init__.py"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the product is incomplete: python/induscode is missing");
    folder = parent;
  }
  return join(folder, "python");
}

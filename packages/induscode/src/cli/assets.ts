import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file or folder that ships with the product; found from the built files as well as from the sources. */
export function assetPath(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "assets", name))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`the product is incomplete: assets/${name} is missing`);
    folder = parent;
  }
  return join(folder, "assets", name);
}

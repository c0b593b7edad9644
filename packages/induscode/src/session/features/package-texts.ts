// The skills, commands and agents of the person's packages: read only from a folder whose content they agreed to, as its code is run.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PLUGIN_PARTS } from "../../addons/source/plugin-file.ts";
import { homePath } from "../../store/home-files.ts";
import type { FoundPackageTexts } from "./trusted-texts.ts";

/** Those of this home. Without any, nothing is hashed. */
export async function packageTexts(home: string): Promise<FoundPackageTexts> {
  const root = homePath(home, "packages");
  const names = existsSync(root) ? readdirSync(root) : [];
  const found = names.filter((name) => !name.startsWith(".") && existsSync(join(root, name, PLUGIN_PARTS)));
  if (found.length === 0) return { packages: [], diagnostics: [] };
  return (await import("./trusted-texts.ts")).trustedTexts(root, found.sort(), home);
}

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether git would find a repository from this folder on. */
export function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}

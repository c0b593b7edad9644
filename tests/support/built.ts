// The built product, for what starts it: it is built when its sources changed. `npm test` has done so before.

import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../../scripts/setup.mjs";

let isFresh = process.env.INDUS_BUILT !== undefined;

/** Where the built product lies. */
export function builtFolder(): string {
  if (!isFresh) ensureBuilt();
  isFresh = true;
  return fileURLToPath(new URL("../../packages/induscode/dist/app", import.meta.url));
}

/** The command, as a person starts it. */
export function builtCommand(): string {
  builtFolder();
  return fileURLToPath(new URL("../../packages/induscode/bin/indus", import.meta.url));
}

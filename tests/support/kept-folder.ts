// What one test run makes for the next: it lies beside the dependencies and goes with them. Everything in it is found by what it was
// made from, so nothing there is ever out of date.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT: string = fileURLToPath(new URL("../../node_modules/.cache/indus-tests", import.meta.url));

/** A folder that outlives the run. */
export function keptFolder(name: string): string {
  const folder = join(ROOT, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

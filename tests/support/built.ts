// The built product, for what starts it: it is built when its sources changed. `npm test` has done so before.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** For INDUS_NODE: V8 takes no code with this flag that was made without it, so it keeps its own in the person's cache folder. */
export function nodeWithoutCode(): string {
  const program = join(mkdtempSync(join(tmpdir(), "indus-node-")), "node");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --expose-gc "$@"\n`, { mode: 0o755 });
  return program;
}

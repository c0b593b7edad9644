// The built product, for tests that start it: built when its sources have changed. `npm test` has already done so.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../../scripts/setup.mjs";

let isFresh = process.env.INDUS_BUILT !== undefined;

/** The folder of the built product. */
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

/** For INDUS_NODE: V8 rejects code compiled without this flag, so such a Node keeps its own in the person's cache folder. */
export function nodeWithoutCode(): string {
  const program = join(mkdtempSync(join(tmpdir(), "indus-node-")), "node");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --expose-gc "$@"\n`, { mode: 0o755 });
  return program;
}

// One temporary folder for everything that a run of the tests makes. It goes with the run: what a test that failed or was
// killed could not remove is not left on the machine. What Node has compiled of the sources lies there too, for each process of
// the tests that runs them: a start from source costs a third of what the first one costs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "indus-run-"));
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, "code");
  return () => rmSync(folder, { recursive: true, force: true });
}

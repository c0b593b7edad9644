// One temporary folder for everything that a test run creates. It is removed with the run: leftovers of tests that failed or were
// killed do not stay on the machine. Node's compiled sources are there too, for each test process that runs them: with them a start
// from source costs a third of the first one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "indus-run-"));
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, "code");
  return () => rmSync(folder, { recursive: true, force: true });
}

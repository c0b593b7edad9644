// Writes the manual page of the product that was built, for the package: what `indus help man` prints.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runScript, SetupError } from "./setup.mjs";

await runScript(async () => {
  const command = join(root, "packages/induscode/bin/indus");
  const page = spawnSync(command, ["help", "man"], { encoding: "utf8" });
  if (page.status !== 0)
    throw new SetupError(`the manual page was not written: ${page.error?.message ?? page.stderr.trim()}`);
  const folder = join(root, "packages/induscode/dist/man");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "indus.1"), page.stdout);
});

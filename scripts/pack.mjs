// `npm run pack`: writes both packages as the files that `npm install -g` takes, into the folder `pack`.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, npm, root, runScript, SetupError, say } from "./setup.mjs";

const folder = join(root, "pack");

await runScript(async () => {
  ensureInstalled();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  // Each package builds what it holds (`prepack`). In this order: the second is checked against the first.
  const packed = npm([
    "pack",
    "-w",
    "packages/indusagi",
    "-w",
    "packages/induscode",
    "--pack-destination",
    "pack",
  ]);
  if (packed.status !== 0)
    throw new SetupError(`packing failed (${packed.how}); npm said:\n${packed.output.trim()}`);
  for (const name of readdirSync(folder)) say(`wrote pack/${name}`);
  say("to install them: npm install -g ./pack/*.tgz");
});

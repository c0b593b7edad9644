// `npm run protocol`: writes what is generated from the addon protocol's schema; `--check` says what of it is stale.

import { join } from "node:path";
import { ensureInstalled, root, runForeground, runScript, runtimeNode } from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  const script = join(root, "scripts/protocol/generate.mjs");
  const { code } = await runForeground(runtimeNode(), [script, ...process.argv.slice(2)]);
  process.exitCode = code ?? 1;
});

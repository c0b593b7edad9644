// `npm run conformance -- ./my-addon` or `npm run conformance -- -- COMMAND ARGS`: tests a program against the addon
// protocol. The suite itself is scripts/conformance.

import { join } from "node:path";
import { endLike, ensureInstalled, root, runForeground, runScript, runtimeNode } from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  const script = join(root, "scripts/conformance/run.mjs");
  const args = ["--conditions=indus-source", script, ...process.argv.slice(2)];
  // npm starts scripts in the project's folder; paths are meant from where the person stands.
  endLike(await runForeground(runtimeNode(), args, { cwd: process.env.INIT_CWD ?? process.cwd() }));
});

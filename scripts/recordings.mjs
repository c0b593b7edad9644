// `npm run recordings [FOLDER]`: plays a folder of recorded answers of providers through the wires, the project's own by
// default, and exits with 1 where what comes out is not what is expected. INDUS_RECORDINGS names a folder as well.

import { join } from "node:path";
import { endLike, ensureInstalled, root, runForeground, runScript, runtimeNode } from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  const program = join(root, "tests/recordings/run.ts");
  endLike(
    await runForeground(runtimeNode(), ["--conditions=indus-source", program, ...process.argv.slice(2)]),
  );
});

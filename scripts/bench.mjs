// `npm run bench -- SCENARIO...`: sets up, then measures the product against the least an agent must do.
import { endLike, ensureBuilt, ensureInstalled, runForeground, runScript, runtimeNode } from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  ensureBuilt();
  endLike(
    await runForeground(runtimeNode(), [
      "--conditions=indus-source",
      "bench/run.ts",
      ...process.argv.slice(2),
    ]),
  );
});

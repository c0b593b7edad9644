// `npm run fuzz -- ARGS`: sets up, then gives the properties of tests/fuzz a long run (`npm test` gives them a short one).
// FUZZ_RUNS is how often a cheap property is tried; FUZZ_SEED repeats a failure; ARGS go to vitest (-t "a name").
import { endLike, ensureInstalled, runForeground, runScript, runtimeNode, toolFile } from "./setup.mjs";

process.env.FUZZ_RUNS ??= "30000";

await runScript(async () => {
  ensureInstalled();
  const args = [toolFile("vitest/vitest.mjs"), "run", "tests/fuzz", ...process.argv.slice(2)];
  endLike(await runForeground(runtimeNode(), args));
});

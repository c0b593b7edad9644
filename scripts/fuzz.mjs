// `npm run fuzz -- ARGS`: sets up, then gives the properties of tests/fuzz a long run (`npm test` gives them a short one).
// FUZZ_RUNS is how often a cheap property is tried; FUZZ_SEED repeats a run, which draws a fresh seed otherwise; ARGS go
// to vitest (-t "a name").
import {
  endLike,
  ensureInstalled,
  nameFreshSeed,
  runForeground,
  runScript,
  runtimeNode,
  toolFile,
} from "./setup.mjs";

process.env.FUZZ_RUNS ??= "30000";
nameFreshSeed();

await runScript(async () => {
  ensureInstalled();
  const args = [toolFile("vitest/vitest.mjs"), "run", "tests/fuzz", ...process.argv.slice(2)];
  endLike(await runForeground(runtimeNode(), args));
});

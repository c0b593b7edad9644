// `npm run faults`: sets up, then kills sessions at 500 moments, cuts their power, and lets each call to their disk fail in turn
// (`tests/e2e/disk-faults`; `npm test` does a few of them). INDUS_FAULTS_SEED repeats a run of another seed.
import {
  endLike,
  ensureBuilt,
  ensureInstalled,
  runForeground,
  runScript,
  runtimeNode,
  toolFile,
} from "./setup.mjs";

process.env.INDUS_FAULTS = "whole";

await runScript(async () => {
  ensureInstalled();
  ensureBuilt();
  const args = [
    toolFile("vitest/vitest.mjs"),
    "run",
    "tests/e2e/disk-faults.test.ts",
    ...process.argv.slice(2),
  ];
  endLike(await runForeground(runtimeNode(), args));
});

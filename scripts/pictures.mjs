// `npm run pictures`: plays the scenes of the documents' pictures and writes docs/pictures/ anew; a test says when one is stale.
import { ensureInstalled, runForeground, runScript, runtimeNode, toolFile } from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  process.env.UPDATE_PAGES = "1";
  process.env.INDUS_TESTS = "all"; // every scene
  const args = ["run", "tests/e2e/console-pictures.test.ts"];
  const { code } = await runForeground(runtimeNode(), [toolFile("vitest/vitest.mjs"), ...args]);
  process.exitCode = code ?? 1;
});

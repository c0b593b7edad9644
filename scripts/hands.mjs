// `npm run hands -- WORD...`: situations in which a model's hands, the tools, meet what machines, files, models and people are like; each
// through the built command, held against what is right. With words, only the rows that contain one of them.
import { endLike, ensureBuilt, ensureInstalled, runForeground, runScript, runtimeNode } from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  ensureBuilt();
  const args = ["--conditions=indus-source", "bench/hands/run.ts", ...process.argv.slice(2)];
  endLike(await runForeground(runtimeNode(), args));
});

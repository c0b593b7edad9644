// `npm start -- ARGS`: sets up, then runs the built product in the folder where the person stands.
import {
  endLike,
  ensureBuilt,
  ensureInstalled,
  entryFile,
  runForeground,
  runScript,
  runtimeNode,
} from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  ensureBuilt();
  const ended = await runForeground(runtimeNode(), [entryFile, ...process.argv.slice(2)], {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    // Without a model the product then shows its rehearsal instead of asking for a key.
    env: { ...process.env, INDUS_STARTED_BY: "npm-start" },
  });
  endLike(ended);
});

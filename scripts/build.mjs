// `npm run build`: builds the product whatever the last build was made from; `--lib` writes the packages' libraries.

import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  build,
  ensureInstalled,
  root,
  runForeground,
  runScript,
  runtimeNode,
  SetupError,
  toolFile,
} from "./setup.mjs";

await runScript(async () => {
  ensureInstalled();
  if (process.argv.includes("--lib")) await buildLibraries();
  else build();
});

/** JavaScript and declarations, indusagi first: induscode's declarations are checked against indusagi's. */
async function buildLibraries() {
  rmSync(join(root, "packages/indusagi/dist"), { recursive: true, force: true });
  rmSync(join(root, "packages/induscode/dist/lib"), { recursive: true, force: true });
  for (const name of ["indusagi", "induscode"]) {
    const args = [toolFile("typescript/bin/tsc"), "-p", `packages/${name}/tsconfig.lib.json`];
    const { code } = await runForeground(runtimeNode(), args);
    if (code !== 0) throw new SetupError(`tsc could not write the library of ${name} (exit code ${code})`);
  }
  await takeIn("packages/induscode/dist/lib/tui/transcript/highlight-js.js");
}

/** Puts into a file of a library what it imports of packages: a few of the languages of one that brings two hundred. */
async function takeIn(file) {
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({ input: join(root, file), platform: "node" });
  await bundle.write({ file: join(root, file), format: "esm", comments: false, minify: true });
  await bundle.close();
}

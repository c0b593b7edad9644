// `npm run build`: builds the product whatever the last build was made from; `--lib` writes the declarations of both packages, and indusagi.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
import { thirdPartyLicences } from "./third-party.mjs";

/** Where the declarations of each package lie. */
const LIBRARIES = { indusagi: "packages/indusagi/dist", induscode: "packages/induscode/dist/lib" };

await runScript(async () => {
  ensureInstalled();
  if (process.argv.includes("--lib")) await buildLibraries();
  else build();
});

/** Declarations, indusagi's first: induscode's are checked against them. Then indusagi's own code; induscode's is the product. */
async function buildLibraries() {
  for (const [name, folder] of Object.entries(LIBRARIES)) {
    rmSync(join(root, folder), { recursive: true, force: true });
    const args = [toolFile("typescript/bin/tsc"), "-p", `packages/${name}/tsconfig.lib.json`];
    const { code } = await runForeground(runtimeNode(), args);
    if (code !== 0)
      throw new SetupError(`tsc could not write the declarations of ${name} (exit code ${code})`);
    removeUnreached(name, join(root, folder));
  }
  await bundleFramework();
}

/** Removes the declarations that no door leads to. */
function removeUnreached(name, folder) {
  const doors = Object.values(doorsOf(name)).map(({ types }) => join(root, "packages", name, types));
  const reached = new Set(doors);
  for (const file of reached)
    for (const [, to] of readFileSync(file, "utf8").matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)\.ts"/g))
      reached.add(join(dirname(file), `${to}.d.ts`));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(file)) rmSync(file);
  }
}

/** The framework's doors with what they share, and with the libraries that they need but for the two that a program installs. */
async function bundleFramework() {
  const { rolldown } = await import("rolldown");
  const folder = join(root, LIBRARIES.indusagi);
  const input = Object.entries(doorsOf("indusagi")).map(([path, door]) => [
    `${path.slice(2)}/index`,
    join(root, "packages/indusagi", door["indus-source"]),
  ]);
  const bundle = await rolldown({
    input: Object.fromEntries(input),
    platform: "node",
    external: ["@vscode/ripgrep", "pg-boss"],
    preserveEntrySignatures: "strict",
  });
  const { output } = await bundle.write({
    dir: folder,
    entryFileNames: "[name].js",
    chunkFileNames: "parts/[name]-[hash].js",
    comments: false,
  });
  await bundle.close();
  const licences = thirdPartyLicences(output.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licences);
}

function doorsOf(name) {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")).exports;
}

// Builds the WebAssembly examples from their sources: `node scripts/build-wasm.mjs [FOLDER]` writes them next to their
// sources, or into FOLDER. The compiler is a development dependency and reaches for nothing outside.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = ["examples/addons/secret-scan/secret-scan.as"];
const [folder] = process.argv.slice(2);

/** 256 pages of 64 KiB: the 16 MB of the example's manifest. */
const options = ["--optimize", "--noAssert", "--maximumMemory", "256", "--use", "abort="];

for (const source of sources) {
  const name = basename(source, ".as");
  const target = join(folder ?? join(root, source, ".."), `${name}.wasm`);
  // The compiler takes .ts files only, and the rest of the project's tools would take this one for TypeScript.
  const files = { [`${name}.ts`]: readFileSync(join(root, source), "utf8") };
  const { error, stderr } = await asc.main([`${name}.ts`, "--outFile", `${name}.wasm`, ...options], {
    readFile: (path) => files[path] ?? null,
    writeFile: (_, content) => writeFileSync(target, content),
    listFiles: () => [],
  });
  if (error) throw new Error(`${source}: ${error.message}\n${stderr.toString()}`);
}

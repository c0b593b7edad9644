// Bundles the product into the folder named by the first argument. Runs on the project's own Node, for build().
// One small chunk for what every start needs; what is behind `import()` stays in chunks of its own.
import { rolldown } from "rolldown";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("bundle.mjs: name the folder to write to");

const bundle = await rolldown({
  input: { main: "packages/induscode/src/boot/cli.ts" },
  platform: "node",
  // ripgrep's package finds its binary relative to itself, so it must stay where npm put it.
  external: ["@vscode/ripgrep"],
  resolve: {
    conditionNames: ["indus-source", "import", "node", "default"],
    mainFields: ["module", "main"], // jsonc-parser's "main" is UMD, whose inner requires a bundler cannot follow
  },
  onLog(level, log, handler) {
    // rolldown would leave it to fail on the user's machine.
    if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
    handler(level, log);
  },
});
await bundle.write({
  dir: folder,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  comments: false,
  minify: { compress: true, mangle: true, codegen: true },
});
await bundle.close();

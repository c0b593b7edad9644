// Bundles the product into the folder named by the first argument. Runs on the project's own Node, for build().
// One small chunk for what every start needs; what is behind `import()` stays in chunks of its own.
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("bundle.mjs: name the folder to write to");

/**
 * `import` of a built-in module reads each of its exports, getters included: for node:http that loads all of undici,
 * 70 ms on top of a start of 40 (Node 26.10). The same module taken this way costs 3 ms.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  renderChunk(code) {
    const imports = parseAst(code).body.filter(
      ({ type, source }) => type === "ImportDeclaration" && source.value.startsWith("node:"),
    );
    let rest = code;
    for (const node of imports.reverse()) {
      rest = rest.slice(0, node.start) + withoutImport(node) + rest.slice(node.end);
    }
    return rest;
  },
};

function withoutImport({ specifiers, source }) {
  const module = `process.getBuiltinModule(${JSON.stringify(source.value)})`;
  return specifiers
    .map(
      ({ imported, local }) =>
        `const ${imported ? `{ ${imported.name}: ${local.name} }` : local.name} = ${module};`,
    )
    .join("");
}

const bundle = await rolldown({
  input: { main: "packages/induscode/src/boot/cli.ts" },
  platform: "node",
  plugins: [lazyBuiltins],
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
  minify: { compress: true, mangle: false, codegen: true },
});
await bundle.close();

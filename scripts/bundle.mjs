// Bundles the product into the folder named by the first argument. Runs on the project's own Node, for build().
// CommonJS, because V8 keeps the code of a script as it is after a run, and that of a module as it was before it. One chunk for
// what every start needs, one more for what every session needs; what is behind `import()` is in chunks of its own. What runs in an
// addon's own process is a file by itself, so that its sandbox need not show it the product.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { compileProduct } from "./compiled-code.mjs";
import { thirdPartyLicences } from "./third-party.mjs";

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

/** One letter beyond ASCII in a file makes V8 hold all of it in two bytes a letter. */
const asciiOnly = {
  name: "ascii-only",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      const raw = /String\.raw`[^`]*?[^\0-\x7f]/.exec(chunk.code);
      if (raw) throw new Error(`bundle.mjs: ${chunk.fileName}: an escape would stay one in ${raw[0]}`);
      chunk.code = chunk.code.replace(
        /[^\0-\x7f]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    }
  },
};

/** The driver of PostgreSQL requires packages whose door for `import` is an object, where it wants a class. */
const driverRequires = {
  name: "driver-requires",
  resolveId: (id, importer, { kind }) =>
    kind === "require-call" && /^pg-(?:pool|protocol)$/.test(id)
      ? createRequire(importer).resolve(id)
      : undefined,
};

/** npm's libraries bring what runs the scripts of packages. None is ever run: `parts/packages/npm-client.ts`. */
const withoutScripts = {
  name: "without-scripts",
  resolveId: (id) => (/^(?:node-gyp|@npmcli\/run-script)$/.test(id) ? `\0without:${id}` : undefined),
  load: (id) =>
    id.startsWith("\0without:")
      ? 'module.exports = () => { throw new Error("scripts of packages are not run"); }; module.exports.isServerPackage = async () => false;'
      : undefined,
};

/**
 * The protocol's library makes the schemas of all messages when it is loaded, and a session has few kinds. Here each is made when a message
 * of its kind is first checked, and none is compiled: that is for thousands.
 */
const lazySchemas = {
  name: "lazy-schemas",
  transform: {
    filter: { id: /@agentclientprotocol\/sdk\/dist\/.*zod\.gen\.js$/ },
    handler(code) {
      let rest = code;
      for (const { start, end } of schemasIn(parseAst(code)).reverse())
        rest = `${rest.slice(0, start)}z.lazy(() => ${rest.slice(start, end)})${rest.slice(end)}`;
      return { code: `${rest}\nz.config({ jitless: true });`, map: null };
    },
  },
};

/** Where the file's schemas are made that are more than another name or a simple value. */
function schemasIn({ body }) {
  return body
    .filter(({ type, declaration }) => type === "ExportNamedDeclaration" && declaration !== null)
    .flatMap(({ declaration }) => declaration.declarations.map(({ init }) => init))
    .filter(({ type }) => type === "CallExpression");
}

const shared = {
  platform: "node",
  optimization: { inlineConst: false }, // a long text would stand wherever it is read
  // Its package does not say so: it would be loaded by all that could use it.
  treeshake: { moduleSideEffects: [{ test: /\/fast-myers-diff\//, sideEffects: false }] },
  resolve: {
    conditionNames: ["indus-source", "import", "node", "default"],
    mainFields: ["module", "main"], // jsonc-parser's "main" is UMD, whose inner requires a bundler cannot follow
  },
  onLog(level, log, handler) {
    // rolldown would leave it to fail on the user's machine.
    if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
    handler(level, log);
  },
};

/** An addon imports the kit as well, and the two must be one module: it stays outside the runner. */
const kitOutside = {
  name: "kit-outside",
  resolveId: (id) => (id.endsWith("/kit/index.ts") ? { id: "./addon-kit.mjs", external: true } : undefined),
};

const addons = "packages/induscode/src/addons";
/** By the names that `addons/runners/runner-file.ts` looks for. The ending needs no package.json to say what they are. */
const runners = [
  { name: "addon-kit", file: `${addons}/kit/index.ts`, plugins: [lazyBuiltins] },
  {
    name: "module-runner",
    file: `${addons}/runners/module-runner.ts`,
    plugins: [lazyBuiltins, kitOutside],
  },
  { name: "wasm-runner", file: `${addons}/runners/wasm-runner.ts`, plugins: [lazyBuiltins] },
  { name: "mcp-addon", file: `${addons}/runners/mcp/mcp-addon.ts`, plugins: [lazyBuiltins] },
  { name: "hooks-addon", file: `${addons}/runners/hooks/hooks-addon.ts`, plugins: [lazyBuiltins] },
  { name: "compile-runner", file: `${addons}/runners/compile-runner.ts`, plugins: [lazyBuiltins] },
  { name: "landlock-launcher", file: `${addons}/sandbox/landlock-launcher.ts`, plugins: [lazyBuiltins] },
];

/** The doors of programs: the file that each loads is made of the command's own parts, so nothing is there twice. */
const { exports: doors } = JSON.parse(readFileSync("packages/induscode/package.json", "utf8"));
const doorSources = Object.fromEntries(
  Object.values(doors).map((door) => [
    basename(door.default, ".mjs"),
    join("packages/induscode", door["indus-source"]),
  ]),
);

/** Writes the module behind each door next to its file, which also exports what other parts take from it. */
const doorModules = {
  name: "door-modules",
  generateBundle(_options, bundle) {
    for (const { isEntry, name, fileName, facadeModuleId } of Object.values(bundle)) {
      if (!isEntry || !(name in doorSources)) continue;
      const { exports: names } = this.getModuleInfo(facadeModuleId);
      if (names.includes("*"))
        throw new Error(`bundle.mjs: ${facadeModuleId}: name each value that is exported`);
      const source = [
        `const { createRequire } = process.getBuiltinModule("node:module");`,
        `const { loadDoor } = createRequire(import.meta.url)("../../bin/product.cjs");`,
        `export const { ${names.sort().join(", ")} } = loadDoor("${fileName}");\n`,
      ].join("\n");
      this.emitFile({ type: "asset", fileName: `${name}.mjs`, source });
    }
  },
};

const bundled = [];
await write(
  {
    ...shared,
    input: { main: "packages/induscode/src/boot/cli.ts", ...doorSources },
    preserveEntrySignatures: "allow-extension",
    plugins: [driverRequires, withoutScripts, lazySchemas, asciiOnly, doorModules],
    // The binary of one lies next to it, so it must stay where npm put it; the others the driver of PostgreSQL does without.
    external: ["@vscode/ripgrep", "pg-native", "cloudflare:sockets"],
  },
  {
    format: "cjs",
    dynamicImportInCjs: false, // a script has import() as an experiment only, and Node warns of it on stderr
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    codeSplitting: {
      // Each with all that it imports.
      groups: [
        { name: "start", test: /boot\/cli\.ts$|rolldown\/runtime/, priority: 2 },
        // Behind `import()`, and exported by the door of a folder that every session needs.
        { name: "diff", test: /files\/unified-diff\.ts$/, priority: 2 },
        {
          name: "session",
          test: /boot\/run-print\.ts$|parts\/[^/]+\/(?:in-session|feature)\.ts$|llmgateway\/(?:wire-|tool-|unique-|wires\/endpoint)[^/]*\.ts$/,
          priority: 1,
        },
        // What every session of a program or at a console needs: what can be typed there.
        {
          name: "front",
          test: /session\/front-session\.ts$|parts\/[^/]+\/(?:[^/]+-)?commands?\.ts$/,
          priority: 0,
        },
        // What every session with addons needs.
        { name: "addons", test: /addons\/(?:session|held-names)\.ts$/, priority: 0 },
      ],
    },
  },
);
for (const { name, file, plugins } of runners) {
  if (!existsSync(file)) throw new Error(`bundle.mjs: ${file} is missing`);
  await write(
    { ...shared, input: { [name]: file }, plugins },
    { format: "esm", entryFileNames: "[name].mjs", codeSplitting: false }, // its sandbox shows it this one file
  );
}
writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), thirdPartyLicences(bundled));
await compileProduct(folder);

async function write(input, output) {
  const bundle = await rolldown(input);
  const written = await bundle.write({
    dir: folder,
    ...output,
    comments: false,
    minify: { compress: true, mangle: false, codegen: true },
  });
  bundled.push(...written.output.flatMap(({ moduleIds = [] }) => moduleIds));
  await bundle.close();
}

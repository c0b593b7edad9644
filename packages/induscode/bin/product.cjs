// Loads the product with the code that V8 made of it when it was built: a start compiles nothing that the build's starts called,
// the first one in a home neither, and Node's module loader, which costs as much again, has no part in it. Where that code
// is not of this very Node, the same files are loaded in Node's own way.
"use strict";
const { readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const APP = join(__dirname, "../dist/app");
const ENTRY = "main.cjs";
/** Below the product's folder. V8 refuses what another build of it has made; the name saves reading that. */
const COMPILED = join("compiled", `${process.version}-${process.platform}-${process.arch}`);
const HEAD = "(function (exports, require, module, __filename, __dirname) { ";

module.exports = { COMPILED, loadProduct, runProduct, scriptOf };

/** What the product exports. */
function loadProduct() {
  const compiled = (name) => scriptOf(APP, name, codeOf(name));
  const code = codeOf(ENTRY);
  const entry = code && scriptOf(APP, ENTRY, code);
  if (entry && !entry.cachedDataRejected)
    return runProduct(APP, (name) => (name === ENTRY ? entry : compiled(name)));
  require("./compile-cache.cjs").keepCompiledCode();
  return require(join(APP, ENTRY));
}

/** V8's code of a file; undefined where there is none, and where the file was written to after it. */
function codeOf(name) {
  const file = join(APP, COMPILED, name);
  const compiled = statSync(file, { throwIfNoEntry: false });
  if (compiled === undefined || compiled.mtimeMs < statSync(join(APP, name)).mtimeMs) return undefined;
  return readFileSync(file);
}

/** The bundle is ASCII, which needs no decoding. */
function scriptOf(folder, name, cachedData) {
  const filename = join(folder, name);
  return new Script(`${HEAD}${readFileSync(filename, "latin1")}\n})`, {
    filename,
    cachedData,
    columnOffset: -HEAD.length,
  });
}

/** Runs the product of a folder as Node's loader of CommonJS would, with the scripts that `take` has by their files' names. */
function runProduct(folder, take) {
  const modules = new Map();
  const requireFrom = (id) => {
    if (id.startsWith("node:")) return process.getBuiltinModule(id);
    return id.startsWith("./") ? run(id.slice(2)) : require(require.resolve(id, { paths: [folder] }));
  };
  const run = (name) => {
    let module = modules.get(name);
    if (module !== undefined) return module.exports;
    module = { exports: {} };
    modules.set(name, module);
    const start = take(name).runInThisContext();
    start.call(module.exports, module.exports, requireFrom, module, join(folder, name), folder);
    return module.exports;
  };
  return run(ENTRY);
}

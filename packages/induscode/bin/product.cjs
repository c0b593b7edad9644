// Loads the product with the code that V8 made of it when it was built: a start compiles nothing that the build's starts called,
// the first one in a home neither, and Node's module loader, which costs as much again, has no part in it. Where that code
// is not of this very Node, the same files are loaded in Node's own way.
"use strict";
const { closeSync, openSync, readSync, statSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const APP = join(__dirname, "../dist/app");
const ENTRY = "main.cjs";
/** Below the product's folder. V8 refuses what another build of it has made; the name saves reading that. */
const COMPILED = join("compiled", `${process.version}-${process.platform}-${process.arch}`);
const HEAD = "(function (exports, require, module, __filename, __dirname) { ";
const TAIL = "\n})";

module.exports = { COMPILED, ENTRY, codeOf, loadDoor, loadProduct, productIn, scriptOf };

/** What the product exports. */
function loadProduct() {
  const compiled = (name) => scriptOf(APP, name, codeOf(name));
  const code = codeOf(ENTRY);
  const entry = code && scriptOf(APP, ENTRY, code);
  if (entry && !entry.cachedDataRejected)
    return productIn(APP, (name) => (name === ENTRY ? entry : compiled(name)))(ENTRY);
  require("./compile-cache.cjs").keepCompiledCode();
  return require(join(APP, ENTRY));
}

/** What loads a file of the product in this process, the first door having found it: each file once, whichever doors need it. */
let load;

/** What the file of a door exports, in a process that is somebody else's: nothing of it is changed. */
function loadDoor(name) {
  if (load === undefined) {
    const code = codeOf(name);
    const first = code && scriptOf(APP, name, code);
    load =
      first && !first.cachedDataRejected
        ? productIn(APP, (each) => (each === name ? first : scriptOf(APP, each, codeOf(each))))
        : (each) => require(join(APP, each));
  }
  return load(name);
}

/** An installation writes the files of a package in any order, and each gets the time at which it was written. */
const INSTALLED_WITHIN_MS = 60_000;

/** Where V8's code of a file is, and how long; undefined where there is none, and where the file was written to well after it. */
function codeOf(name) {
  const path = join(APP, COMPILED, name);
  const compiled = statSync(path, { throwIfNoEntry: false });
  if (compiled === undefined) return undefined;
  const writtenAfterMs = statSync(join(APP, name)).mtimeMs - compiled.mtimeMs;
  if (writtenAfterMs > INSTALLED_WITHIN_MS) return undefined;
  return { path, size: compiled.size };
}

/**
 * The bundle is ASCII, which needs no decoding. Its text and then its code are read into the same bytes, and nothing is put
 * together afterwards: a megabyte that is touched for the first time costs a start as much as a hundred functions.
 */
function scriptOf(folder, name, code) {
  const filename = join(folder, name);
  const { size } = statSync(filename);
  const end = HEAD.length + size + TAIL.length;
  const bytes = Buffer.allocUnsafeSlow(Math.max(end, code?.size ?? 0));
  bytes.write(HEAD, 0, "latin1");
  readInto(bytes, HEAD.length, size, filename);
  bytes.write(TAIL, HEAD.length + size, "latin1");
  const source = bytes.toString("latin1", 0, end);
  if (code) readInto(bytes, 0, code.size, code.path);
  return new Script(source, {
    filename,
    cachedData: code && bytes.subarray(0, code.size),
    columnOffset: -HEAD.length,
  });
}

function readInto(bytes, offset, size, path) {
  const file = openSync(path, "r");
  try {
    const read = readSync(file, bytes, offset, size);
    if (read !== size) throw new Error(`${path}: expected ${size} bytes, found ${read}; install indus anew`);
  } finally {
    closeSync(file);
  }
}

/**
 * Runs files of the product in a folder as Node's loader of CommonJS would, with the scripts that `take` has by their names. The
 * answer runs a file, once, and returns what it exports.
 */
function productIn(folder, take) {
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
  return run;
}

// Runs the built command repeatedly in one process: starting Node takes longer than most commands do. Each run has its own
// modules of the product, environment and folder, and leaves no listeners behind; its output goes through the real stdout and
// stderr. For tests/support/shared-process.ts, which starts one such process for each worker.
"use strict";
const { join } = require("node:path");
const bin = join(__dirname, "../../packages/induscode/bin");
const { codeOf, ENTRY, productIn, scriptOf } = require(join(bin, "product.cjs"));

const APP = join(bin, "../dist/app");
const scripts = new Map();

/** Compiled once; each run evaluates it anew. */
function take(name) {
  let script = scripts.get(name);
  if (script === undefined) {
    script = scriptOf(APP, name, codeOf(name));
    scripts.set(name, script);
  }
  return script;
}

function listeners() {
  return [process, process.stdout, process.stderr].flatMap((emitter) =>
    emitter
      .eventNames()
      .flatMap((event) => emitter.rawListeners(event).map((listener) => ({ emitter, event, listener }))),
  );
}

process.on("message", async ({ args, cwd, env, end }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, join(bin, "indus.cjs"), ...args];
  const before = new Set(listeners().map(({ listener }) => listener));
  const code = await productIn(APP, take)(ENTRY).main(args);
  // What a process does when it exits.
  const left = listeners().filter(({ listener }) => !before.has(listener));
  for (const { event, listener } of left) if (event === "exit") listener.call(process, code);
  for (const { emitter, event, listener } of left) emitter.off(event, listener.listener ?? listener);
  for (const output of [process.stdout, process.stderr]) {
    delete output.write; // the masking override
    output.write(end);
  }
  process.chdir("/"); // the test must be able to remove the folder
  process.send({ code });
});
process.on("disconnect", () => process.exit());

// The first file that Node runs. Syntax and calls that Node 18 knows, so that an old Node gets the message, not a stack.
"use strict";

/** The host ended in a way that nobody asked for (`EX_SOFTWARE` of sysexits.h). */
const EXIT_BROKEN = 70;

const argv = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  // Before everything else: no module is loaded but this one.
  require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
} else if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `indus: needs Node 24.15 or later; found Node ${process.versions.node} (${process.execPath}). ` +
      "Install a newer Node, name one in INDUS_NODE, or install indus with its optional packages, which bring one.\n",
  );
  process.exitCode = 1;
} else {
  run();
}

/** The exit code is main's; leftover handles may not keep a finished program alive, unwritten output may. */
async function run() {
  giveBackNodeOptions();
  keepCompiledCode();
  let hasAnswered = false;
  // Nothing keeps Node alive and main has not answered: something that it waits for was lost, and with it the work.
  process.once("exit", (code) => {
    if (hasAnswered || code !== 0) return;
    process.exitCode = EXIT_BROKEN;
    complain(
      "ended before its work was done, because nothing was left to wait for. This is a defect of indus.",
    );
  });
  const { main } = await import("../dist/app/main.js");
  const code = await main(argv);
  hasAnswered = true;
  process.exitCode = code;
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

function complain(message) {
  try {
    require("node:fs").writeSync(2, `indus: ${message}\n`);
  } catch {
    // Nobody reads it any more; the exit code says it as well.
  }
}

/** What the launcher held back from this Node is meant for the commands that it will run. */
function giveBackNodeOptions() {
  const held = process.env.INDUS_NODE_OPTIONS;
  if (held === undefined) return;
  process.env.NODE_OPTIONS = held;
  delete process.env.INDUS_NODE_OPTIONS;
}

/** V8's compiled code outlives the process in the user's cache folder; NODE_DISABLE_COMPILE_CACHE turns it off. */
function keepCompiledCode() {
  const { join } = require("node:path");
  const home = process.env.HOME || process.env.USERPROFILE;
  const caches = process.env.XDG_CACHE_HOME || (home && join(home, ".cache"));
  if (caches) require("node:module").enableCompileCache(join(caches, "indus", "compiled"));
}

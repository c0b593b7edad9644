// The first file that Node runs. Syntax and calls that Node 18 knows, so that an old Node gets the message, not a stack.
"use strict";

/** The host ended in a way that nobody asked for (`EX_SOFTWARE` of sysexits.h). */
const EXIT_BROKEN = 70;
/** As by SIGHUP: the terminal was closed. */
const EXIT_CLOSED = 129;

const argv = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  // Before everything else: no module is loaded but this one.
  try {
    require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
  } catch (error) {
    if (error.code !== "EPIPE") notWritten(error);
  }
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
  // Node opens its debugger at this signal: a way in for every program of the person's.
  process.on("SIGUSR1", () => undefined);
  giveBackNodeOptions();
  const host = { hasAnswered: false, product: undefined };
  watchForBreaks(host);
  host.product = require("./product.cjs").loadProduct();
  // A pipe's reader that leaves early has what it wanted: the work is done to its end, and what is left to write goes nowhere. Any other
  // failure is reported below.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  const code = await host.product.main(argv);
  process.exitCode = code;
  process.stdout.write("", () => {
    const { errored } = process.stdout;
    if (errored && errored.code !== "EPIPE" && code === 0) notWritten(errored);
    process.stderr.write("", () => {
      // A rejection that nothing handled is reported once what runs now is through.
      setImmediate(() => {
        host.hasAnswered = true;
        process.exit();
      });
    });
  });
}

/** What was asked for did not arrive: a full disk, not a reader that has what it wanted. */
function notWritten(error) {
  // A closed terminal fails what is written to it, and that can be noticed before its signal is.
  const isClosed = error.code === "EIO" && process.stdout.isTTY;
  process.exitCode = isClosed ? EXIT_CLOSED : 1;
  if (isClosed) return;
  complain(`the output could not be written: ${lineOf(error)}`);
}

/** An end that nobody asked for leaves whole logs behind, says why in one line, and has an exit code of its own. */
function watchForBreaks(host) {
  let isBroken = false;
  const tell = (why, error) => {
    isBroken = true;
    process.exitCode = EXIT_BROKEN;
    let kept = [];
    try {
      kept = host.product?.endUnasked?.(why) ?? [];
    } catch {
      // What ended it counts, and not what came of it.
    }
    const logs = kept.map((path) => ` The log is whole: ${path}.`).join("");
    complain(`${why}. This is a defect of indus.${logs}${storyOf(error)}`);
  };
  const breakOff = (why, error) => {
    if (!isBroken) tell(why, error);
    process.exit(EXIT_BROKEN);
  };
  process.on("uncaughtException", (error) => {
    breakOff(`ended by an error that nothing caught: ${lineOf(error)}`, error);
  });
  process.on("unhandledRejection", (error) => {
    breakOff(`ended by a rejection that nothing handled: ${lineOf(error)}`, error);
  });
  // Nothing keeps Node alive and main has not answered: something that it waits for was lost, and with it the work.
  process.on("beforeExit", () => {
    if (!host.hasAnswered) breakOff("ended before its work was done, because nothing was left to wait for");
  });
  // Something ended the process, as if all were well or with a code of its own; the person's second Ctrl+C does so as well.
  process.on("exit", (code) => {
    if (host.hasAnswered || isBroken || host.product?.isStopped?.()) return;
    tell(`ended before its work was done, by an exit with code ${code}`);
  });
}

function lineOf(error) {
  let text = "one that cannot be shown";
  try {
    text = error instanceof Error ? error.message : String(error);
  } catch {
    // Anything can be thrown, also what has no text.
  }
  return [...text]
    .slice(0, 300)
    .join("")
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "?")
    .trim();
}

function storyOf(error) {
  if (error === undefined) return "";
  return process.env.INDUS_DEBUG ? `\n${error?.stack}` : " INDUS_DEBUG=1 shows where.";
}

function complain(message) {
  const isTerminal = require("node:tty").isatty(2);
  try {
    // Not by its number: what is written to the stream is masked. It is written before this returns.
    process.stderr.write(`${isTerminal ? "\n" : ""}indus: ${message}\n`);
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

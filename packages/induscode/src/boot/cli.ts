// The entry point: reads the command line, picks what to run, and turns every mistake into one line. Loads only what that run needs.

import { describeError } from "indusagi/core";
import { parseCommandLine } from "../cli/command-line.ts";
import { flagMistake, subcommandOf, usageOf } from "../cli/command-words.ts";
import { ANY_SESSION, type CommandLine } from "../cli/flags.ts";
import { helpText, subcommandHelp } from "../cli/help.ts";
import { type Invocation, workingDirectory } from "../cli/invocation.ts";
import { noticeLine } from "../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../cli/problem.ts";
import { createSecrets, maskOutputs, type Secrets } from "../cli/secrets.ts";
import type { Subcommand } from "../cli/subcommand-row.ts";
import { VERSION } from "../cli/version.ts";
import { addonHelp } from "../parts/addons/addon-help.ts";
import { withServers } from "../parts/packages/servers-here.ts";
import { homeProblem, indusHome, startFolder } from "../store/home.ts";
import { PARTS } from "./parts.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

export { isStopped } from "../cli/signals.ts";
export { endUnasked } from "../session/last-words.ts";

/** Runs the product and returns its exit code: 0 done, 1 fault, 2 wrong usage, 130 interrupted. */
export async function main(argv: readonly string[]): Promise<number> {
  const secrets = createSecrets(process.env);
  maskOutputs(process.stdout, process.stderr);
  if (isForProgram(argv)) return orComplain(() => drivenByProgram(argv, secrets));
  const parsed = parseCommandLine(argv, SUBCOMMANDS);
  if (!parsed.ok) {
    const end = parsed.problem.endsWith("?") ? "" : ".";
    return complain(`${parsed.problem}${end} Try: ${helpFor(argv)}`, EXIT_USAGE);
  }
  return orComplain(() => run(parsed, secrets));
}

async function orComplain(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return complain(error.message, error.exitCode);
    if (process.env.INDUS_DEBUG) throw error;
    const { adviceOnHome } = await import("../store/unwritable-home.ts");
    const advice = adviceOnHome(error, indusHome(process.env)) ?? "(set INDUS_DEBUG=1 for a stack trace)";
    return complain(`${describeError(error)} ${advice}`, EXIT_FAULT);
  }
}

/** A line of a program that drives an agent by messages has that form's own flags. */
function isForProgram(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.some((word) => /^--(?:in|out)put-format(?:=|$)/.test(word));
}

async function drivenByProgram(argv: readonly string[], secrets: Secrets): Promise<number> {
  const { runStreamJson } = await import("../parts/stream-json/run-stream-json.ts");
  return runStreamJson(argv, surroundings(secrets));
}

async function run(typed: CommandLine, secrets: Secrets): Promise<number> {
  const { flags, words } = typed;
  if (flags.help) return help(typed, secrets);
  if (flags.version) return tell(`${VERSION}\n`);
  // Before anything is read: settings, trust and sessions are in the home.
  const noHome = homeProblem(process.env, flags.cwd);
  if (noHome !== undefined) throw new Problem(noHome);
  const line = invocation(typed, secrets);
  if (flags.record !== undefined && flags.cassette !== undefined) {
    throw new Problem(
      "--record and --cassette cannot be combined: a cassette is already a recording",
      EXIT_USAGE,
    );
  }
  if (flags.continue && flags.resume !== undefined) {
    throw new Problem(
      "-c and -r cannot be combined: -c continues the newest session of this folder, -r the session with the given id",
      EXIT_USAGE,
    );
  }
  if (flags.resume === ANY_SESSION && (flags.print || flags.json))
    throw new Problem(
      "-r needs an id here: `indus sessions` lists the ids, -c takes the newest session",
      EXIT_USAGE,
    );
  if ((flags.fork || flags["no-fork"]) && !flags.continue && flags.resume === undefined)
    throw new Problem(
      "--fork and --no-fork need -c or -r ID: they decide what happens to that session",
      EXIT_USAGE,
    );
  if (flags.fork && flags["no-fork"])
    throw new Problem("--fork and --no-fork cannot be combined", EXIT_USAGE);
  if (flags["permission-prompt"] !== undefined && !flags.print && !flags.json)
    throw new Problem("--permission-prompt needs -p or --json: in a console you are asked", EXIT_USAGE);
  if (flags["output-schema"] !== undefined && !flags.print && !flags.json)
    throw new Problem("--output-schema needs -p or --json: a conversation has many answers", EXIT_USAGE);
  // With -p the words are a task, whatever they start with.
  const subcommand = flags.print ? undefined : subcommandOf(words, SUBCOMMANDS);
  if (subcommand !== undefined) return runSubcommand(subcommand, line);
  if (flags.rehearse) {
    (await import("../cli/command-mistakes.ts")).refuseUnrehearsed(line);
    return (await import("../parts/rehearsal/run-rehearsal.ts")).runRehearsal(line);
  }
  if (OWN_FLAGS.some((name) => Object.hasOwn(flags, name)))
    (await import("../cli/command-mistakes.ts")).refuseOwnFlags(line, SUBCOMMANDS);
  // A longer line is always a task.
  if (!flags.print && (words.length === 1 || words.length === 2))
    (await import("../cli/command-mistakes.ts")).refuseMistyped(words, SUBCOMMANDS);
  if (flags.print || flags.json) return (await import("./run-print.ts")).runPrintMode(line);
  return (await import("./run-console.ts")).runConsole(line);
}

const OWN_FLAGS: readonly string[] = SUBCOMMANDS.flatMap(({ flags }) => flags.map(({ name }) => name));

async function runSubcommand(subcommand: Subcommand, line: Invocation): Promise<number> {
  const usage = usageOf(subcommand, line.words.slice(1));
  if (usage === undefined || flagMistake(usage, line) !== undefined)
    throw (await import("../cli/command-mistakes.ts")).usageMistake(subcommand, line);
  const served =
    usage.flags?.includes("mcp-config") && !usage.bringsServers
      ? await withServers(line, { cwd: workingDirectory(line) })
      : line;
  return (await subcommand.load())(served as Invocation<never>, SUBCOMMANDS);
}

function invocation(typed: CommandLine, secrets: Secrets): Invocation {
  return { ...typed, ...surroundings(secrets) };
}

/** The only place that reads the process's environment and working directory. */
function surroundings(secrets: Secrets): Omit<Invocation, keyof CommandLine> {
  return {
    env: process.env,
    startedIn: startFolder(process.env),
    secrets,
    parts: PARTS,
    subcommands: SUBCOMMANDS.map(({ name }) => name),
  };
}

async function help(typed: CommandLine, secrets: Secrets): Promise<number> {
  const [first, second] = typed.words;
  const wanted = first === "help" ? second : first;
  const subcommand = SUBCOMMANDS.find(({ name }) => name === wanted);
  if (subcommand !== undefined && !typed.flags.print) return tell(subcommandHelp(subcommand));
  return tell(helpText(SUBCOMMANDS) + (await addonHelp(invocation(typed, secrets))));
}

function tell(text: string): number {
  process.stdout.write(text);
  return EXIT_OK;
}

function helpFor([first]: readonly string[]): string {
  return SUBCOMMANDS.some(({ name }) => name === first) ? `indus help ${first}` : "indus --help";
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(noticeLine(message));
  return exitCode;
}

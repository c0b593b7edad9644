// The way in: reads the command line, picks what to run, and turns every mistake into one line. Loads only what the
// chosen way needs.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import { createSecrets, maskOutputs, type Secrets } from "../session/secrets.ts";
import { homeProblem, indusHome } from "../store/home.ts";
import { homePath } from "../store/home-files.ts";
import { type CommandLine, type Flags, helpText, parseCommandLine } from "./flags.ts";
import { noticeLine } from "./notice-line.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "./problem.ts";
import { subcommandOf, takesNoWords } from "./subcommands.ts";
import { VERSION } from "./version.ts";
import type { Invocation } from "./working-directory.ts";

export { endUnasked } from "./last-words.ts";
export { isStopped } from "./signals.ts";

/** Runs the product and returns its exit code: 0 done, 1 a fault, 2 wrong usage, 130 stopped. */
export async function main(argv: readonly string[]): Promise<number> {
  const secrets = createSecrets(process.env);
  maskOutputs(process.stdout, process.stderr);
  const parsed = parseCommandLine(argv);
  if (!parsed.ok) return complain(`${parsed.problem}. Try: indus --help`, EXIT_USAGE);
  try {
    return await run(parsed, secrets);
  } catch (error) {
    if (error instanceof Problem) return complain(error.message, error.exitCode);
    if (process.env.INDUS_DEBUG) throw error;
    return complain(`${describeError(error)} (set INDUS_DEBUG=1 for the whole story)`, EXIT_FAULT);
  }
}

async function run(typed: CommandLine, secrets: Secrets): Promise<number> {
  const { flags, words } = typed;
  if (flags.help) return tell(helpText() + (await addonHelp(typed, secrets)));
  if (flags.version) return tell(`${VERSION}\n`);
  // Before anything is read: settings, trust and sessions come from there.
  const noHome = homeProblem(process.env, flags.cwd);
  if (noHome !== undefined) throw new Problem(noHome);
  const line = invocation(typed, secrets);
  if (flags.record !== undefined && flags.cassette !== undefined) {
    throw new Problem(
      "--record and --cassette do not go together: a cassette is a recording already",
      EXIT_USAGE,
    );
  }
  if (flags.continue && flags.resume !== undefined) {
    throw new Problem(
      "-c and -r do not go together: -c goes on with the newest session of this folder, -r with the one that it names",
      EXIT_USAGE,
    );
  }
  if (flags["output-schema"] !== undefined && !flags.print && !flags.json)
    throw new Problem("--output-schema goes with -p or --json: a conversation has many answers", EXIT_USAGE);
  if (flags.rehearse) return (await import("./run-rehearsal.ts")).runRehearsal(line);
  // With -p the words are a task, whatever they begin with.
  const subcommand = flags.print ? undefined : subcommandOf(words);
  switch (subcommand) {
    case "session":
      return (await import("./run-verify.ts")).runVerify(line);
    case "skills":
      return (await import("./run-skills.ts")).runSkills(line);
    case "agents":
      takesNoWords(words);
      return (await import("./run-agents.ts")).runAgents(line);
    case "prompt":
      takesNoWords(words);
      return (await import("./run-prompt.ts")).runPrompt(line);
    case "doctor":
      takesNoWords(words);
      return (await import("./run-doctor.ts")).runDoctor(line);
    case "models":
      return (await import("./run-models.ts")).runModels(line);
    case "auth":
      return (await import("./run-auth.ts")).runAuth(line);
    case "addons":
      return (await import("./run-addons.ts")).runAddons(line);
    case "addon":
      return (await import("./run-addon.ts")).runAddon(line);
    case undefined:
  }
  if (flags.print || flags.json) return (await import("./run-print.ts")).runPrintMode(line);
  return (await import("./run-console.ts")).runConsole(line);
}

/** The only place that asks the process for its environment and its folder. */
function invocation(typed: CommandLine, secrets: Secrets): Invocation {
  return { ...typed, env: process.env, startedIn: process.cwd(), secrets };
}

/** The commands that trusted addons add here; nothing is loaded for it where there are none. */
async function addonHelp(typed: CommandLine, secrets: Secrets): Promise<string> {
  const { flags } = typed;
  const noHome = homeProblem(process.env, flags.cwd);
  if (noHome !== undefined) {
    process.stderr.write(noticeLine(`${noHome} Commands of addons are not listed.`));
    return "";
  }
  const home = indusHome(process.env);
  const folders = [join(flags.cwd ?? ".", ".indus", "addons"), homePath(home, "addons")];
  const mayBeSome =
    flags.addon !== undefined ||
    folders.some((folder) => existsSync(folder)) ||
    (await namesAddons(home, flags));
  return mayBeSome ? (await import("./run-addons.ts")).addonCommandHelp(invocation(typed, secrets)) : "";
}

/** Whether the person's settings, where there are any, name addons that lie elsewhere. */
async function namesAddons(home: string, { cwd = "." }: Flags): Promise<boolean> {
  if (!existsSync(homePath(home, "settings"))) return false;
  const { settings } = await (await import("./settings.ts")).loadSettings(home, cwd);
  return settings.addons?.paths !== undefined;
}

function tell(text: string): number {
  process.stdout.write(text);
  return EXIT_OK;
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(noticeLine(message));
  return exitCode;
}

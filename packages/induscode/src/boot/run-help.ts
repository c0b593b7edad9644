// `indus help [command] [verb]`: what `--help` prints, in general or for one subcommand.

import { addonHelp } from "./addon-help.ts";
import { refuseMistyped } from "./command-mistakes.ts";
import { helpText, subcommandHelp } from "./help.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "./problem.ts";
import type { Subcommand } from "./subcommand-row.ts";
import type { Invocation } from "./working-directory.ts";

export async function runHelp(line: Invocation, table: readonly Subcommand[]): Promise<number> {
  const [, wanted] = line.words;
  if (wanted === undefined) {
    process.stdout.write(helpText(table) + (await addonHelp(line)));
    return EXIT_OK;
  }
  const subcommand = table.find(({ name }) => name === wanted);
  if (subcommand === undefined) {
    refuseMistyped([wanted], table);
    throw new Problem(`unknown command "${wanted}"; indus help lists them all`, EXIT_USAGE);
  }
  process.stdout.write(subcommandHelp(subcommand));
  return EXIT_OK;
}

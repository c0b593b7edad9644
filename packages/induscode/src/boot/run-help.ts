// `indus help [command] [verb]`: what `--help` prints, in general or for one subcommand.

import { refuseMistyped } from "../cli/command-mistakes.ts";
import { helpText, subcommandHelp } from "../cli/help.ts";
import type { Invocation } from "../cli/invocation.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { Subcommand } from "../cli/subcommand-row.ts";
import { addonHelp } from "../parts/addons/addon-help.ts";

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

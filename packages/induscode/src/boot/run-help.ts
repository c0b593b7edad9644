// `indus help [all | man | command] [verb]`: what `--help` prints, everything, the manual page, or all about one subcommand.

import { refuseMistyped } from "../cli/command-mistakes.ts";
import { helpText, subcommandHelp, wholeHelpText } from "../cli/help.ts";
import type { Invocation } from "../cli/invocation.ts";
import { manualPage } from "../cli/manual-page.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { Subcommand } from "../cli/subcommand-row.ts";
import { addonHelp } from "../parts/addons/addon-help.ts";

/** The words that ask for the second page, and for the page that `man indus` shows. */
const ALL = "all";
const MANUAL = "man";

export async function runHelp(line: Invocation, table: readonly Subcommand[]): Promise<number> {
  const [, wanted] = line.words;
  if (wanted === undefined || wanted === ALL) {
    const page = wanted === ALL ? wholeHelpText(table) : helpText(table);
    process.stdout.write(page + (await addonHelp(line)));
    return EXIT_OK;
  }
  if (wanted === MANUAL) {
    process.stdout.write(manualPage(table));
    return EXIT_OK;
  }
  const subcommand = table.find(({ name }) => name === wanted);
  if (subcommand === undefined) {
    refuseMistyped([wanted], table);
    throw new Problem(`unknown command "${wanted}"; indus help all lists them`, EXIT_USAGE);
  }
  process.stdout.write(subcommandHelp(subcommand));
  return EXIT_OK;
}

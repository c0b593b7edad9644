// The table of subcommands. A subcommand consists of a row and a file with its code; parser, help, completion, hints, and the pages on
// exit codes and on the home are derived from the rows. The code is loaded by whoever runs it.

import { withUsages } from "../cli/command-words.ts";
import { FEATURES } from "../cli/flag-groups.ts";
import { type Subcommand, subcommand } from "../cli/subcommand-row.ts";
import { PARTS } from "./parts.ts";

const ROWS: readonly Subcommand[] = [
  subcommand({
    name: "help",
    summary: "help on one command or on all",
    usages: [
      {
        words: "[command] [verb]",
        summary: "show the first page, everything (all), the manual page (man), or one command",
        flags: FEATURES,
      },
    ],
    load: async () => (await import("./run-help.ts")).runHelp,
  }),
];

export const SUBCOMMANDS: readonly Subcommand[] = withUsages(
  [...ROWS, ...PARTS.flatMap(({ subcommands = [] }) => subcommands)],
  PARTS.flatMap(({ usages = [] }) => usages),
);

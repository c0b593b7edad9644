// What `--help` prints, in general or for one subcommand. Derived from the tables.

import { flagsOf, usageLine } from "./command-words.ts";
import { type FlagRow, flagUsage } from "./flag-row.ts";
import { FLAGS } from "./flags.ts";
import type { Subcommand } from "./subcommand-row.ts";

const USAGE_WIDTH = 37;

/** The general page. */
export function helpText(table: readonly Subcommand[]): string {
  const width = Math.max(...FLAGS.map((row) => flagColumn(row).length));
  const groups = [...new Set(FLAGS.map(({ group }) => group))].map((name) =>
    [
      `${name}:`,
      ...flagLines(
        FLAGS.filter(({ group }) => group === name),
        width,
      ),
    ].join("\n"),
  );
  return [
    "indus: a terminal coding agent whose extensions are safe",
    "",
    "  indus [flags] [task] [@file ...]     talk to the agent in this folder",
    "  indus -p [flags] [task] [@file ...]  run one task; the task may also come from standard input",
    ...table.flatMap(usageLines),
    "",
    groups.join("\n\n"),
    "",
    "Models: indus auth login <provider>, or its variable (indus auth lists them), or OPENAI_BASE_URL for any OpenAI-compatible server.",
    "Settings: ~/.indus/settings.json. Sessions: ~/.indus/sessions. INDUS_HOME moves both.",
    "",
  ].join("\n");
}

/** The page of one subcommand: its usages, its flags and its exit codes. */
export function subcommandHelp(row: Subcommand): string {
  const { name, summary, usages, fault } = row;
  const rows = flagsOf(row, usages);
  const width = Math.max(...rows.map((flag) => flagColumn(flag).length));
  return [
    `indus ${name}: ${summary}`,
    "",
    ...usageLines(row),
    "",
    "Flags:",
    ...flagLines(rows, width),
    "",
    "Exit codes:",
    "  0  done",
    `  1  a fault${fault === undefined ? "" : `: ${fault}`}`,
    "  2  wrong usage",
    "",
  ].join("\n");
}

function usageLines(row: Subcommand): readonly string[] {
  return row.usages.map((usage) => {
    const line = usageLine(row, usage) + (usage.flags?.includes("json") ? " [--json]" : "");
    return `  ${line.padEnd(USAGE_WIDTH - 1)} ${usage.summary}`;
  });
}

function flagLines(rows: readonly FlagRow[], width: number): readonly string[] {
  return rows.map((row) => {
    const summary = row.choices ? `${row.summary}: ${row.choices.join(", ")}` : row.summary;
    return `  ${flagColumn(row).padEnd(width)}  ${summary}`;
  });
}

function flagColumn(row: FlagRow): string {
  return `${row.short === undefined ? "   " : `-${row.short},`} ${flagUsage(row)}`;
}

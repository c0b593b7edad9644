// What `--help` prints, in general or for one subcommand. Derived from the tables.

import { flagsOf, usageLine } from "./command-words.ts";
import { type FlagRow, flagUsage } from "./flag-row.ts";
import { FLAGS } from "./flags.ts";
import type { Subcommand } from "./subcommand-row.ts";

/** What a person needs in the first weeks, in this order and in few words; the rest is on the second page. */
const COMMON: readonly Told[] = [
  ["auth login", "store a provider's key"],
  ["models", "list the models that you can choose"],
  ["doctor", "check this machine and this folder"],
  ["sessions", "list the newest sessions"],
  ["export", "export a session to a file"],
  ["usage", "sum up the tokens and costs"],
  ["permissions", "list the permissions that you saved"],
  ["why", "explain how a call would be decided"],
  ["addons", "list the addons"],
  ["addon new", "write a small addon to start from"],
];

const COMMON_FLAGS = ["model", "permission-mode", "cwd"] as const;

/** The second page's groups; what none of them names stands last. */
const GROUPS = {
  Sessions: ["sessions", "session", "export", "view", "blame", "usage"],
  "Models and keys": ["models", "auth"],
  "This folder": ["doctor", "prompt", "skills", "agents", "why", "permissions"],
  Addons: ["addons", "addon"],
  "Packages and servers": [
    "add",
    "list",
    "show",
    "update",
    "remove",
    "enable",
    "disable",
    "marketplace",
    "mcp",
  ],
  "Editors and programs": ["acp", "serve", "attach"],
  "Several agents on one plan": ["crew"],
} as const;

const OTHERS = "Other";

/** `indus --help`: how to start, and what is needed most. One screen of 24 rows and 80 columns. */
export function helpText(table: readonly Subcommand[]): string {
  const starts: readonly Told[] = [
    ["indus [task] [@file ...]", "talk to the agent in this folder"],
    ["indus -p [task] [@file ...]", "run one task, also from a pipe; print the answer"],
    ["indus -c, indus -r", "continue the last session here, or choose one"],
  ];
  const usages = table.flatMap((row) => row.usages.map((usage) => usageLine(row, usage)));
  const common = COMMON.flatMap(([words, summary]) => {
    const usage = usages.find((each) => `${each} `.startsWith(`indus ${words} `));
    return usage === undefined ? [] : [[usage, summary] as const];
  });
  const flags: readonly FlagRow[] = FLAGS.filter(({ name }) =>
    COMMON_FLAGS.some((common) => common === name),
  );
  return [
    "indus: a terminal coding agent whose extensions are safe",
    "",
    ...aligned(starts),
    "",
    ...aligned(common),
    "",
    ...flagLines(flags.map(({ choices: _, ...flag }) => flag)),
    "",
    "indus help all lists every command and flag; indus help COMMAND describes one.",
    "In the console: /help and ?. Settings and sessions: ~/.indus, or INDUS_HOME.",
    "",
  ].join("\n");
}

/** `indus help all`: every command and flag, in groups. */
export function wholeHelpText(table: readonly Subcommand[]): string {
  const named: readonly string[] = Object.values(GROUPS).flat();
  const groups = [
    ...Object.entries<readonly string[]>(GROUPS),
    [OTHERS, table.map(({ name }) => name).filter((name) => !named.includes(name))] as const,
  ].map(([title, names]) => [
    `${title}:`,
    ...aligned(names.flatMap((name) => table.filter((row) => row.name === name).flatMap(usagesOf))),
    "",
  ]);
  const flags = [...new Set(FLAGS.map(({ group }) => group))].map((name) => [
    `Flags, ${name.toLowerCase()}:`,
    ...flagLines(FLAGS.filter(({ group }) => group === name)),
    "",
  ]);
  return [
    ...groups.flat(),
    ...flags.flat(),
    "Models: indus auth login <provider>, or its variable (indus auth lists them), or OPENAI_BASE_URL for any OpenAI-compatible server.",
    "",
  ].join("\n");
}

/** The page of one subcommand: its usages, its flags and its exit codes. */
export function subcommandHelp(row: Subcommand): string {
  const { name, summary, usages, fault } = row;
  const rows = flagsOf(row, usages);
  return [
    `indus ${name}: ${summary}`,
    "",
    ...aligned(usagesOf(row)),
    "",
    "Flags:",
    ...flagLines(rows),
    "",
    "Exit codes:",
    "  0  done",
    `  1  a fault${fault === undefined ? "" : `: ${fault}`}`,
    "  2  wrong usage",
    "",
  ].join("\n");
}

/** A usage, and what it does. */
type Told = readonly [usage: string, summary: string];

function usagesOf(row: Subcommand): readonly Told[] {
  return row.usages.map(
    (usage): Told => [
      usageLine(row, usage) + (usage.flags?.includes("json") ? " [--json]" : ""),
      usage.summary,
    ],
  );
}

/** A longer usage has its summary right after it. */
const MAX_USAGE = 40;

function aligned(rows: readonly Told[]): readonly string[] {
  const width = Math.min(MAX_USAGE, Math.max(...rows.map(([usage]) => usage.length)));
  return rows.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`);
}

function flagLines(rows: readonly FlagRow[]): readonly string[] {
  const width = Math.max(...rows.map((row) => flagColumn(row).length));
  return rows.map((row) => {
    const summary = row.choices ? `${row.summary}: ${row.choices.join(", ")}` : row.summary;
    return `  ${flagColumn(row).padEnd(width)}  ${summary}`;
  });
}

function flagColumn(row: FlagRow): string {
  return `${row.short === undefined ? "   " : `-${row.short},`} ${flagUsage(row)}`;
}

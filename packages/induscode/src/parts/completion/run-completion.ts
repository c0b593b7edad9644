// `indus completion bash|zsh|fish`: a completion script for the shell, derived from the tables of flags and of subcommands.

import { BUILT_IN_PROVIDERS, listModels } from "indusagi/llmgateway";
import { flagsOf } from "../../cli/command-words.ts";
import type { FlagRow } from "../../cli/flag-row.ts";
import { FLAGS } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { Subcommand, UsageRow } from "../../cli/subcommand-row.ts";
import { HOOK_EVENTS } from "../../feature/events.ts";
import { type CompletionPoint, type Offer, SCRIPTS, type Shell } from "./completion-scripts.ts";

const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

export function runCompletion({ words }: Invocation, table: readonly Subcommand[]): number {
  const shell = SHELLS.find((name) => name === words[1]);
  if (shell === undefined)
    throw new Problem(`unsupported shell "${words[1]}"; expected one of ${SHELLS.join(", ")}`, EXIT_USAGE);
  process.stdout.write(SCRIPTS[shell](completionPoints(table)));
  return EXIT_OK;
}

/** What can appear at each point of a command line: before any word, after a subcommand's name, and after its verb. */
function completionPoints(table: readonly Subcommand[]): readonly CompletionPoint[] {
  const start = {
    words: table.map(({ name, summary }) => ({ word: name, summary })),
    values: [],
    flags: FLAGS.map((row) => offerOf(row, table)),
  };
  return [
    { after: "", ...start },
    ...table.flatMap((row) => [pointOf(row, row.name, table), ...verbPoints(row, table)]),
  ];
}

function pointOf(row: Subcommand, after: string, table: readonly Subcommand[]): CompletionPoint {
  const verbs = row.usages.filter((usage) => verbOf(usage) !== undefined);
  const direct = row.usages.filter((usage) => verbOf(usage) === undefined || usage.isDefault);
  return {
    after,
    words: verbs.map((usage) => ({ word: verbOf(usage) ?? "", summary: usage.summary })),
    values: direct.flatMap((usage) => valuesOf(placeholderOf(usage), table)),
    flags: flagsOf(row, direct).map((flag) => offerOf(flag, table)),
  };
}

function verbPoints(row: Subcommand, table: readonly Subcommand[]): readonly CompletionPoint[] {
  return row.usages.flatMap((usage) => {
    const verb = verbOf(usage);
    if (verb === undefined) return [];
    return {
      after: `${row.name} ${verb}`,
      words: [],
      values: valuesOf(placeholderOf(usage), table),
      flags: flagsOf(row, [usage]).map((flag) => offerOf(flag, table)),
    };
  });
}

function offerOf(
  { name, short, kind, value, choices, summary }: FlagRow,
  table: readonly Subcommand[],
): Offer {
  const values = choices ?? valuesOf(value, table);
  return { name, summary, takesValue: kind !== "boolean", values, short };
}

/** The literal word that a usage starts with. */
function verbOf({ words }: UsageRow): string | undefined {
  return /^[a-z]+/.exec(words)?.[0];
}

function placeholderOf({ words }: UsageRow): string | undefined {
  return /[<[]([^\]>]+)/.exec(words)?.[1];
}

/** The known values for a placeholder in a usage or a flag. */
function valuesOf(placeholder: string | undefined, table: readonly Subcommand[]): Offer["values"] {
  switch (placeholder) {
    case "file":
    case "path":
      return "files";
    case "folder":
      return "folders";
    case "event":
      return HOOK_EVENTS;
    case "provider":
      return BUILT_IN_PROVIDERS.flatMap(({ id, apiKeyEnv }) => (apiKeyEnv === undefined ? [] : [id]));
    case "provider/id":
      return listModels().map(({ provider, id }) => `${provider}/${id}`);
    case "shell":
      return SHELLS;
    case "command":
      return table.map(({ name }) => name);
    default:
      return [];
  }
}

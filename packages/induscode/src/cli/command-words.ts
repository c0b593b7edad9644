// Matches the words and flags of a command line against the table of subcommands. The messages for mistakes are in `command-mistakes`,
// which only a mistake loads.

import { type FlagRow, flagUsage } from "./flag-row.ts";
import { type CommandLine, FLAGS } from "./flags.ts";
import type { Invocation } from "./invocation.ts";
import type { AddedUsages, Subcommand, UsageRow } from "./subcommand-row.ts";

/** The subcommand that the words name; undefined for a task. */
export function subcommandOf(
  [first, ...rest]: readonly string[],
  table: readonly Subcommand[],
): Subcommand | undefined {
  const known = table.find(({ name }) => name === first);
  if (known?.name !== "help" || rest.length < 2) return known;
  const [wanted, verb] = rest; // "help me with the tests" is a task, "help addon new" is not
  const usages = table.find(({ name }) => name === wanted)?.usages ?? [];
  return usages.some((usage) => literalWords(usage)[0] === verb) ? known : undefined;
}

/** The usage that matches the words after the subcommand's name; an empty word, from a variable that is not set, matches none. */
export function usageOf({ usages }: Subcommand, typed: readonly string[]): UsageRow | undefined {
  if (typed.includes("")) return undefined;
  return usages.find((usage) => {
    if (typed.length === 0 && usage.isDefault) return true;
    const pattern = usage.words === "" ? [] : usage.words.split(" ");
    const fewest = pattern.filter((word) => !word.startsWith("[")).length;
    const most = usage.words.endsWith("...]") ? Number.POSITIVE_INFINITY : pattern.length;
    return typed.length >= fewest && typed.length <= most && beginsLike(usage, typed);
  });
}

/** Whether the words begin with the literal words of a usage. */
export function beginsLike(usage: UsageRow, typed: readonly string[]): boolean {
  return literalWords(usage).every((word, at) => typed[at] === word);
}

/** The literal words of a usage. */
export function literalWords({ words }: UsageRow): readonly string[] {
  return words.split(" ").filter((word) => /^[a-z]/.test(word));
}

/** A flag on the line that the usage does not take, or one that is missing; undefined if nothing is wrong. */
export function flagMistake(
  usage: UsageRow,
  { flags }: CommandLine,
): { readonly stray?: string; readonly missing?: string } | undefined {
  const takes: readonly string[] = ["cwd", ...(usage.flags ?? [])];
  const stray = Object.keys(flags).find((name) => !takes.includes(name));
  if (stray !== undefined) return { stray };
  const missing = usage.needs?.find((name) => !Object.hasOwn(flags, name));
  return missing === undefined ? undefined : { missing };
}

/** The flags that these usages of a subcommand take; its own come first. */
export function flagsOf(row: Subcommand, usages: readonly UsageRow[]): readonly FlagRow[] {
  const taken = new Set(["cwd", "help", ...usages.flatMap(({ flags = [] }) => flags)]);
  return [...row.flags, ...FLAGS]
    .filter(({ name }) => taken.has(name))
    .map((flag: FlagRow) => (flag.name === "json" ? { ...flag, summary: "the answer as JSON" } : flag));
}

/** A usage as one writes it, with its required flags: `indus addon new <name> --kind <kind>`. */
export function usageLine(row: Subcommand, usage: UsageRow): string {
  const { words, isDefault, needs = [] } = usage;
  const flags = needs.length === 0 ? [] : flagsOf(row, [usage]).filter(({ name }) => needs.includes(name));
  return ["indus", row.name, isDefault ? `[${words}]` : words, ...flags.map(flagUsage)]
    .filter((part) => part !== "")
    .join(" ");
}

/** The rows, each with the usages that were added to it. What was typed decides whose code runs. */
export function withUsages(
  rows: readonly Subcommand[],
  added: readonly AddedUsages[],
): readonly Subcommand[] {
  return rows.map((row) => added.filter(({ name }) => name === row.name).reduce(joined, row));
}

function joined(row: Subcommand, more: AddedUsages): Subcommand {
  return {
    ...row,
    usages: [...row.usages, ...more.usages],
    flags: [...row.flags, ...more.flags],
    load: async () => async (line: Invocation<never>, table: readonly Subcommand[]) => {
      const isAdded = more.usages.some((usage) => beginsLike(usage, line.words.slice(1)));
      return (await (isAdded ? more : row).load())(line, table);
    },
  };
}

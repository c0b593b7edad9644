// Messages for a command line that meant a subcommand but names none, or that names one with the wrong words. Loaded only for a mistake,
// or for a task of one or two words, which could be one.

import { nearest } from "indusagi/core";
import { shownWord } from "../deck/shell-quote.ts";
import { beginsLike, flagMistake, flagsOf, literalWords, usageLine, usageOf } from "./command-words.ts";
import { flagUsage } from "./flag-row.ts";
import type { CommandLine } from "./flags.ts";
import { EXIT_USAGE, Problem } from "./problem.ts";
import type { Subcommand } from "./subcommand-row.ts";

/** Words that other programs use for what is a different command or a flag here. */
const HINTS: Readonly<Record<string, string>> = {
  resume: "indus -c",
  version: "indus --version",
  swarm: "indus crew run PLAN.toml",
  team: "indus crew run PLAN.toml",
  model: "indus models",
  login: "indus auth login PROVIDER",
  logout: "indus auth logout PROVIDER",
  config: "indus doctor",
  settings: "indus doctor",
  setup: "indus doctor",
  plugin: "indus addons",
  plugins: "indus addons",
  approvals: "indus permissions",
  allowed: "indus permissions",
};

/** Words that other programs use for a command that has no equivalent here. Nobody gives a model one of these alone as a task. */
const UNKNOWN: ReadonlySet<string> = new Set([
  ...["chat", "exec", "init", "install", "run", "serve", "uninstall", "update", "upgrade"],
]);

/** Verbs common in other programs. */
const VERBS: readonly string[] = ["list", "ls", "show", "add", "remove", "rm", "delete", "create", "info"];

/** Throws a {@link Problem} if words that name no subcommand were meant to. */
export function refuseMistyped(words: readonly string[], table: readonly Subcommand[]): void {
  const [first = "", ...rest] = words;
  if (!/^[a-z][a-z-]*$/i.test(first)) return;
  const names = table.map(({ name }) => name);
  const near = table[names.indexOf(nearest(first, names) ?? "")];
  // Two words can well be a task, unless they name something a command does.
  const isAlone = rest.length === 0 || (near && rest.length === 1 && isVerb(rest[0] ?? "", table));
  if (!isAlone) return;
  const word = first.toLowerCase();
  const takesWords = near?.usages.some((usage) => usage.words !== "");
  const hint = Object.hasOwn(HINTS, word) ? HINTS[word] : undefined;
  const meant = hint ?? (near && `indus ${[near.name, ...(takesWords ? rest : [])].join(" ")}`);
  if (meant === undefined && !UNKNOWN.has(word)) return;
  throw new Problem(
    `unknown command "${first}"; did you mean ${meant ?? "indus --help"}? ${toTheModel(words)}`,
    EXIT_USAGE,
  );
}

function isVerb(word: string, table: readonly Subcommand[]): boolean {
  const own = table.flatMap(({ usages }) => usages.map((usage) => literalWords(usage)[0]));
  return VERBS.includes(word) || own.includes(word);
}

/** Throws a {@link Problem} if a line without a subcommand has a flag that belongs to one subcommand. */
export function refuseOwnFlags({ flags }: CommandLine, table: readonly Subcommand[]): void {
  const stray = table.flatMap((row) => row.flags).find(({ name }) => Object.hasOwn(flags, name))?.name;
  if (stray === undefined) return;
  const takers = table.filter((row) => row.flags.some(({ name }) => name === stray));
  const named = takers.map(({ name }) => `indus ${name}`).join(" and ");
  throw new Problem(`--${stray} is only valid with ${named}`, EXIT_USAGE);
}

const WITH_REHEARSE: readonly string[] = "rehearse plain rich permission-mode allow deny grant addon".split(
  " ",
);

/** Throws a {@link Problem} if `--rehearse` stands with a task, or with a flag that would do nothing there. */
export function refuseUnrehearsed({ flags, words, attachments }: CommandLine): void {
  if (words.length + attachments.length > 0)
    throw new Problem("--rehearse takes no task: it plays a recording of one", EXIT_USAGE);
  const stray = Object.keys(flags).find((name) => !WITH_REHEARSE.includes(name));
  if (stray === undefined) return;
  const takes = WITH_REHEARSE.slice(1).map((name) => `--${name}`);
  throw new Problem(`--${stray} is not valid with --rehearse, which takes ${takes.join(", ")}`, EXIT_USAGE);
}

/** Describes what is wrong with a line that names this subcommand. */
export function usageMistake(row: Subcommand, line: CommandLine): Problem {
  const usage = usageOf(row, line.words.slice(1));
  if (usage === undefined) return new Problem(wordMistake(row, line.words), EXIT_USAGE);
  const written = ["indus", row.name, ...literalWords(usage)].join(" ");
  const { stray, missing } = flagMistake(usage, line) ?? {};
  if (stray !== undefined) {
    const takes = ["cwd", ...(usage.flags ?? [])].map((name) => `--${name}`).join(", ");
    return new Problem(`--${stray} is not valid with ${written}, which takes ${takes}`, EXIT_USAGE);
  }
  const flag = flagsOf(row, [usage]).find(({ name }) => name === missing);
  const choices = flag?.choices ? `: ${flag.choices.join(", ")}` : "";
  return new Problem(`${written} needs ${flag && flagUsage(flag)}${choices}`, EXIT_USAGE);
}

const KEY_TYPED =
  "do not pass a key as an argument, which every program on this machine can read: run indus auth login PROVIDER, and enter it when " +
  "asked, or pipe it in. The key you just typed is no longer secret";

function wordMistake(row: Subcommand, words: readonly string[]): string {
  const [, verb, ...rest] = words;
  const alike = row.usages.filter(
    (usage) => literalWords(usage).length > 0 && beginsLike(usage, words.slice(1)),
  );
  // The typed text could be a secret in the wrong place, so it is not repeated.
  if (row.name === "auth" && verb === "login" && rest.length > 1) return KEY_TYPED;
  const ways = (alike.length > 0 ? alike : row.usages).map((usage) => usageLine(row, usage));
  const last = ways.pop();
  const line = `usage: ${ways.length === 0 ? "" : `${ways.join(", ")}, or `}${last}`;
  if (words.includes("")) return `an argument is empty; ${line}`;
  const verbs = row.usages.flatMap((usage) => literalWords(usage)[0] ?? []);
  const near = verb === undefined || verbs.includes(verb) ? undefined : nearest(verb, verbs);
  if (near !== undefined)
    return `unknown command "${row.name} ${verb}"; did you mean indus ${row.name} ${near}?`;
  return verb === undefined ? line : `${line}. ${toTheModel(words)}`;
}

/** What to write if words that look like a command are meant as a task. */
function toTheModel(words: readonly string[]): string {
  return `To send it to the model, write: indus -p ${shownWord(words.join(" "))}`;
}

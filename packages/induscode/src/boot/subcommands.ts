// The first word of a command line: a command of indus, a word that was meant for one, or the beginning of a task.

import { nearest } from "indusagi/core";
import { shownWord } from "../deck/shell-quote.ts";
import { EXIT_USAGE, Problem } from "./problem.ts";

export const SUBCOMMANDS = [
  "session",
  "prompt",
  "skills",
  "agents",
  "doctor",
  "models",
  "auth",
  "addons",
  "addon",
] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

/** Words that other programs have for a command, with what does it here. Nobody gives a model one of them alone as a task. */
const MEANT: Readonly<Record<string, string>> = {
  config: "indus doctor",
  login: "indus auth login PROVIDER",
  logout: "indus auth logout PROVIDER",
  model: "indus models",
  plugin: "indus addons",
  plugins: "indus addons",
  resume: "indus -c",
  sessions: "indus -c (the newest session), indus -r ID (another one), or indus session verify",
  settings: "indus doctor",
  setup: "indus doctor",
  version: "indus --version",
};
const HELP: ReadonlySet<string> = new Set([
  ...["chat", "exec", "help", "init", "install", "mcp", "run", "serve", "uninstall", "update", "upgrade"],
]);

/** The command that the words begin with; undefined for a task. Throws a {@link Problem} for what was meant for one. */
export function subcommandOf(words: readonly string[]): Subcommand | undefined {
  const [first = "", ...rest] = words;
  const known = SUBCOMMANDS.find((name) => name === first);
  if (known !== undefined) return known;
  if (!/^[a-z][a-z-]*$/i.test(first)) return undefined;
  const near = nearest(first, SUBCOMMANDS);
  // Two words may well be a task, unless they name what a command does.
  const isAlone = rest.length === 0 || (near !== undefined && rest.length === 1 && VERBS.has(rest[0] ?? ""));
  if (!isAlone) return undefined;
  const word = first.toLowerCase();
  const meant = Object.hasOwn(MEANT, word)
    ? MEANT[word]
    : near && `indus ${[near, ...(ALONE.has(near) ? [] : rest)].join(" ")}`;
  const isHelp = HELP.has(word);
  if (meant === undefined && !isHelp) return undefined;
  throw new Problem(
    `there is no command "${first}"; did you mean ${isHelp ? "indus --help" : meant}? ${toTheModel(words)}`,
    EXIT_USAGE,
  );
}

/** Commands that take no further words. */
const ALONE: ReadonlySet<string> = new Set(["agents", "prompt", "doctor"]);

const VERBS: ReadonlySet<string> = new Set([
  ...["list", "ls", "show", "add", "remove", "rm", "delete", "verify", "check"],
  ...["login", "logout", "new", "create", "test", "dev", "explain", "restart", "revoke", "info"],
]);

/** What to write where words that begin like a command are a task after all. */
export function toTheModel(words: readonly string[]): string {
  return `To send it to the model, write: indus -p ${shownWord(words.join(" "))}`;
}

/** Throws where a command that takes no further words has some. */
export function takesNoWords(words: readonly string[]): void {
  const [first = "", second] = words;
  if (second === undefined) return;
  throw new Problem(`write: indus ${first}, without "${second}". ${toTheModel(words)}`, EXIT_USAGE);
}

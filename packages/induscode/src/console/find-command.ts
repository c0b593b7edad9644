// Which command a typed name means: all fronts resolve it the same way.

import { nearest } from "indusagi/core";
import type { InstalledCommand } from "../feature/command.ts";
import { HELP } from "./parse-line.ts";
import { printableLine } from "./printable-line.ts";

/**
 * Every name that can be typed, in lower case: each command's own, and for a skill or a macro the bare name after its
 * prefix (`/fix-issue` for `/skill:fix-issue`) if no command has that name and it is unambiguous.
 */
export function commandNames(commands: readonly InstalledCommand[]): ReadonlyMap<string, InstalledCommand> {
  const names = new Map<string, InstalledCommand>();
  for (const command of commands) {
    const name = command.name.toLowerCase();
    if (!names.has(name)) names.set(name, command);
  }
  const bare = new Map<string, InstalledCommand | undefined>();
  for (const command of commands) {
    const [, name] = /^[^:]+:([^:]+)$/.exec(command.name.toLowerCase()) ?? [];
    if (name !== undefined) bare.set(name, bare.has(name) ? undefined : command);
  }
  for (const [name, command] of bare) if (command && !names.has(name)) names.set(name, command);
  return names;
}

/** What subcommands, and commands of other agents, are called here. */
const MEANT: Readonly<Record<string, string>> = {
  models: "model",
  auth: "login",
  session: "sessions",
  config: "settings",
  continue: "resume",
  reset: "clear",
  stats: "usage",
};

/** The command that is meant, or a message if there is none; `subcommands` are what the shell has. */
export function findCommand(
  commands: readonly InstalledCommand[],
  typed: string,
  subcommands: readonly string[] = [],
): InstalledCommand | string {
  const names = commandNames(commands);
  // A console without keys of its own has no list of them.
  const found = typed === HELP ? (names.get("keys") ?? names.get("help")) : names.get(typed.toLowerCase());
  if (found) return found;
  const word = typed.toLowerCase();
  const meant = Object.hasOwn(MEANT, word) ? MEANT[word] : undefined;
  const near = meant && names.has(meant) ? meant : nearest(word, [...names.keys(), ...subcommands]);
  const hint =
    near === undefined
      ? ""
      : names.has(near)
        ? ` Did you mean /${near}?`
        : near === word
          ? ` In a shell there is: indus ${near}.`
          : ` Did you mean indus ${near}, in a shell?`;
  return `Unknown command /${printableLine(typed, 40)}.${hint} Type /help.`;
}

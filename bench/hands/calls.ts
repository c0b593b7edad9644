// How rows say what a model does.

import type { ScriptedTurn } from "../../tests/support/model-server.ts";
import type { Right, Situation } from "./situation.ts";

/** One call a turn. */
export function calls(
  ...made: readonly (readonly [name: string, input: unknown])[]
): readonly ScriptedTurn[] {
  return made.map(([name, input]) => ({ calls: [{ name, input }] }));
}

export const bash = (...commands: readonly string[]): readonly ScriptedTurn[] =>
  calls(...commands.map((command) => ["bash", { command }] as const));

/** What `bash` reports of a command that prints this and succeeds. */
export const printed = (text: string): string => `stdout:\n${text}\n\nstatus: exit code 0`;

type Rest = Omit<Situation, "group" | "name" | "gets" | "turns" | "right">;

/** A row: its name, what the model gets, its turns, what is right. */
export function rowsOf(group: string) {
  return (
    name: string,
    gets: string,
    turns: readonly ScriptedTurn[],
    right: Right,
    rest: Rest = {},
  ): Situation => ({ group, name, gets, turns, right, ...rest });
}

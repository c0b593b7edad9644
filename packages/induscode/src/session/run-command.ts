// A typed command in a program's session: what it says is returned, and what it has for the model is a task.

import type { Conductor, ConductorFault } from "../conductor/contract.ts";
import { findCommand } from "../console/find-command.ts";
import { parseLine } from "../console/parse-line.ts";
import type { ConsoleList, InstalledCommand } from "../feature/command.ts";
import { commandFault } from "../feature/dispatch/command-fault.ts";
import type { SessionHandles } from "../feature/services.ts";

/** How a typed command ended. */
export type CommandEnd =
  | {
      readonly kind: "done";
      /** What it shows the person, after its last list; empty if nothing. Untrusted if the command is an addon's. */
      readonly said: string;
      /** What it has for the model: submit it. Absent if nothing, or if a running task has got it already. */
      readonly task?: string | undefined;
      /** The person wants to leave: `/quit`. */
      readonly leaves: boolean;
    }
  /** The line names no command; `message` says which one may be meant. */
  | { readonly kind: "unknown"; readonly message: string }
  | { readonly kind: "faulted"; readonly fault: ConductorFault };

export interface CommandsHere {
  readonly commands: readonly InstalledCommand[];
  readonly conductor: Pick<Conductor, "status">;
  readonly handles: SessionHandles;
  readonly cwd: string;
  /** How many times `/quit` was typed. */
  readonly timesLeft: () => number;
  /** Lists to choose from; absent if nobody is shown any. */
  readonly list?: ListMaker | undefined;
}

/** `takeSaid`: what the command has said until now, which its person must see with the list. */
export type ListMaker = (takeSaid: () => string) => ConsoleList;

/** Never rejects. */
export async function runCommand(
  typed: string,
  { commands, conductor, handles, cwd, timesLeft, list }: CommandsHere,
): Promise<CommandEnd> {
  const line = parseLine(typed);
  if (line.kind !== "command")
    return { kind: "unknown", message: "expected a command such as /help, found a line without one" };
  const command = findCommand(commands, line.name);
  if (typeof command === "string") return { kind: "unknown", message: command };
  const said: string[] = [];
  const forModel: string[] = [];
  const before = timesLeft();
  const sendMessage = (text: string): void =>
    conductor.status().busy ? handles.sendMessage?.(text) : void forModel.push(text);
  try {
    await command.run({
      args: line.args,
      cwd,
      handles: { ...handles, sendMessage },
      say: (text) => void said.push(text),
      list: list?.(() => said.splice(0).join("\n")),
    });
  } catch (error) {
    return { kind: "faulted", fault: commandFault(command, error) };
  }
  const task = forModel.length > 0 ? forModel.join("\n") : undefined;
  return { kind: "done", said: said.join("\n"), task, leaves: timesLeft() > before };
}

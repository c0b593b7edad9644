import { nearest, printable } from "indusagi/core";
import { jsonLine } from "../channels/json.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { UserContent } from "../conductor/contract.ts";
import { commandNames } from "../console/find-command.ts";
import { parseLine } from "../console/parse-line.ts";
import { printableLine } from "../console/printable-line.ts";
import type { CommandContext, InstalledCommand } from "../feature/command.ts";
import { commandFault } from "../feature/dispatch/command-fault.ts";
import type { FeatureFault } from "../feature/install-report.ts";

/** A task that is a command: `indus -p "/deploy staging"`. */
export interface CommandTask {
  readonly command: InstalledCommand;
  readonly args: string;
}

/**
 * The command that a task names; undefined if the task is not a command line. Throws a {@link Problem} if there is no such command, or
 * if its name is `taken`: text meant for a command is not sent to the model instead.
 */
export function commandTask(
  content: UserContent,
  commands: readonly InstalledCommand[],
  taken: ReadonlySet<string>,
): CommandTask | undefined {
  const [first] = content;
  if (first?.kind !== "text") return undefined;
  const line = parseLine(first.text);
  if (line.kind !== "command") return undefined;
  const wanted = line.name.toLowerCase();
  const isTaken = taken.has(wanted);
  const names = commandNames(commands);
  const command = names.get(wanted);
  if (command && !isTaken) return { command, args: line.args };
  const near = nearest(wanted, [...names.keys()]);
  const parts = [
    `command not found outside the console: /${printableLine(line.name, 40)}`,
    ...(near === undefined || isTaken ? [] : [`did you mean /${near}?`]),
    isTaken
      ? "the name belongs to the console, so no addon, skill or command file defines it"
      : names.size === 0
        ? "no addon, skill or command file defines a command"
        : "indus --help lists the available commands",
    "to send the line to the model, put a word before it",
  ];
  throw new Problem(parts.join("; "), EXIT_USAGE);
}

export interface PrintCommandContext extends Pick<CommandContext, "cwd" | "handles"> {
  /** Each line on stdout is a JSON object from the host, with the command's text in `say`. */
  readonly isJson: boolean;
  /** Called with a fault if it throws. */
  readonly onFault: (fault: FeatureFault) => void;
}

/** Runs it: its output is the answer; if it throws, that is a fault of its feature. Returns the exit code. */
export async function runPrintCommand(
  { command, args }: CommandTask,
  { cwd, handles, isJson, onFault }: PrintCommandContext,
): Promise<number> {
  const { name, feature } = command;
  // Printable for a terminal; unchanged for a pipe, because its reader can need every byte.
  const say = (text: string): void => {
    if (isJson) {
      process.stdout.write(jsonLine({ type: "say", command: name, owner: feature, text }));
      return;
    }
    const shown = process.stdout.isTTY === true ? printable(text) : text;
    process.stdout.write(`${shown.trimEnd()}\n`);
  };
  try {
    await command.run({ args, cwd, handles, say });
    return EXIT_OK;
  } catch (error) {
    onFault(commandFault(command, error));
    return EXIT_FAULT;
  }
}

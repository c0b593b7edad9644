// What a person runs without the model: `/commands`, and shell commands after `!`.

import { describeError, printable } from "indusagi/core";
import type { Conductor, UserContent } from "../conductor/contract.ts";
import type { ConsoleList, InstalledCommand } from "../feature/command.ts";
import type { SessionHandles } from "../feature/services.ts";
import { findCommand } from "./find-command.ts";
import type { ParsedLine } from "./parse-line.ts";
import { runShellLine } from "./shell-line.ts";

/** What a console needs of the session that it shows, which may be open in another process. */
export type ShownConductor = Pick<
  Conductor,
  "abort" | "announce" | "setThinking" | "status" | "steer" | "submit" | "subscribe" | "takeBack" | "waiting"
>;

export interface CommandSession {
  readonly conductor: ShownConductor;
  /** Read again for each line: features come and go. */
  readonly commands: readonly InstalledCommand[];
  /** What the shell has: named where somebody looks for it here. */
  readonly subcommands?: readonly string[] | undefined;
  readonly cwd: string;
  /** What commands can act through here. */
  readonly handles: SessionHandles;
}

interface CommandFront {
  readonly say: (text: string) => void;
  /** Says that there is no such command; default: `say`. */
  readonly sayUnknown?: (text: string) => void;
  /** A shell command starts; `name` is the sign typed before it. */
  readonly begin: (
    name: string,
    line: string,
  ) => {
    readonly progress?: (tail: string) => void;
    readonly end: (state: Awaited<ReturnType<typeof runShellLine>>["state"], output: string) => void;
  };
  /** Lists that commands let the person choose from, where there are any. */
  readonly list?: ConsoleList | undefined;
}

export interface Commands {
  /** Never rejects: a failure is a fault of the feature that contributed the command. */
  readonly run: (line: Extract<ParsedLine, { kind: "command" }>) => Promise<void>;
  readonly shell: (line: Extract<ParsedLine, { kind: "shell" }>) => Promise<void>;
  /** Output of the person's own commands that the model reads along with its next message. */
  readonly takeHeard: () => UserContent;
  /** Text that a command sent to the model while no task was running: the next task. */
  readonly takeSpoken: () => UserContent | undefined;
}

export function createCommands(session: CommandSession, front: CommandFront): Commands {
  const { conductor, handles, cwd } = session;
  const { say, sayUnknown = say, begin, list } = front;
  const heard: string[] = [];
  let spoken: UserContent | undefined;

  function tellModel(text: string): void {
    if (conductor.status().busy) conductor.steer([{ kind: "text", text }]);
    else heard.push(text);
  }

  return {
    run: async ({ name, args }) => {
      const command = findCommand(session.commands, name, session.subcommands);
      if (typeof command === "string") {
        sayUnknown(command);
        return;
      }
      try {
        const words: string[] = [];
        // During a task a message joins it; otherwise the text that a command sends to the model becomes the next task.
        const sendMessage = (text: string): void =>
          void (conductor.status().busy ? handles.sendMessage?.(text) : words.push(text));
        await command.run({
          args,
          cwd,
          say: (text) => say(printable(text).trimEnd()),
          handles: { ...handles, sendMessage },
          list,
        });
        if (words.length > 0) spoken = [{ kind: "text", text: words.join("\n") }];
      } catch (error) {
        const message = `/${command.name} of ${command.feature} failed: ${describeError(error)}`;
        const fault = { kind: "command", owner: command.feature, message, cause: error } as const;
        conductor.announce({ kind: "fault", fault }); // received here too, as by every listener
      }
    },
    shell: async (line) => {
      const { progress, end: show } = begin(line.isShared ? "!" : "!!", line.command);
      const end = await runShellLine(line, handles.exec, progress);
      show(end.state, end.shown);
      if (end.heard !== undefined) tellModel(end.heard);
    },
    takeHeard: () => heard.splice(0).map((text) => ({ kind: "text", text })),
    takeSpoken: () => {
      const next = spoken;
      spoken = undefined;
      return next;
    },
  };
}

// What a person runs without the model: `/commands`, and shell commands after `!`.

import { describeError, printable } from "indusagi/core";
import type { UserContent } from "../../conductor/contract.ts";
import { findCommand } from "../../console/find-command.ts";
import type { ParsedLine } from "../../console/parse-line.ts";
import type { PlainConsoleOptions } from "../../console/plain-console.ts";
import { runShellLine } from "../../console/shell-line.ts";
import type { ConsoleList } from "../../feature/command.ts";
import type { Transcript } from "../transcript/transcript.ts";

export type CommandSession = Pick<PlainConsoleOptions, "conductor" | "commands" | "handles" | "cwd">;

export interface Commands {
  /** Never rejects: a failure is a fault of the feature that contributed the command. */
  readonly run: (line: Extract<ParsedLine, { kind: "command" }>) => Promise<void>;
  readonly shell: (line: Extract<ParsedLine, { kind: "shell" }>) => Promise<void>;
  /** Output of the person's own commands that the model reads along with its next message. */
  readonly takeHeard: () => UserContent;
  /** Text that a command sent to the model while no task was running: the next task. */
  readonly takeSpoken: () => UserContent | undefined;
}

export function createCommands(
  session: CommandSession,
  say: (text: string) => void,
  begin: Transcript["command"],
  list: ConsoleList,
): Commands {
  const { conductor, handles, cwd } = session;
  const heard: string[] = [];
  let spoken: UserContent | undefined;

  function tellModel(text: string): void {
    if (conductor.status().busy) conductor.steer([{ kind: "text", text }]);
    else heard.push(text);
  }

  return {
    run: async ({ name, args }) => {
      const command = findCommand(session.commands, name);
      if (typeof command === "string") {
        say(command);
        return;
      }
      try {
        const words: string[] = [];
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
        conductor.announce({ kind: "fault", fault });
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

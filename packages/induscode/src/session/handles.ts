import type { SessionScope } from "indusagi/core";
import type { Conductor } from "../conductor/contract.ts";
import { commandLine } from "../deck/shell-quote.ts";
import type { SessionHandles } from "../feature/services.ts";
import { isThinkingLevel, THINKING_LEVELS } from "../settings/thinking-levels.ts";

/** The handles through which a command acts on the session it is typed in. */
export function createSessionHandles(conductor: Conductor, session: SessionScope): SessionHandles {
  return {
    session,
    sendMessage: (text) => conductor.steer([{ kind: "text", text }]),
    setModel: async (name) => (await conductor.setModel(name))?.message,
    setThinking: (level) => {
      if (!isThinkingLevel(level))
        return `"${level}" is not a thinking level; use ${THINKING_LEVELS.join(", ")}`;
      conductor.setThinking(level);
      return undefined;
    },
    exec: execIn(conductor),
  };
}

/** Runs command lines through the session's gate, as the `bash` tool does. */
export function execIn(conductor: Pick<Conductor, "exec">): NonNullable<SessionHandles["exec"]> {
  return (command, args, { signal, by, progress } = {}) =>
    conductor.exec(commandLine(command, args), signal, by, progress);
}

// A console's commands for the session that is wired with them.

import { JOBS } from "indusagi/capabilities";
import { BACKGROUND } from "../../deck/builtins/delegate-desk.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { IndusSession } from "../../session/open-indus.ts";
import { consoleCommandsFeature } from "./console-commands.ts";
import type { ConsoleFacts } from "./session-reports.ts";

interface CommandsHere
  extends Pick<ConsoleFacts, "line" | "home" | "cwd" | "settings" | "rules" | "env" | "mask"> {
  /** A person is at a terminal. */
  readonly isTerminal: boolean;
  readonly themes: ConsoleFacts["themes"] | undefined;
  /** Asked when a command runs. */
  readonly session: () => IndusSession;
}

/** The commands, before there is a session. */
export function commandsHere({ isTerminal, themes, session, ...facts }: CommandsHere): FeatureModule {
  return consoleCommandsFeature({
    ...facts,
    toTerminal: isTerminal ? (sequence) => void process.stdout.write(sequence) : undefined,
    themes,
    status: () => session().conductor.status(),
    toolOwners: () => session().toolOwners(),
    windowOf: (model) => session().windowOf(model),
    countTokens: () => session().conductor.countTokens(new AbortController().signal),
    background: () => ({
      jobs: session().handles.session?.get(JOBS),
      delegates: session().handles.session?.get(BACKGROUND),
    }),
  });
}

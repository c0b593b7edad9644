// The session's own commands that no part has yet, each one object, as an addon's is.

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: "plan",
    summary: "change nothing until you approve a plan; off: leave plan mode",
    argumentHint: "[off]",
    complete: () => ["off"],
    run: ({ args, handles, say }) => say(sessionIn(handles.session).plan.command(args)),
  },
];

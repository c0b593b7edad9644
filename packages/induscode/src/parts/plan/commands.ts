// Plan mode, by the person: nothing is changed until a plan is approved.

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";

export const PLAN_COMMANDS: readonly Command[] = [
  {
    name: "plan",
    summary: "let the model change nothing until you approve a plan; off: leave plan mode",
    argumentHint: "[off]",
    complete: () => ["off"],
    run: ({ args, handles, say }) => say(sessionIn(handles.session).permissions.modes.plan(args)),
  },
];

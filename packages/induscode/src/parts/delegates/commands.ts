// The delegates of a folder, in a console.

import type { Command } from "../../feature/command.ts";
import { frontIn } from "../../session/session-here.ts";

export const DELEGATES_COMMANDS: readonly Command[] = [
  {
    name: "agents",
    summary: "list the delegates of this folder",
    run: async ({ handles, say }) =>
      say(await (await import("./run-agents.ts")).agentsReport(frontIn(handles.session).line)),
  },
];

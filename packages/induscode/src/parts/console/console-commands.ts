// Commands that no part has taken yet.

import type { Command } from "../../feature/command.ts";
import { frontIn, sessionIn } from "../../session/session-here.ts";

export const OTHER_COMMANDS: readonly Command[] = [
  {
    name: "trust",
    summary: "list the addons here that you have not trusted, or decide about one",
    argumentHint: "[ID]",
    run: async ({ args, handles, say }) => {
      if (args === "")
        return say(
          await (await import("../addons/untrusted-report.ts")).untrustedReport(sessionIn(handles.session)),
        );
      const { addonsCommand } = await import("../addons/addons-command.ts");
      say(await addonsCommand(`trust ${args}`, sessionIn(handles.session)));
    },
  },
  {
    name: "agents",
    summary: "list the delegates of this folder",
    run: async ({ handles, say }) =>
      say(await (await import("../delegates/run-agents.ts")).agentsReport(frontIn(handles.session).line)),
  },
  {
    name: "skills",
    summary: "list the skills of this folder and your own",
    run: async ({ handles, say }) =>
      say((await import("../prompt/run-skills.ts")).skillsReport(frontIn(handles.session).line)),
  },
];

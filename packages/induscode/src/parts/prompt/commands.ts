// What the system prompt is made of, in a console.

import type { Command } from "../../feature/command.ts";
import { frontIn } from "../../session/session-here.ts";

export const PROMPT_COMMANDS: readonly Command[] = [
  {
    name: "skills",
    summary: "list the skills of this folder and your own",
    run: async ({ handles, say }) =>
      say(await (await import("./run-skills.ts")).skillsReport(frontIn(handles.session).line)),
  },
];

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";

export const PERMISSION_COMMANDS: readonly Command[] = [
  {
    name: "permissions",
    summary: "list the saved permissions, here and everywhere",
    run: async ({ handles, say }) => {
      const { cwd, home } = sessionIn(handles.session);
      say((await import("./kept-report.ts")).keptReport({ cwd, home }));
    },
  },
  {
    name: "why",
    summary: "show how a call would be decided, part by part, and by which rule",
    argumentHint: "<call>",
    run: async ({ args, handles, say }) =>
      say(await (await import("./why-command.ts")).whyCommand(args, sessionIn(handles.session))),
  },
];

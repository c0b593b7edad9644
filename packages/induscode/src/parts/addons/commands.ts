// The addons of a session and their background tasks, in a console.

import type { Command } from "../../feature/command.ts";
import { inWords, type TaskReport } from "../../feature/dispatch/tasks.ts";
import { sessionIn } from "../../session/session-here.ts";

export const ADDONS_COMMANDS: readonly Command[] = [
  {
    name: "tasks",
    summary: "show the background tasks, or start one",
    argumentHint: "[name]",
    run: ({ args, handles, say }) => {
      const { tasks } = sessionIn(handles.session);
      say(args === "" ? describeTasks(tasks.report()) : (tasks.run(args) ?? `Started ${args}.`));
    },
  },
  {
    name: "addons",
    summary: "show the addons, or trust, restart or remove one",
    argumentHint: "[trust|restart|remove ID]",
    run: async ({ args, handles, say }) =>
      say(await (await import("./addons-command.ts")).addonsCommand(args, sessionIn(handles.session))),
  },
  {
    name: "trust",
    summary: "list the addons that you have not trusted, or decide about one",
    argumentHint: "[ID]",
    run: async ({ args, handles, say }) => {
      const session = sessionIn(handles.session);
      say(
        args === ""
          ? await (await import("./untrusted-report.ts")).untrustedReport(session)
          : await (await import("./addons-command.ts")).addonsCommand(`trust ${args}`, session),
      );
    },
  },
];

function describeTasks(reports: readonly TaskReport[]): string {
  if (reports.length === 0) return "No background tasks.";
  return reports
    .map(({ id, feature, state, description, lastFault, startsInMs }) => {
      const again = startsInMs === undefined ? "" : `, next run in ${inWords(startsInMs)}`;
      const line = `  ${id}  ${state}${again}  ${description}  (${feature})`;
      return lastFault === undefined ? line : `${line}\n    ${lastFault}`;
    })
    .join("\n");
}

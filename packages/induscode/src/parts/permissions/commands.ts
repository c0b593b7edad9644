import { START_MODES } from "../../deck/permissions/modes.ts";
import type { Command } from "../../feature/command.ts";
import type { OutsideFolder } from "../../feature/permission.ts";
import { sessionIn } from "../../session/session-here.ts";

export const PERMISSION_COMMANDS: readonly Command[] = [
  {
    name: "permissions",
    summary:
      "show the permission mode and the permissions that you saved for this folder and for all folders",
    run: async ({ handles, say }) => {
      const { cwd, home, permissions } = sessionIn(handles.session);
      const kept = (await import("./kept-report.ts")).keptReport({ cwd, home });
      const hosts = [...new Set(permissions.hosts())];
      const reached =
        hosts.length === 0 ? "" : `\nBy your answers, commands in the sandbox reach ${hosts.join(", ")}.`;
      const folders = permissions.folders();
      const read = folderLine(
        "read",
        folders.filter(({ isWritable }) => !isWritable),
      );
      const changed = folderLine(
        "read and change",
        folders.filter(({ isWritable }) => isWritable),
      );
      say(
        `Permission mode: ${await permissions.modes.settled()}; /mode shows the others.${reached}${read}${changed}\n${kept}`,
      );
    },
  },
  {
    name: "mode",
    summary: "show the permission modes, or switch to one for this session",
    argumentHint: "[name]",
    complete: () => START_MODES,
    run: async ({ args, handles, say }) =>
      say(await sessionIn(handles.session).permissions.modes.command(args.trim())),
  },
  {
    name: "why",
    summary: "show how a call would be decided, part by part, and by which rule",
    argumentHint: "<call>",
    run: async ({ args, handles, say }) =>
      say(await (await import("./why-command.ts")).whyCommand(args, sessionIn(handles.session))),
  },
];

function folderLine(verb: string, folders: readonly OutsideFolder[]): string {
  const paths = [...new Set(folders.map(({ path }) => path))];
  return paths.length === 0 ? "" : `\nBy your answers, commands in the sandbox ${verb} ${paths.join(", ")}.`;
}

// `/export` in a console.

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";

export const EXPORT_COMMANDS: readonly Command[] = [
  {
    name: "export",
    summary: "write this session to a file, for others to read: .html, .md or .json",
    argumentHint: "[file]",
    run: async ({ args, handles, say }) => {
      const { exportHere } = await import("./export-here.ts");
      say(await exportHere(args, sessionIn(handles.session)));
    },
  },
];

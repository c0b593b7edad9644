import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";
import { MEMORY_FILES } from "./kept-memory.ts";

export const memoryCommand: Command = {
  name: "memory",
  summary: "show the memory, add to it, remove an entry, or accept edits made by hand",
  argumentHint: "[accept|add|add-user|remove TEXT]",
  run: async ({ args, handles, say }) => {
    const { memoryReport } = await import("./memory-report.ts");
    say(await memoryReport(handles.session?.get(MEMORY_FILES), args, sessionIn(handles.session).secrets));
  },
};

import type { Command } from "../../feature/command.ts";
import { sessionIn } from "../../session/session-here.ts";

export const MCP_COMMANDS: readonly Command[] = [
  {
    name: "mcp",
    summary: "show the MCP servers of this session: state, tools, what they cost",
    run: async ({ handles, say }) =>
      say((await import("./mcp-command.ts")).mcpReport(sessionIn(handles.session))),
  },
];

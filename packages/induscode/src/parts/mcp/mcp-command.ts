// `/mcp`: the MCP servers of a session.

import { printableLine } from "../../console/printable-line.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { headOf, serverRows, troubleOf } from "./server-rows.ts";

const NONE =
  'No MCP servers in this session. To add one: indus add "mcp:COMMAND", or indus add FILE for a .mcp.json. /doctor says what did not load.';

export function mcpReport({
  features,
  notices,
  settings,
}: Pick<SessionHere, "features" | "notices" | "settings">): string {
  const servers = serverRows(features, settings);
  if (servers.length === 0) return NONE;
  return servers
    .map((row) => {
      const said = notices.recent(row.feature).map(({ severity, text }) => `${severity}: ${text}`);
      const lines = [row.tools.join(", "), ...troubleOf(row), ...said].filter((line) => line !== "");
      return [`  ${headOf(row)}`, ...lines.map((line) => `    ${printableLine(line)}`)].join("\n");
    })
    .join("\n");
}

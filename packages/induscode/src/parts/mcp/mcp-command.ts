// `/mcp`: the MCP servers of a session, each with its state, its tools, and what their descriptions take of the model's window.

import { estimateTokens } from "../../briefing/token-estimate.ts";
import { formatCount, plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { SessionHere } from "../../session/session-here.ts";

const NONE =
  'No MCP servers in this session. To add one: indus add "mcp:COMMAND", or indus addon import FILE for a .mcp.json. /doctor says what did not load.';

export function mcpReport({ features, notices }: Pick<SessionHere, "features" | "notices">): string {
  const servers = features.codeAddons().filter(({ isServer }) => isServer);
  if (servers.length === 0) return NONE;
  return servers
    .map(({ feature, remote, quarantine }) => {
      const tools = features.registry.tools
        .filter((each) => each.feature === feature)
        .map(({ tool }) => tool);
      const tokens = tools.reduce(
        (sum, { name, description, parameters }) =>
          sum + estimateTokens(JSON.stringify({ name, description, parameters })),
        0,
      );
      const names = tools.map(({ name }) => name).join(", ");
      const said = notices.recent(feature).map(({ severity, text }) => `${severity}: ${text}`);
      return [
        `  ${feature}  ${remote.state()}, ${plural(tools.length, "tool")}, about ${formatCount(tokens)} tokens of each request`,
        ...[names, quarantine() ?? "", ...said]
          .filter((line) => line !== "")
          .map((line) => `    ${printableLine(line)}`),
      ].join("\n");
    })
    .join("\n");
}

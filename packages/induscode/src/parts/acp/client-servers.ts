// The MCP servers that an editor hands over with a session, as `--mcp-config` has them: each is an addon, confined and trusted like any.

import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import type { ServerList } from "../packages/servers-for-run.ts";

export function handedServers(servers: readonly McpServer[], cwd: string): ServerList | undefined {
  if (servers.length === 0) return undefined;
  const tables = servers.map((server) => [server.name, tableOf(server)] as const);
  return { servers: Object.fromEntries(tables), base: cwd, said: "the editor" };
}

function tableOf(server: McpServer): Readonly<Record<string, unknown>> {
  if ("command" in server) return { command: server.command, args: server.args, env: record(server.env) };
  const { type } = server;
  return type === "acp" ? { type } : { type, url: server.url, headers: record(server.headers) };
}

function record(rows: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

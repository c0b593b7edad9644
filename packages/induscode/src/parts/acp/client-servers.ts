// The MCP servers that an editor hands over with a session, as `--mcp-config` has them: each is an addon, confined and trusted like any.

import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import type { Invocation } from "../../cli/invocation.ts";
import { withRunServers } from "../packages/servers-for-run.ts";

/** The line with them; `tell` hears of those that cannot be used, and why. */
export async function withClientServers<Flags>(
  line: Invocation<Flags>,
  servers: readonly McpServer[],
  cwd: string,
  tell: (text: string) => void,
): Promise<Invocation<Flags>> {
  if (servers.length === 0) return line;
  const tables = servers.map((server) => [server.name, tableOf(server)] as const);
  const list = { servers: Object.fromEntries(tables), base: cwd, said: "the editor" };
  return (await withRunServers(line as Invocation, [list], tell)) as Invocation<Flags>;
}

function tableOf(server: McpServer): Readonly<Record<string, unknown>> {
  if ("command" in server) return { command: server.command, args: server.args, env: record(server.env) };
  const { type } = server;
  return type === "acp" ? { type } : { type, url: server.url, headers: record(server.headers) };
}

function record(rows: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

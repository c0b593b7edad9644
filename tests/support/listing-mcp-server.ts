// An MCP server for tests whose lists are code of the test's: what it lists, when that changes, and at which moment it hangs.

import { serverManifest } from "./odd-mcp-server.ts";
import { createServedShared, type ServedWorkplace } from "./served-workplace.ts";

/** A server that works but for what `before` does with a message; it answers `tools/list` with `page(cursor)`. */
export const listingServer = (page: string, before = ""): string => `
import { createInterface } from "node:readline";
const tool = (name, description = "Does it.") => ({ name, description, inputSchema: { type: "object" } });
const tools = (count, from = 0) => Array.from({ length: count }, (_, at) => tool("t" + (from + at)));
const page = ${page};
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let calls = 0;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  ${before}
  if (method === "initialize")
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true }, prompts: {} }, serverInfo: { name: "s", version: "1" } } });
  if (method === "tools/list") return send({ id, result: page(params?.cursor) });
  if (method === "prompts/list") return send({ id, result: { prompts: [{ name: "p" }] } });
  if (method === "tools/call") {
    calls++;
    return send({ id, result: { content: [{ type: "text", text: params.name + " works" }] } });
  }
  if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
});
`;

/** What a session with it is started with. */
export const LISTING_FLAGS: readonly string[] = [
  "-p",
  "go",
  "--model",
  "anthropic/scripted",
  "--permission-mode",
  "bypass",
];

/** `calls`: the tools that the model calls, one after the other, in each session anew. */
export async function placeOfServers(
  servers: Readonly<Record<string, string>>,
  { calls = [], run = "" }: { readonly calls?: readonly string[]; readonly run?: string } = {},
): Promise<ServedWorkplace> {
  const place = await createServedShared((_, at) => {
    const name = calls[at % (calls.length + 1)];
    return name === undefined ? { text: "Done." } : { text: "On it.", calls: [{ name, input: {} }] };
  });
  for (const [id, source] of Object.entries(servers)) {
    place.file(`.indus/addons/${id}/manifest.toml`, serverManifest(id, ["node", "server.mjs"], run));
    place.file(`.indus/addons/${id}/server.mjs`, source);
  }
  return place;
}

/** Grants for one run. */
export const granting = (...ids: readonly string[]): readonly string[] =>
  ids.flatMap((id) => ["--grant", id]);

/** How each call ended, and what the model read. */
export const toolOutcomes = (place: ServedWorkplace): readonly (readonly [string, string])[] =>
  place.entries().flatMap((entry) => (entry.type === "tool" ? [[entry.state, entry.text] as const] : []));

// An MCP server's tools as those of an addon, written with the kit: `module-runner` runs it in the sandbox, where it starts the
// server or speaks to it over HTTP. What it works for is in the arguments behind the runner's own.

import { createHash } from "node:crypto";
import {
  Client,
  type jsonSchemaValidator,
  ProtocolError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject, JsonValue } from "indusagi/core";
import type { McpServer } from "../contract.ts";
import type { AddonSurface, AddonToolResult } from "../kit/contract.ts";
import { PROTOCOL_VERSION } from "../process/protocol/messages.ts";

/** What the host says of the server that this works for. */
interface McpFacts {
  readonly server: McpServer;
  /** The addon's folder. */
  readonly cwd: string;
}

type Found = Awaited<ReturnType<Client["listTools"]>>["tools"][number];
type Answer = Awaited<ReturnType<Client["callTool"]>>;

/** A server that knows only `initialize` may never answer the question that comes before it. */
const PROBE_MS = 2_000;
/** The host's deadlines apply. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** The most that an addon can register. */
const MAX_TOOLS = 200;
const MAX_NAME = 64;
const HASH_DIGITS = 8;

export async function register({ id, host, addTool }: AddonSurface): Promise<void> {
  const facts = JSON.parse(process.argv.at(-1) ?? "") as McpFacts;
  const client = new Client(
    { name: "indus", version: String(PROTOCOL_VERSION) },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
      jsonSchemaValidator: UNCHECKED,
    },
  );
  client.onclose = () => end("the MCP server closed the connection");
  client.onerror = (error) => host.log(`${error.message}\n`);
  client.setNotificationHandler("notifications/message", ({ params }) =>
    host.log(`${params.level}: ${textOf(params.data)}\n`),
  );
  client.setNotificationHandler("notifications/tools/list_changed", () =>
    host.diagnostic("warning", "its server's tools have changed: the next start offers the new ones"),
  );
  await client.connect(transportOf(facts), { timeout: NO_TIMEOUT_MS });
  const { tools } = await client.listTools(undefined, { timeout: NO_TIMEOUT_MS });
  if (tools.length > MAX_TOOLS)
    host.diagnostic("warning", `its server has ${tools.length} tools; the first ${MAX_TOOLS} are used`);
  for (const tool of tools.slice(0, MAX_TOOLS)) {
    addTool({
      name: toolName(id, tool.name),
      description: tool.description ?? tool.title ?? tool.name,
      parameters: tool.inputSchema as JsonObject,
      run: (args, { signal }) => call(client, tool, args, signal),
    });
  }
}

/** What a server says about its own outputs is not checked: they are text for the model. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Asked in place: the library would start a plain one's program twice. */
class ServerProgram extends StdioClientTransport {}

function transportOf({ server, cwd }: McpFacts): ServerProgram | StreamableHTTPClientTransport {
  if ("url" in server) {
    const requestInit = { headers: filled(server.headers) };
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit });
  }
  const [command = "", ...args] = server.command;
  const env = { ...(process.env as Record<string, string>), ...filled(server.env) };
  return new ServerProgram({ command, args, cwd, env, stderr: "inherit" });
}

/** With the secrets that `${NAME}` stands for. */
function filled(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.replace(
        /\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}/g,
        (_, variable: string) => process.env[variable] ?? "",
      ),
    ]),
  );
}

/** As other agents call it, so that their rules fit. Shortened with a hash of the whole, which is the same at each start. */
function toolName(id: string, name: string): string {
  const whole = `mcp__${id}__${name}`;
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, "_");
  if (plain === whole && whole.length <= MAX_NAME) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, HASH_DIGITS);
  return `${plain.slice(0, MAX_NAME - HASH_DIGITS - 1)}_${hash}`;
}

/** That a server refuses a call is to be expected, and no fault. */
async function call(
  client: Client,
  { name }: Found,
  args: JsonObject,
  signal: AbortSignal,
): Promise<AddonToolResult> {
  try {
    const answer = await client.callTool({ name, arguments: args }, { signal, timeout: NO_TIMEOUT_MS });
    return { content: blocksOf(answer), isError: answer.isError === true };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { content: [{ kind: "text", text: error.message }], isError: true };
  }
}

/** What can't be shown as text is named, not dropped. */
function blocksOf({ content, structuredContent }: Answer): AddonToolResult["content"] {
  if (content.length === 0 && structuredContent !== undefined)
    return [{ kind: "json", value: structuredContent as JsonValue }];
  return content.map((block) => ({ kind: "text", text: wordsOf(block) }));
}

function wordsOf(block: Answer["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `${block.name}: ${block.uri}`;
    case "resource":
      return "text" in block.resource
        ? block.resource.text
        : `[${block.resource.uri}: ${block.resource.mimeType ?? "bytes"}, not shown]`;
    case "image":
    case "audio":
      return `[${block.type} of ${block.mimeType}, not shown]`;
  }
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** The host starts the addon again for the next call. */
function end(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

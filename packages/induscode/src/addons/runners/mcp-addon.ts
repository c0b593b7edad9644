// An MCP server's tools as those of an addon, written with the kit: `module-runner` runs it in the sandbox, where it starts the
// server or speaks to it over HTTP. What it works for is in the arguments behind the runner's own.

import { createHash } from "node:crypto";
import { Client, type jsonSchemaValidator, type Progress, ProtocolError } from "@modelcontextprotocol/client";
import type { JsonObject } from "indusagi/core";
import type { McpServer } from "../contract.ts";
import type { AddonHostServices, AddonToolResult, ToolRunContext } from "../kit/contract.ts";
import type { RecordingSurface } from "../kit/recording-surface.ts";
import { PROTOCOL_VERSION } from "../process/protocol/messages.ts";
import { ServerAddress } from "./mcp-address.ts";
import { ServerProgram } from "./mcp-program.ts";
import { toolResultOf } from "./mcp-result.ts";
import { realAnswer } from "./mcp-stand-ins.ts";
import { isTable, kindOf } from "./mcp-table.ts";
import { readTools, type ServerTool } from "./mcp-tools.ts";
import { plainWords } from "./mcp-words.ts";

/** What the host says of the server that this works for. */
interface McpFacts {
  readonly server: McpServer;
  /** The addon's folder. */
  readonly cwd: string;
}

type Host = Pick<AddonHostServices, "log" | "diagnostic">;

/** A server that knows only `initialize` may never answer the question that comes before it. */
const PROBE_MS = 2_000;
/** The host's deadlines apply. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** The most that an addon can register. */
const MAX_TOOLS = 200;
const MAX_PAGES = 64;
/** How often a list is asked for again that changed while it was read. */
const MAX_AGAIN = 3;
const MAX_NAME = 64;
const HASH_DIGITS = 8;
const METHOD_NOT_FOUND = -32_601;

export async function register({ id, host, addTool, leaveOut }: RecordingSurface): Promise<void> {
  const facts = JSON.parse(process.argv.at(-1) ?? "") as McpFacts;
  const client = await inPlainWords(() => connect(facts, host));
  const { tools, skipped } = readTools(await inPlainWords(() => followTools(client, host)));
  for (const { name, reason } of skipped) leaveOut("tool", name, reason);
  const more = tools.length - MAX_TOOLS;
  if (more > 0)
    leaveOut("tool", `${more} more`, `its server has ${tools.length} tools; the first ${MAX_TOOLS} are used`);
  for (const tool of tools.slice(0, MAX_TOOLS)) {
    addTool({
      name: toolName(id, tool.name),
      description: tool.description,
      parameters: tool.inputSchema,
      run: (args, context) => call(client, tool, args, context),
    });
  }
}

/** Where the library threw it says nothing to anybody. */
async function inPlainWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const plain = new Error(plainWords(error), { cause: error });
    plain.stack = "";
    throw plain;
  }
}

/** If the server is a program that ends, this process ends with it, and the host says why: it starts both again for the next call. */
async function connect(facts: McpFacts, host: Host): Promise<Client> {
  const { server, cwd } = facts;
  if ("url" in server) {
    const client = createClient("auto", host);
    await client.connect(new ServerAddress(filledAddress(server.url), filled(server.headers)), {
      timeout: NO_TIMEOUT_MS,
    });
    return client;
  }
  const env = { ...(process.env as Record<string, string>), ...filled(server.env) };
  // Some servers end at the first question that is not `initialize`, as the one for their version is.
  for (const mode of ["auto", "legacy"] as const) {
    const client = createClient(mode, host);
    const program = new ServerProgram({ command: server.command.map(filledWord), cwd, env });
    const endWithIt = (): void => {
      const isLastTry = mode === "legacy" || program.hasAnswered;
      if (program.exitCode !== undefined && isLastTry) process.exit(program.exitCode);
    };
    client.onclose = endWithIt;
    try {
      await client.connect(program, { timeout: NO_TIMEOUT_MS });
      return client;
    } catch (error) {
      endWithIt();
      if (program.exitCode === undefined) throw error;
    }
  }
  throw new Error("the server did not answer");
}

function createClient(mode: "auto" | "legacy", host: Host): Client {
  const client = new Client(
    { name: "indus", version: String(PROTOCOL_VERSION) },
    {
      versionNegotiation: mode === "auto" ? { mode, probe: { timeoutMs: PROBE_MS } } : { mode },
      jsonSchemaValidator: UNCHECKED,
    },
  );
  client.onerror = (error) => host.log(`${plainWords(error)}\n`);
  client.setNotificationHandler("notifications/message", ({ params }) =>
    host.log(`${params.level}: ${textOf(params.data)}\n`),
  );
  return client;
}

/**
 * The server's tools, and from then on a word when they become others. Servers send the notification while they start, and also when nothing
 * has changed.
 */
async function followTools(client: Client, host: Host): Promise<readonly unknown[]> {
  let isStale = false;
  let known: string | undefined;
  const compare = async (): Promise<void> => {
    if (known === undefined || known === JSON.stringify(await listTools(client, host))) return;
    known = undefined; // said once
    host.diagnostic("warning", "its server's tools have changed: the next start offers the new ones");
  };
  client.setNotificationHandler("notifications/tools/list_changed", async () => {
    isStale = true;
    await compare().catch((error: unknown) => host.log(`${plainWords(error)}\n`));
  });
  let tools = await listTools(client, host);
  for (let again = 0; isStale && again < MAX_AGAIN; again++) {
    isStale = false;
    tools = await listTools(client, host);
  }
  known = JSON.stringify(tools);
  return tools;
}

/** It is checked with the answer. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Page by page. A server without tools may not know the question. */
async function listTools(client: Client, host: Host): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await askForTools(client, cursor);
    if (answer === undefined) return found;
    const { tools, nextCursor } = isTable(answer) ? answer : {};
    if (!Array.isArray(tools))
      throw new Error(`the server's answer to tools/list has no list of tools: it is ${kindOf(tools)}`);
    found.push(...tools);
    if (typeof nextCursor !== "string" || nextCursor === cursor) return found;
    cursor = nextCursor;
  }
  host.diagnostic(
    "warning",
    `its server lists its tools on more than ${MAX_PAGES} pages; the rest is left out`,
  );
  return found;
}

async function askForTools(client: Client, cursor: string | undefined): Promise<unknown> {
  try {
    const params = cursor === undefined ? {} : { cursor };
    return realAnswer(await client.request({ method: "tools/list", params }, { timeout: NO_TIMEOUT_MS }));
  } catch (error) {
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return undefined;
    throw error;
  }
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}/g;

/** With the secrets that `${NAME}` stands for. */
function filled(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.replace(REFERENCE, (_, variable: string) => process.env[variable] ?? ""),
    ]),
  );
}

/** Other `${NAME}` of a command line are its program's to read. */
function filledWord(word: string): string {
  return word.replace(REFERENCE, (whole, variable: string) => process.env[variable] ?? whole);
}

function filledAddress(url: string): string {
  return url.replace(REFERENCE, (_, variable: string) => encodeURIComponent(process.env[variable] ?? ""));
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
  { name, inputSchema, outputSchema }: ServerTool,
  args: JsonObject,
  { signal, progress }: Pick<ToolRunContext, "signal" | "progress">,
): Promise<AddonToolResult> {
  try {
    // So that the library keeps nothing of the list: what it knows of it are stand-ins.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
    const answer = await client.callTool(
      { name, arguments: args },
      {
        ...{ signal, timeout: NO_TIMEOUT_MS, toolDefinition },
        onprogress: (step) => progress(progressWords(step)),
      },
    );
    return await toolResultOf(realAnswer(answer), outputSchema);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { content: [{ kind: "text", text: plainWords(error) }], isError: true };
  }
}

function progressWords({ progress, total, message }: Progress): string {
  const step = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? step : `${message} (${step})`;
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

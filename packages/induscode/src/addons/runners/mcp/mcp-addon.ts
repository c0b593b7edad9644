// An MCP server's tools as those of an addon, written with the kit: `module-runner` runs it in the sandbox, where it starts the
// server or speaks to it over HTTP. What it works for is in the arguments behind the runner's own.

import { type Client, type Progress, ProtocolError } from "@modelcontextprotocol/client";
import type { JsonObject, JsonValue } from "indusagi/core";
import type { AddonTool, AddonToolResult, ToolRunContext } from "../../kit/contract.ts";
import type { RecordingSurface } from "../../kit/recording-surface.ts";
import { isTable } from "../table-value.ts";
import { inHttpWords } from "./mcp-address.ts";
import { connect, type McpFacts } from "./mcp-connection.ts";
import { FollowedServer, type ServerLists } from "./mcp-followed.ts";
import { NO_TIMEOUT_MS } from "./mcp-lists.ts";
import { commandName, toolName } from "./mcp-names.ts";
import { placeAdvice } from "./mcp-places.ts";
import { promptsOf } from "./mcp-prompts.ts";
import { resourceTools } from "./mcp-resources.ts";
import { toolResultOf } from "./mcp-result.ts";
import { realAnswer } from "./mcp-stand-ins.ts";
import { beginStart } from "./mcp-start.ts";
import { callAsTask } from "./mcp-tasks.ts";
import { readTools, type ServerTool } from "./mcp-tools.ts";
import { isUnauthorized, plainWords } from "./mcp-words.ts";

const LOGIN_EXPIRED =
  "The server no longer accepts its login: call again; if that does not help, the person has to log in: indus mcp login";
/** By then the answer is on its way. */
const EXIT_AFTER_MS = 100;
/** The most that an addon can register. */
const MAX_TOOLS = 200;
/** Of these, for a server with resources. */
const RESOURCE_TOOLS = 2;
/** What the host takes of a server's words for the prompt (`Registration` of the protocol). */
const MAX_INSTRUCTIONS = 16 * 1024;
export async function register(surface: RecordingSurface): Promise<void> {
  const { id, host, ui, sample } = surface;
  const facts = JSON.parse(process.argv.at(-1) ?? "") as McpFacts;
  const start = beginStart(facts.startMs);
  const client = await inPlainWords(id, () =>
    start.ask("initialize", connect({ ...facts, host, ui, sample })),
  );
  const server = new FollowedServer(client, (lists) =>
    surface.renew((next) => record(next, { client, server, facts }, lists)),
  );
  const lists = await inPlainWords(id, () => server.begin(start));
  record(surface, { client, server, facts }, lists);
  server.follow(host.log);
}

interface Serving {
  readonly client: Client;
  readonly server: FollowedServer;
  readonly facts: McpFacts;
}

/** Everything that the server offers now. */
function record(surface: RecordingSurface, { client, server, facts }: Serving, lists: ServerLists): void {
  const { id, addTool, addCommand, leaveOut, instruct } = surface;
  const { entries, cut } = lists.tools;
  const { tools, skipped } = readTools(entries);
  for (const { name, reason } of skipped) leaveOut("tool", name, reason);
  if (cut !== undefined) leaveOut("tool", "others", cut);
  const { resources } = client.getServerCapabilities() ?? {};
  const instructions: unknown = client.getInstructions();
  if (typeof instructions === "string" && instructions.trim() !== "")
    instruct(instructions.slice(0, MAX_INSTRUCTIONS));
  const most = MAX_TOOLS - (resources ? RESOURCE_TOOLS : 0);
  const more = tools.length - most;
  if (more > 0)
    leaveOut(
      "tool",
      `${more} more`,
      `its server has ${cut === undefined ? "" : "at least "}${tools.length} tools; the first ${most} are used`,
    );
  for (const tool of tools.slice(0, most)) {
    addTool({
      name: toolName(id, tool.name),
      description: tool.description,
      parameters: tool.inputSchema,
      async run(args, context) {
        const answer = await call(client, tool, args, context);
        await server.settled();
        return withAdvice(answer, facts);
      },
    });
  }
  const leave = (name: string, reason: string): void => leaveOut("command", name, reason);
  if (typeof lists.prompts === "string") leave("its prompts", lists.prompts);
  else
    for (const { name, spec } of promptsOf(client, lists.prompts, leave))
      addCommand(commandName(id, name), spec);
  if (resources) {
    const { list_resources, read_resource } = resourceTools(client);
    const add = <Args>(name: string, { run, ...tool }: Omit<AddonTool<Args>, "name">): void => {
      if (tools.some((each) => each.name === name)) return; // its server's own
      addTool<Args>({
        ...tool,
        name: toolName(id, name),
        run: (args, context) => refusable(client, () => run(args, context)),
      });
    };
    add("list_resources", { ...list_resources, resources: "list" });
    add("read_resource", { ...read_resource, resources: "read" });
  }
}

/** Where the library threw it says nothing to anybody. */
async function inPlainWords<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const plain = new Error(plainWords(error, id), { cause: error });
    plain.stack = "";
    throw plain;
  }
}

async function call(
  client: Client,
  { name, inputSchema, outputSchema, isTask }: ServerTool,
  args: JsonObject,
  { signal, progress }: Pick<ToolRunContext, "signal" | "progress">,
): Promise<ToolAnswer> {
  return refusable(client, async () => {
    if (isTask) return toolResultOf(await callAsTask(client, name, args, { signal, progress }), outputSchema);
    // So that the library keeps nothing of the list: what it knows of it are stand-ins.
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
    const answer = await client.callTool(
      { name, arguments: args },
      {
        ...{ signal, timeout: NO_TIMEOUT_MS, toolDefinition },
        onprogress: (step) => progress(progressWords(step)),
      },
    );
    return toolResultOf(realAnswer(answer), outputSchema);
  });
}

/** What a server says about a place where it cannot write, with the reason. */
function withAdvice(answer: ToolAnswer, facts: McpFacts): ToolAnswer {
  if (!isTable(answer) || !Array.isArray(answer.content)) return answer;
  const words = answer.content.flatMap((each) =>
    isTable(each) && typeof each.text === "string" ? [each.text] : [],
  );
  const advice = placeAdvice(words.join("\n"), facts);
  if (advice === undefined) return answer;
  return { ...answer, content: [...answer.content, { kind: "text", text: advice }] };
}

/** That a server refuses something is to be expected, and no fault. */
async function refusable(client: Client, work: () => ToolAnswer | Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError)
      return { content: [{ kind: "text", text: plainWords(error) }], isError: true };
    if (isUnauthorized(error)) {
      setTimeout(() => process.exit(0), EXIT_AFTER_MS); // the next call starts anew, with a renewed login
      return { content: [{ kind: "text", text: LOGIN_EXPIRED }], isError: true };
    }
    throw inHttpWords(error, client.transport);
  }
}

type ToolAnswer = AddonToolResult | JsonValue;

function progressWords({ progress, total, message }: Progress): string {
  const step = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? step : `${message} (${step})`;
}

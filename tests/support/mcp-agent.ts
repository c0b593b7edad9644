// Another agent, with `indus mcp serve` as an MCP server, by the protocol's own client library.

import type { ChildProcess } from "node:child_process";
import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { createWorkplace, type Finished, type Workplace } from "./indus.ts";

export interface McpAgentOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `auto`: the newest revision that both know; `legacy`: as clients before it open a connection. */
  readonly revision?: "auto" | "legacy";
  /** Default: `other-agent`. */
  readonly name?: string;
  /** What it says of its forms; default: that it has them if it answers them. */
  readonly elicitation?: ClientCapabilities["elicitation"];
  /** Answers forms; absent: it shows none. The signal fires when the form is taken back. */
  readonly onForm?: (
    params: ElicitRequest["params"],
    takenBack: AbortSignal,
  ) => ElicitResult | Promise<ElicitResult>;
}

export interface McpAgent {
  readonly client: Client;
  /** Writes to the server's stdin, whatever it is. */
  readonly write: (text: string) => void;
  readonly pid: number;
  /** Closes the connection and resolves to how the process ended. */
  readonly leave: () => Promise<Finished>;
  readonly kill: (signal: NodeJS.Signals) => Promise<Finished>;
}

export async function openMcpAgent(place: Workplace, options: McpAgentOptions = {}): Promise<McpAgent> {
  const { args = [], env = {}, revision = "auto", name = "other-agent", onForm } = options;
  const { elicitation = onForm && { form: {} } } = options;
  let child: ChildProcess | undefined;
  const ended = place.runAlone(["mcp", "serve", ...args], {
    ...{ holdsStdin: true, env },
    onStart: (started) => {
      child = started;
    },
  });
  if (!child?.stdin || !child.stdout || child.pid === undefined)
    throw new Error("no pipes to indus mcp serve");
  const { stdin, stdout, pid } = child;
  stdin.on("error", () => undefined); // the process ended first, which its end tells
  const client = new Client(
    { name, version: "2" },
    {
      versionNegotiation: { mode: revision },
      capabilities: elicitation === undefined ? {} : { elicitation },
    },
  );
  if (onForm)
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => onForm(params, mcpReq.signal));
  await client.connect(overPipes(stdin, stdout));
  return {
    ...{ client, pid },
    write: (text) => void stdin.write(text),
    async leave() {
      stdin.end();
      return ended;
    },
    async kill(signal) {
      process.kill(pid, signal);
      return ended;
    },
  };
}

export interface McpScene {
  readonly place: Workplace;
  readonly agent: McpAgent;
  readonly call: (name: string, input?: Record<string, unknown>) => Promise<CallToolResult>;
}

/** An agent at `indus mcp serve`, which leaves with the test. */
export async function openMcpScene(
  options: McpAgentOptions = {},
  place = createWorkplace(),
): Promise<McpScene> {
  const agent = await openMcpAgent(place, options);
  onTestFinished(async () => void (await agent.leave()));
  return {
    ...{ place, agent },
    call: async (name, input = {}) =>
      (await agent.client.callTool({ name, arguments: input })) as CallToolResult,
  };
}

/** The texts of a result. */
export const saidBy = ({ content }: CallToolResult): string =>
  content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n");

/** Answers forms by the choice with this label, or declines where there is none. */
export const choose =
  (label: string, asked: string[] = []) =>
  (params: ElicitRequest["params"]) => {
    asked.push(params.message);
    const { requestedSchema } = params as { readonly requestedSchema?: unknown };
    const { properties } = requestedSchema as {
      readonly properties: { readonly answer: { readonly oneOf: { const: string; title: string }[] } };
    };
    const chosen = properties.answer.oneOf.find(({ title }) => title === label);
    return chosen
      ? { action: "accept" as const, content: { answer: chosen.const } }
      : { action: "decline" as const };
  };

function overPipes(
  stdin: NonNullable<ChildProcess["stdin"]>,
  stdout: NonNullable<ChildProcess["stdout"]>,
): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      stdout.on("data", (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message; message = buffer.readMessage())
          transport.onmessage?.(message);
      });
      stdout.on("close", () => transport.onclose?.());
    },
    send: async (message) => void stdin.write(serializeMessage(message)),
    close: async () => void stdin.end(),
  };
  return transport;
}

// Another agent, with `indus mcp serve` as an MCP server, by the protocol's own client library.

import type { ChildProcess } from "node:child_process";
import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Finished, Workplace } from "./indus.ts";

export interface McpAgentOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `auto`: the newest revision that both know; `legacy`: as clients before it open a connection. */
  readonly revision?: "auto" | "legacy";
  /** Answers forms; absent: it shows none. */
  readonly onForm?: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>;
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
  const { args = [], env = {}, revision = "auto", onForm } = options;
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
    { name: "other-agent", version: "2" },
    {
      versionNegotiation: { mode: revision },
      capabilities: onForm === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (onForm) client.setRequestHandler("elicitation/create", ({ params }) => onForm(params));
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

// The connection to an MCP server: started or reached, with the client that asks it, and what it may ask in turn.

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, type jsonSchemaValidator, ProtocolError } from "@modelcontextprotocol/client";
import type { SamplingService } from "../../../feature/sampling-service.ts";
import type { McpServer } from "../../contract.ts";
import type { AddonHostServices, AddonUi } from "../../kit/contract.ts";
import { LOGIN_VARIABLE } from "../../process/protocol/login-variable.ts";
import { PROTOCOL_VERSION } from "../../process/protocol/messages.ts";
import { inHttpWords, ServerAddress } from "./mcp-address.ts";
import { NO_TIMEOUT_MS } from "./mcp-lists.ts";
import { ServerProgram } from "./mcp-program.ts";
import { askPerson } from "./mcp-questions.ts";
import { sampleFor } from "./mcp-sampling.ts";
import { plainWords } from "./mcp-words.ts";

/** What the host says of the server that this works for. */
export interface McpFacts {
  readonly server: McpServer;
  /** The addon's folder. */
  readonly cwd: string;
  /** Folders that it was granted. */
  readonly roots: readonly string[];
  /** It may write in them. */
  readonly writes: boolean;
  /** It may ask the person something. */
  readonly mayAsk: boolean;
  /** It may use the session's model. */
  readonly maySample: boolean;
  /** How long it may take until its tools are known, in milliseconds. */
  readonly startMs: number;
}

export type Host = Pick<AddonHostServices, "log" | "diagnostic">;

interface Connecting extends McpFacts {
  readonly host: Host;
  readonly ui: AddonUi;
  readonly sample: SamplingService;
}

/** A program that knows only `initialize` may never answer the question that comes before it. A server over HTTP answers, however late. */
const PROBE_MS = 2_000;
const METHOD_NOT_FOUND = -32_601;
/** If the server is a program that ends, this process ends with it, and the host says why: it starts both again for the next call. */
export async function connect(facts: Connecting): Promise<Client> {
  const { server, cwd } = facts;
  if ("url" in server) {
    const client = createClient("auto", facts);
    const headers = withLogin(filled(server.headers));
    const address = new ServerAddress(filledAddress(server.url), headers, server.url);
    await client.connect(address, { timeout: NO_TIMEOUT_MS }).catch((error: unknown) => {
      throw inHttpWords(error, address);
    });
    return client;
  }
  const env = { ...(process.env as Record<string, string>), ...filled(server.env) };
  // Some servers end at the first question that is not `initialize`, as the one for their version is.
  for (const mode of ["auto", "legacy"] as const) {
    const client = createClient(mode, facts);
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

function createClient(
  mode: "auto" | "legacy",
  { server, host, ui, sample, roots, mayAsk, maySample, startMs }: Connecting,
): Client {
  const timeoutMs = "url" in server ? startMs : PROBE_MS;
  const client = new Client(
    { name: "indus", version: String(PROTOCOL_VERSION) },
    {
      versionNegotiation: mode === "auto" ? { mode, probe: { timeoutMs } } : { mode },
      jsonSchemaValidator: UNCHECKED,
      capabilities: {
        roots: {},
        elicitation: mayAsk ? { form: {}, url: {} } : undefined,
        sampling: maySample ? {} : undefined,
      },
    },
  );
  client.setRequestHandler("roots/list", () => ({
    roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) })),
  }));
  if (mayAsk) client.setRequestHandler("elicitation/create", ({ params }) => askPerson(params, ui, host.log));
  if (maySample)
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
      sampleFor(params, sample, mcpReq.signal),
    );
  const refused = new Set<string>();
  client.fallbackRequestHandler = ({ method }) => {
    if (!refused.has(method)) tellRefused(method, host);
    refused.add(method);
    return Promise.reject(new ProtocolError(METHOD_NOT_FOUND, `${method} is not supported`));
  };
  client.onerror = (error) => host.log(`${plainWords(error)}\n`);
  client.setNotificationHandler("notifications/message", ({ params }) =>
    host.log(`${params.level}: ${textOf(params.data)}\n`),
  );
  return client;
}

function tellRefused(method: string, host: Host): void {
  const text = `its server asks for ${method}, which is refused`;
  // It works without the rest; with this it would think.
  if (method === "sampling/createMessage")
    host.diagnostic(
      "warning",
      `${text}: it may not use your model without the grant sampling (indus add --sampling)`,
    );
  else host.log(`${text}\n`);
}

/** It is checked with the answer. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

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

/** The host has the login, and hands on what it is good for now. */
function withLogin(headers: Record<string, string>): Record<string, string> {
  const token = process.env[LOGIN_VARIABLE];
  const isOwn = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  return token === undefined || isOwn ? headers : { ...headers, Authorization: `Bearer ${token}` };
}

function filledAddress(url: string): string {
  return url.replace(REFERENCE, (_, variable: string) => encodeURIComponent(process.env[variable] ?? ""));
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

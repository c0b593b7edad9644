// How an editor begins, and what it is told then. Known without the protocol's library: loading that takes longer than an editor should
// wait to see its agent.

import type { AuthMethod, ClientCapabilities, InitializeResponse } from "@agentclientprotocol/sdk/unstable";
import { isTable } from "indusagi/core";
import { VERSION } from "../../cli/version.ts";

/** Of the protocol: the only one here; an editor that knows another one says so. */
const PROTOCOL_VERSION = 1;

/** Whether an agent has a model is found out when a session opens; there is nothing to do in the editor. */
const KEYS: AuthMethod = {
  id: "keys",
  name: "API key from the environment, or stored with indus auth login",
  description:
    "Run `indus auth login PROVIDER` in a terminal, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL for the editor; then start again.",
};

const TERMINAL: AuthMethod = {
  id: "login",
  type: "terminal",
  name: "Log in with indus",
  description:
    "Asks for a key in a terminal and keeps it in the system's keyring, or in a file that only you can read.",
  args: ["auth", "login"],
};

export const AUTH_METHODS: readonly string[] = [KEYS.id, TERMINAL.id];

/** The answer to `initialize`. */
export function helloAnswer({ auth }: Pick<ClientCapabilities, "auth">): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "indus", title: "indus", version: VERSION },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, resume: {}, fork: {}, delete: {}, close: {} },
    },
    authMethods: auth?.terminal === true ? [KEYS, TERMINAL] : [KEYS],
  };
}

/** The largest version that the protocol has room for. */
const MAX_VERSION = 65_535;

/**
 * The message that answers a line, if the line is an `initialize` that the library answers with the same; undefined for every other line,
 * among them those that it refuses.
 */
export function answerToHello(line: Uint8Array): Hello | undefined {
  let message: unknown;
  try {
    message = JSON.parse(Buffer.from(line).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!isTable(message)) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || method !== "initialize" || !isTable(params)) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  const { protocolVersion: version, clientCapabilities: client } = params;
  if (!Number.isInteger(version) || Number(version) < 0 || Number(version) > MAX_VERSION) return undefined;
  const auth = isTable(client) && isTable(client.auth) ? client.auth : {};
  return {
    jsonrpc,
    id: id as Hello["id"],
    result: helloAnswer({ auth: { terminal: auth.terminal === true } }),
  };
}

export interface Hello {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly result: InitializeResponse;
}

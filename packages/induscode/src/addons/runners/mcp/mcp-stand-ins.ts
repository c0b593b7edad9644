// The library refuses a whole answer of a server if one part of it is not as the protocol has it. So that such a part costs only
// itself, the library gets a plain answer in place of each that carries tools or results, with the real one inside.

import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isTable, type Table } from "../table-value.ts";

/** The messages to one server and from it. */
interface StandIns {
  /** Notes what is asked. */
  readonly sent: (message: JSONRPCMessage) => void;
  /** What the library gets instead of this message; most stay as they are. */
  readonly received: (message: JSONRPCMessage) => JSONRPCMessage;
}

/** Where the real answer is, in the `_meta` of the one that stands in for it. */
const REAL = "indus/real";
const INTERNAL_ERROR = -32_603;
/** The answers that are read here, with the least that the library accepts in their place. */
const PLAIN: Readonly<Record<string, (real: Table) => Table>> = {
  initialize: ({ protocolVersion, capabilities, instructions }) => ({
    protocolVersion,
    capabilities: { tools: {}, ...offered(capabilities, "resources"), ...offered(capabilities, "prompts") },
    serverInfo: { name: "", version: "" },
    instructions: typeof instructions === "string" ? instructions : undefined,
  }),
  "tools/list": () => ({ tools: [], ttlMs: 0, cacheScope: "private" }),
  "prompts/list": () => ({ prompts: [], ttlMs: 0, cacheScope: "private" }),
  "prompts/get": () => ({ messages: [] }),
  "resources/list": () => ({ resources: [], ttlMs: 0, cacheScope: "private" }),
  "resources/templates/list": () => ({ resourceTemplates: [], ttlMs: 0, cacheScope: "private" }),
  "resources/read": () => ({ contents: [], ttlMs: 0, cacheScope: "private" }),
  "tools/call": () => ({ content: [] }),
};

function offered(capabilities: unknown, name: string): Table {
  return isTable(capabilities) && isTable(capabilities[name]) ? { [name]: {} } : {};
}

/** The real answer in one that {@link createStandIns} made. */
export function realAnswer({ _meta }: { readonly _meta?: Table | undefined }): unknown {
  return _meta?.[REAL];
}

/** The number of a question, which some servers answer as a text; undefined for what is no number. */
function idOf(id: unknown): number | undefined {
  return typeof id === "number" || typeof id === "string" ? Number(id) : undefined;
}

export function createStandIns(): StandIns {
  const asked = new Map<number, string>();
  return {
    sent(message) {
      if ("method" in message && "id" in message && typeof message.id === "number")
        asked.set(message.id, message.method);
    },
    received(message) {
      if ("method" in message || !("id" in message)) return message;
      const id = idOf(message.id);
      if (id === undefined) return message;
      const method = asked.get(id);
      asked.delete(id);
      if (method === undefined) return message;
      const { error, result } = message as Table;
      if (error !== undefined && error !== null) return { jsonrpc: "2.0", id, error: readableError(error) };
      const plain = PLAIN[method];
      if (plain === undefined) return message;
      const real = isTable(result) ? result : {};
      // It asks for something first, which the library refuses in its own words.
      if (typeof real.resultType === "string" && real.resultType !== "complete") return message;
      const standIn = { ...plain(real), resultType: "complete", _meta: { [REAL]: result } };
      return { jsonrpc: "2.0", id, result: standIn };
    },
  };
}

interface ReadableError {
  readonly code: number;
  readonly message: string;
}

function readableError(error: unknown): ReadableError {
  const { code, message, ...rest } = isTable(error) ? error : { message: error };
  return {
    ...rest,
    code: Number.isSafeInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: typeof message === "string" ? message : JSON.stringify(message ?? "it gave no reason"),
  };
}

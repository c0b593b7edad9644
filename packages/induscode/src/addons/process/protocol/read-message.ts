// Reads one parsed line as a JSON-RPC 2.0 message. Keys are exact: `Method` is not `method`. Unknown keys are ignored.

import type { JsonValue } from "indusagi/core";
import { RpcError } from "./contract.ts";

export type RequestId = number | string;

/** What a line turned out to be. */
export type Message =
  | ({ readonly kind: "request"; readonly id: RequestId } & Call)
  | ({ readonly kind: "notification" } & Call)
  | { readonly kind: "result"; readonly id: RequestId; readonly result: JsonValue }
  | { readonly kind: "error"; readonly id: RequestId; readonly error: RpcError }
  /** A request that can be refused by its id. */
  | { readonly kind: "refused"; readonly id: RequestId | null; readonly problem: string }
  | { readonly kind: "broken"; readonly problem: string };

interface Call {
  readonly method: string;
  readonly params: JsonValue;
  /** The request of the other direction during which it is made; anything that is not an id counts as none. */
  readonly during?: RequestId | undefined;
}

const MAX_ID_CHARACTERS = 200;
const MAX_ERROR_CHARACTERS = 16_384;

/** Never throws. */
export function readMessage(value: JsonValue): Message {
  if (Array.isArray(value))
    return {
      kind: "broken",
      problem: "expected one message per line, found a batch: send each on its own line",
    };
  if (typeof value !== "object" || value === null)
    return { kind: "broken", problem: `expected a JSON-RPC message, found ${describe(value)}` };
  return Object.hasOwn(value, "method") ? readCall(value) : readAnswer(value);
}

type Fields = { readonly [key: string]: JsonValue };

function readCall(fields: Fields): Message {
  const problem = problemOfCall(fields);
  const id = isId(fields.id) ? fields.id : null;
  if (problem !== undefined) {
    if (Object.hasOwn(fields, "id")) return { kind: "refused", id, problem };
    return { kind: "broken", problem };
  }
  const { method, params = {} } = fields as { readonly method: string; readonly params?: JsonValue };
  const call = { method, params, during: isId(fields.during) ? fields.during : undefined };
  return id === null ? { kind: "notification", ...call } : { kind: "request", id, ...call };
}

function problemOfCall({ jsonrpc, id, method, result, error }: Fields): string | undefined {
  if (jsonrpc !== "2.0") return `"jsonrpc" must be "2.0", found ${describe(jsonrpc)}`;
  if (typeof method !== "string") return `"method" must be a string, found ${describe(method)}`;
  if (id !== undefined && !isId(id))
    return `"id" must be an integer or a short string, found ${describe(id)}`;
  if (result !== undefined || error !== undefined) return `a call must not have "result" or "error"`;
  return undefined;
}

function readAnswer(fields: Fields): Message {
  const { jsonrpc, id, result, error } = fields;
  const isError = error !== undefined;
  if (jsonrpc !== "2.0")
    return { kind: "broken", problem: `"jsonrpc" must be "2.0", found ${describe(jsonrpc)}` };
  if (isError === (result !== undefined))
    return {
      kind: "broken",
      problem: `expected "method", or exactly one of "result" and "error"; found the keys ${keysOf(fields)}`,
    };
  const failure = isError ? readError(error) : undefined;
  if (typeof failure === "string") return { kind: "broken", problem: failure };
  if (!isId(id)) {
    const said = failure === undefined ? "" : `, which says: ${ascii(failure.message.slice(0, 200))}`;
    return { kind: "broken", problem: `an answer without the id of a request${said}` };
  }
  return failure === undefined
    ? { kind: "result", id, result: result as JsonValue }
    : { kind: "error", id, error: failure };
}

function readError(error: JsonValue): RpcError | string {
  if (typeof error !== "object" || error === null || Array.isArray(error))
    return `"error" must be an object, found ${describe(error)}`;
  const { code, message, data } = error;
  if (!Number.isSafeInteger(code)) return `"error.code" must be an integer, found ${describe(code)}`;
  if (typeof message !== "string") return `"error.message" must be a string, found ${describe(message)}`;
  return new RpcError(code as number, message.slice(0, MAX_ERROR_CHARACTERS), data);
}

/** Fractions and huge numbers do not survive every JSON library, so they are not valid ids. */
function isId(id: JsonValue | undefined): id is RequestId {
  return Number.isSafeInteger(id) || (typeof id === "string" && id.length <= MAX_ID_CHARACTERS);
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return ascii(JSON.stringify(typeof value === "string" ? value.slice(0, 60) : value));
}

function keysOf(fields: Fields): string {
  const keys = Object.keys(fields).slice(0, 8);
  return ascii(keys.map((key) => JSON.stringify(key.slice(0, 40))).join(", ")) || "(none)";
}

/** A text of the other side for a terminal: everything beyond printable ASCII is escaped. */
export function ascii(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

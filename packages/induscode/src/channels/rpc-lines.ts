// A line of JSON-RPC 2.0 as it came from anybody: a message, or one sentence about what is wrong with it.

import { isUtf8 } from "node:buffer";
import { beginningOf, describeError, isTable, type JsonValue } from "indusagi/core";

const MAX_ID_CHARACTERS = 200;
const EXCERPT_CHARACTERS = 80;

/** What names a request and its answer. */
export type RpcId = string | number;
export type RpcMessage = { readonly [key: string]: JsonValue };

/** The protocol's codes for a line that is no message, and for a message that is not one of its kinds. */
export const RPC_CODES = { parse: -32700, message: -32600, params: -32602 } as const;

/** A message, or why the line is none. */
export function rpcMessage(line: Buffer): RpcMessage | string {
  const found = (): string => excerpt(line.toString("latin1", 0, 4 * EXCERPT_CHARACTERS));
  if (!isUtf8(line)) return `expected UTF-8, found ${found()}`;
  let message: JsonValue;
  try {
    message = JSON.parse(line.toString("utf8")) as JsonValue;
  } catch (error) {
    return `expected one JSON message per line, found ${found()} (${describeError(error)})`;
  }
  if (isTable(message)) return message as RpcMessage;
  return Array.isArray(message)
    ? "expected one message per line, found a batch: send its messages one by one"
    : `expected an object, found ${found()}`;
}

/** An answer to what this end asked. */
export function isRpcAnswer(message: RpcMessage): boolean {
  return message.method === undefined && ("result" in message || "error" in message);
}

/** Why a message is neither a request nor a notification; undefined if it is. */
export function rpcMistake({ jsonrpc, id, method, params }: RpcMessage): string | undefined {
  if (typeof method !== "string") return `"method" must be a string, found ${excerpt(method)}`;
  if (id !== undefined && !isRpcId(id))
    return `"id" must be an integer or a string of at most ${MAX_ID_CHARACTERS} characters, found ${excerpt(id)}`;
  if (params !== undefined && !isTable(params)) return `"params" must be an object, found ${excerpt(params)}`;
  return jsonrpc === "2.0" ? undefined : `expected "jsonrpc": "2.0", found ${excerpt(jsonrpc)}`;
}

export function isRpcId(value: JsonValue | undefined): value is RpcId {
  return Number.isSafeInteger(value) || (typeof value === "string" && value.length <= MAX_ID_CHARACTERS);
}

/** The error that answers a line; undefined for one that is a request, a notification or an answer. */
export function rpcRefusal(line: Buffer): RpcRefusal | undefined {
  const message = rpcMessage(line);
  if (typeof message === "string") return refusal(null, RPC_CODES.parse, message);
  const mistake = isRpcAnswer(message) ? undefined : rpcMistake(message);
  if (mistake === undefined) return undefined;
  return refusal(isRpcId(message.id) ? message.id : null, RPC_CODES.message, mistake);
}

export interface RpcRefusal {
  readonly jsonrpc: "2.0";
  readonly id: RpcId | null;
  readonly error: { readonly code: number; readonly message: string };
}

function refusal(id: RpcId | null, code: number, message: string): RpcRefusal {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The beginning of a value. */
export function excerpt(value: JsonValue | undefined): string {
  return beginningOf(JSON.stringify(value) ?? "nothing", EXCERPT_CHARACTERS);
}

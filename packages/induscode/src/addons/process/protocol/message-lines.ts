// One message as a line, for both ends: JSON-RPC 2.0, with its line end.

import { RpcError } from "./contract.ts";
import { ERROR_CODES } from "./messages.ts";
import { type Message, type RequestId, readMessage } from "./read-message.ts";

/** The fields of an error answer. */
export type ErrorFields = Pick<RpcError, "code" | "message"> & { readonly data?: unknown };

/** The message of a line; undefined if it is not JSON. Never throws. */
export function readLine(line: string): Message | undefined {
  try {
    return readMessage(JSON.parse(line));
  } catch {
    return undefined; // `readMessage` never throws
  }
}

/** Legal in JSON, but some programs that read lines, those with Node's readline among them, end a line there. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** JSON as one line for any reader. */
export function lineOf(json: string): string {
  const plain = json.replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `${plain}\n`;
}

/** A call; one without `id` is a notification. `during` is the other side's request that it is made for. */
export function callLine(
  method: string,
  params: unknown,
  { id, during }: { readonly id?: RequestId | undefined; readonly during?: RequestId | undefined } = {},
): string {
  return lineOf(JSON.stringify({ jsonrpc: "2.0", id, method, during, params }));
}

/** Throws an {@link RpcError} for a result that is not JSON. */
export function resultLine(id: RequestId, result: unknown): string {
  const text = JSON.stringify(result ?? {}) as string | undefined;
  if (text === undefined)
    throw new RpcError(ERROR_CODES.failed, `the result must be JSON, found a ${typeof result}`);
  return lineOf(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`);
}

export function errorLine(id: RequestId | null, { code, message, data }: ErrorFields): string {
  return lineOf(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }));
}

/** The answer to a line that is neither a call nor an answer, as {@link readLine} found it. */
export function unreadableLine(found: Extract<Message, { kind: "broken" | "refused" }> | undefined): string {
  if (found === undefined)
    return errorLine(null, { code: ERROR_CODES.parse, message: "the line is not JSON" });
  const id = found.kind === "refused" ? found.id : null;
  return errorLine(id, { code: ERROR_CODES.request, message: found.problem });
}

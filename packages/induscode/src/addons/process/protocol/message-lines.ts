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

/** A call; one without `id` is a notification. `during` is the other side's request that it is made for. */
export function callLine(
  method: string,
  params: unknown,
  { id, during }: { readonly id?: RequestId | undefined; readonly during?: RequestId | undefined } = {},
): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, during, params })}\n`;
}

/** Throws an {@link RpcError} for a result that is not JSON. */
export function resultLine(id: RequestId, result: unknown): string {
  const text = JSON.stringify(result ?? {}) as string | undefined;
  if (text === undefined)
    throw new RpcError(ERROR_CODES.failed, `the result must be JSON, found a ${typeof result}`);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}\n`;
}

export function errorLine(id: RequestId | null, { code, message, data }: ErrorFields): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } })}\n`;
}

/** The answer to a line that is neither a call nor an answer, as {@link readLine} found it. */
export function unreadableLine(found: Extract<Message, { kind: "broken" | "refused" }> | undefined): string {
  if (found === undefined)
    return errorLine(null, { code: ERROR_CODES.parse, message: "the line is not JSON" });
  const id = found.kind === "refused" ? found.id : null;
  return errorLine(id, { code: ERROR_CODES.request, message: found.problem });
}

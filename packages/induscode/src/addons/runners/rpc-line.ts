// The runner's end of the protocol: JSON-RPC 2.0, one message a line. Only the envelope is read here, so that it stays small
// and quick to start; whether a request's parameters fit is require-fitting's to say.

import { ERROR_CODES } from "../process/protocol/messages.ts";

export type RequestId = number | string;

/** The names of the protocol's errors. */
export type ErrorName = keyof typeof ERROR_CODES;

/** An error answer; `data` goes along. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  constructor(name: ErrorName, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = ERROR_CODES[name];
    this.data = data;
  }
}

/** What a line was. `params` are as the host sent them. */
export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "answer"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId; readonly error: unknown }
  | { readonly kind: "wrong"; readonly name: "parse" | "request"; readonly id: RequestId | null };

/** What one line says. Never throws. */
export function readLine(line: string): Incoming {
  let message: Readonly<Record<string, unknown>>;
  try {
    message = JSON.parse(line);
  } catch {
    return { kind: "wrong", name: "parse", id: null };
  }
  if (typeof message !== "object" || message === null) return { kind: "wrong", name: "request", id: null };
  const { id, method, params, result, error } = message;
  const isId = typeof id === "number" || typeof id === "string";
  if (typeof method === "string") {
    if (id === undefined) return { kind: "notification", method, params };
    return isId ? { kind: "request", id, method, params } : { kind: "wrong", name: "request", id: null };
  }
  if (!isId) return { kind: "wrong", name: "request", id: null };
  if (error === undefined) return { kind: "answer", id, result };
  return { kind: "error", id, error };
}

export function resultLine(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result ?? {})}}\n`;
}

export function errorLine(
  id: RequestId | null,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
): string {
  const { code, message, data } = error;
  return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } })}\n`;
}

/** `during` is the request of the host that it is made for. */
export function requestLine(id: RequestId, method: string, params: unknown, during?: RequestId): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, during, params })}\n`;
}

export function notificationLine(method: string, params: unknown, during?: RequestId): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, during, params })}\n`;
}

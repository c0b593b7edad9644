// Outgoing messages: each is serialised once, kept within the limits that the other side imposes on us, and not queued
// without bound for a reader that does not read.

import { describeError, type JsonValue } from "indusagi/core";
import { type ProtocolLimits, RpcError, Unsendable } from "./contract.ts";
import { excessOf } from "./frames.ts";
import { callLine, type ErrorFields, errorLine, resultLine } from "./message-lines.ts";
import { ERROR_CODES } from "./messages.ts";
import type { RequestId } from "./read-message.ts";

interface OutboxOptions {
  readonly limits: Omit<ProtocolLimits, "acknowledgeMs" | "cancelGraceMs">;
  readonly write: (line: string) => boolean | undefined;
  readonly unsent?: (() => number) | undefined;
  /** Called when more than `maxUnsentBytes` wait. */
  readonly onOverflow: (unsentBytes: number) => void;
}

export interface Outbox {
  /** Sends a call; one without id is a notification. Throws an {@link Unsendable}, sending nothing, if it exceeds the limits. */
  readonly call: (method: string, params: JsonValue, id?: RequestId) => void;
  /** Sends a result; one that cannot be sent becomes an error answer that gives the reason. */
  readonly result: (id: RequestId, result: unknown) => void;
  readonly error: (id: RequestId | null, error: ErrorFields) => void;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { limits } = options;
  const { maxFrameBytes, maxUnsentBytes } = limits;
  let isFull = false;

  function write(line: string): void {
    isFull = options.write(line) === false;
    const unsent = isFull ? (options.unsent?.() ?? 0) : 0;
    if (unsent > maxUnsentBytes) options.onOverflow(unsent);
  }

  function bounded(line: string): string {
    const bytes = byteLengthUpTo(line, maxFrameBytes + 1); // the line end is not part of the frame
    if (bytes > maxFrameBytes + 1)
      throw new Unsendable(
        ERROR_CODES.limit,
        `a message may have at most ${maxFrameBytes} bytes, but this message has ${bytes - 1}`,
      );
    const mayExceed = line.length > limits.maxDepth || line.length > limits.maxValues;
    const excess = mayExceed ? excessOf(Buffer.from(line), limits) : undefined;
    if (excess !== undefined)
      throw new Unsendable(ERROR_CODES.limit, `a message may ${excess}, but this message exceeds that`);
    return line;
  }

  function takenResult(id: RequestId, result: unknown): string {
    const line = bounded(resultLine(id, result));
    const waiting = isFull ? (options.unsent?.() ?? 0) : 0;
    if (waiting > 0 && waiting + Buffer.byteLength(line) > maxUnsentBytes)
      throw new RpcError(ERROR_CODES.limit, `${waiting} bytes are still unread: read them, then retry`);
    return line;
  }

  function error(id: RequestId | null, { code, message, data }: ErrorFields): void {
    let text: string;
    try {
      text = bounded(errorLine(id, { code, message, data }));
    } catch (problem) {
      const shortened = `${describeError(message)} (shortened: ${describeError(problem)})`;
      text = bounded(errorLine(id, { code, message: shortened }));
    }
    write(text);
  }

  return {
    call: (method, params, id) => write(bounded(callLine(method, params, { id }))),
    result: (id, result) => {
      let line: string;
      try {
        line = takenResult(id, result);
      } catch (problem) {
        return error(id, asRpcError(problem, "the result cannot be sent: "));
      }
      write(line);
    },
    error,
  };
}

/** Anything thrown, as an error answer; what is not an {@link RpcError} becomes `failed`. */
export function asRpcError(thrown: unknown, prefix = ""): RpcError {
  return thrown instanceof RpcError
    ? thrown
    : new RpcError(ERROR_CODES.failed, prefix + describeError(thrown));
}

/** The UTF-8 length, or an upper bound if that is within `enough`: no UTF-16 unit takes more than 3 bytes. */
function byteLengthUpTo(text: string, enough: number): number {
  return text.length * 3 <= enough ? text.length * 3 : Buffer.byteLength(text);
}

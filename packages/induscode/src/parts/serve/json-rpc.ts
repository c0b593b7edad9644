// One end of a connection that speaks JSON-RPC 2.0, one message a line. Nothing that the other end sends ends it.

import type { Writable } from "node:stream";
import { describeError, isTable, type JsonValue } from "indusagi/core";
import { RpcError } from "../../addons/process/protocol/contract.ts";
import { eachLine, LongLine } from "../../channels/bounded-lines.ts";
import { jsonLine } from "../../channels/json.ts";
import {
  excerpt,
  type RpcId as Id,
  isRpcAnswer,
  isRpcId,
  type RpcMessage as Message,
  rpcMessage,
  rpcMistake,
} from "../../channels/rpc-lines.ts";
import { createSink, type Sink } from "../../channels/sink.ts";
import { Problem } from "../../cli/problem.ts";
import { SERVE_LIMITS } from "./protocol/serve-limits.ts";
import { ERROR_CODES } from "./protocol/serve-messages.ts";

const { maxMessageBytes, maxUnreadBytes, maxWaiting } = SERVE_LIMITS;
/** With this much unread, no more requests are read. */
const MUCH_UNREAD_BYTES = 1024 * 1024;

interface Ends {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: Writable;
  /** Answers a request. May throw an {@link RpcError} or a {@link Problem}; anything else is the code `failed`. */
  readonly answer?: (method: string, params: JsonValue) => Promise<object>;
  readonly onNotification?: (method: string, params: JsonValue) => void;
  /** What the other end cannot be told: an answer of its own to nothing, a notification that could not be dealt with. */
  readonly onProblem: (problem: string) => void;
  /** The other end leaves too much unread. */
  readonly onStuck: () => void;
}

export class JsonRpc {
  readonly #ends: Ends;
  readonly #sink: Sink;
  readonly #sent = new Map<Id, (answer: Message | undefined) => void>();
  #waiting = 0;
  #made = 0;
  #isOver = false;
  #wakes: (() => void)[] = [];

  constructor(ends: Ends) {
    this.#ends = ends;
    this.#sink = createSink(ends.output, {
      onDrain: () => this.#wake(),
      onFailure: () => this.#wake(),
    });
  }

  /** Reads until the other end closes its side, and resolves once everything is answered. */
  async read(): Promise<void> {
    try {
      for await (const line of eachLine(this.#ends.input, maxMessageBytes)) {
        if (line instanceof LongLine) this.#refuse(null, ERROR_CODES.parse, line.message);
        else if (line.length > 0) this.#take(line);
        await this.room();
      }
    } catch (error) {
      if (this.#sink.failure() === undefined && !this.#isOver) throw error;
    } finally {
      this.end();
    }
  }

  /** Nobody is there any more: requests to the other end reject, and nothing is sent. */
  end(): void {
    this.#isOver = true;
    for (const settle of this.#sent.values()) settle(undefined);
    this.#sent.clear();
    this.#wake();
  }

  /** Resolves when the other end is not far behind. */
  async room(): Promise<void> {
    while (this.#ends.output.writableLength > MUCH_UNREAD_BYTES && !this.#isGone())
      await new Promise<void>((resolve) => this.#wakes.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }

  notify(method: string, params: object): void {
    this.#write({ jsonrpc: "2.0", method, params });
  }

  /** Rejects with the other end's {@link RpcError}, or with a {@link Problem} if it is gone. */
  async request(method: string, params: object): Promise<JsonValue> {
    const id = ++this.#made;
    const answer = await new Promise<Message | undefined>((resolve) => {
      if (this.#isGone()) resolve(undefined);
      else this.#sent.set(id, resolve);
      this.#write({ jsonrpc: "2.0", id, method, params });
    });
    if (answer === undefined) throw new Problem("the connection to indus serve ended");
    const { error } = answer;
    if (error === undefined) return answer.result ?? {};
    const { code, message } = isTable(error) ? error : {};
    throw new RpcError(typeof code === "number" ? code : ERROR_CODES.failed, String(message));
  }

  #isGone(): boolean {
    return this.#isOver || this.#sink.failure() !== undefined;
  }

  #write(message: object): void {
    if (this.#isOver) return;
    this.#sink.write(jsonLine(message));
    if (this.#ends.output.writableLength > maxUnreadBytes) this.#ends.onStuck();
  }

  #take(line: Buffer): void {
    const message = rpcMessage(line);
    if (typeof message === "string") {
      this.#refuse(null, ERROR_CODES.parse, message);
      return;
    }
    const { id, method, params = {} } = message;
    if (isRpcAnswer(message)) {
      // Never answered: two ends that answer answers go on forever.
      if (!isRpcId(id) || !this.#settle(id, message))
        this.#ends.onProblem(`received an answer that matches no request: ${excerpt(message)}`);
      return;
    }
    const wrong = rpcMistake(message);
    if (wrong !== undefined) this.#refuse(isRpcId(id) ? id : null, ERROR_CODES.message, wrong);
    else if (typeof method !== "string")
      return; // that would have been wrong
    else if (id === undefined || !isRpcId(id)) this.#notified(method, params);
    else void this.#answer(id, method, params);
  }

  #notified(method: string, params: JsonValue): void {
    try {
      this.#ends.onNotification?.(method, params);
    } catch (error) {
      this.#ends.onProblem(
        `the notification ${excerpt(method)} could not be handled: ${describeError(error)}`,
      );
    }
  }

  #settle(id: Id, answer: Message): boolean {
    const settle = this.#sent.get(id);
    this.#sent.delete(id);
    settle?.(answer);
    return settle !== undefined;
  }

  async #answer(id: Id, method: string, params: JsonValue): Promise<void> {
    const { answer } = this.#ends;
    if (answer === undefined)
      return this.#refuse(id, ERROR_CODES.method, `unknown method ${excerpt(method)}`);
    if (this.#waiting >= maxWaiting)
      return this.#refuse(id, ERROR_CODES.limit, `${maxWaiting} requests are already waiting for an answer`);
    this.#waiting++;
    try {
      this.#write({ jsonrpc: "2.0", id, result: await answer(method, params) });
    } catch (error) {
      const [code, message] = errorOf(error);
      this.#refuse(id, code, message);
    } finally {
      this.#waiting--;
    }
  }

  #refuse(id: Id | null, code: number, message: string): void {
    this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

function errorOf(error: unknown): readonly [number, string] {
  if (error instanceof RpcError) return [error.code, error.message];
  if (error instanceof Problem) return [ERROR_CODES.refused, error.message];
  return [ERROR_CODES.failed, describeError(error)];
}

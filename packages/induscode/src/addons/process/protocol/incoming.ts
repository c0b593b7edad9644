// The other side's calls: checked, counted, passed to the handler, answered once.

import { describeError, type JsonValue } from "indusagi/core";
import { checkParams, kindOfMethod } from "./check-message.ts";
import { type IncomingHandler, ProtocolBreach, RpcError } from "./contract.ts";
import type { ErrorFields } from "./message-lines.ts";
import { type AddonToHost, ERROR_CODES } from "./messages.ts";
import { asRpcError, type Outbox } from "./outbox.ts";
import { nameOf } from "./outgoing.ts";
import type { Message, RequestId } from "./read-message.ts";

interface IncomingOptions {
  readonly outbox: Outbox;
  /** Calls without an answer wait for their turn, except those that are done {@link AT_ONCE}. */
  readonly maxConcurrentRequests: number;
  /** How many bytes of them may wait. */
  readonly maxWaitingBytes: number;
  readonly handle: IncomingHandler;
  readonly onIgnored: (why: string) => void;
}

export interface Incoming {
  /** Returns a {@link ProtocolBreach} if its id is already in use. */
  readonly request: (call: Extract<Message, { kind: "request" }>) => ProtocolBreach | undefined;
  /** Passed with its length in bytes. */
  readonly notification: (call: Notification, bytes: number) => void;
  /** The other side no longer waits for this request; one that is already answered needs no cancelling. */
  readonly cancel: (id: RequestId) => void;
  /** Fires the signal of everything that still runs; nothing is answered any more. */
  readonly end: (why: ProtocolBreach) => void;
}

/** Done before their handler returns. They wait for no turn: the answer to a command would overtake what it said before. */
const AT_ONCE: ReadonlySet<string> = new Set<keyof AddonToHost>([
  "log",
  "diagnostic",
  "registered",
  "progress",
  "alert",
  "notify",
  "sendMessage",
  "ui/status",
  "ui/render",
]);

// A call costs more than its bytes.
const LEAST_COST = 1_024;

type Request = Extract<Message, { kind: "request" }>;
type Notification = Extract<Message, { kind: "notification" }>;

export function createIncoming(options: IncomingOptions): Incoming {
  const { outbox, handle, onIgnored } = options;
  const running = new Map<RequestId, Running>();
  const unanswerable = new Set<Running>(); // notifications that are running
  const waiting: { readonly call: Notification; readonly cost: number }[] = [];
  let waitingBytes = 0;
  let isOver = false;

  function refusalOf(method: string, params: JsonValue): RpcError | undefined {
    if (kindOfMethod(method, "addonToHost") === undefined)
      return new RpcError(ERROR_CODES.method, unknownMethod(method));
    const problem = checkParams(method, params);
    return problem === undefined ? undefined : new RpcError(ERROR_CODES.params, `${method}: ${problem}`);
  }

  const isFull = (): boolean => running.size + unanswerable.size >= options.maxConcurrentRequests;

  function tooMany(): RpcError | undefined {
    const most = options.maxConcurrentRequests;
    return isFull()
      ? new RpcError(ERROR_CODES.limit, `${most} requests are already running: wait for an answer`)
      : undefined;
  }

  function answer(id: RequestId, send: () => void): void {
    if (!running.delete(id) || isOver) return;
    send();
    runWaiting();
  }

  function runUnanswered({ method, params, during }: Notification): void {
    const call = new Running(during);
    const failed = (error: unknown): void => onIgnored(`${method}: ${describeError(error)}`);
    const settled = (): void => {
      if (unanswerable.delete(call)) runWaiting();
    };
    try {
      const result = handle(method, params, call);
      if (!(result instanceof Promise)) return;
      unanswerable.add(call);
      result.catch(failed).finally(settled);
    } catch (error) {
      failed(error);
    }
  }

  function runWaiting(): void {
    while (waiting.length > 0 && !isFull()) {
      const next = waiting.shift();
      if (next === undefined) return;
      waitingBytes -= next.cost;
      runUnanswered(next.call);
    }
  }

  function run({ id, method, params, during }: Request): void {
    const call = new Running(during);
    running.set(id, call);
    const fail = (thrown: unknown): void =>
      answer(id, () => outbox.error(id, call.isCancelled ? CANCELLED : asRpcError(thrown)));
    const finish = (result: unknown): void => answer(id, () => outbox.result(id, result));
    let result: ReturnType<IncomingHandler>;
    try {
      result = handle(method, params, call);
    } catch (error) {
      fail(error);
      return;
    }
    if (result instanceof Promise) result.then(finish, fail);
    else finish(result);
  }

  return {
    request: (call) => {
      const { id, method, params } = call;
      if (running.has(id))
        return new ProtocolBreach("message", `reused the id ${nameOf(id)} before it was answered`);
      const isNotification = kindOfMethod(method, "addonToHost") === "notification";
      const refusal = isNotification
        ? new RpcError(ERROR_CODES.request, `${method} is a notification: send it without an id`)
        : (refusalOf(method, params) ?? tooMany());
      if (refusal === undefined) run(call);
      else outbox.error(id, refusal);
      return undefined;
    },
    notification: (call, bytes) => {
      const cost = Math.max(bytes, LEAST_COST);
      const refusal = refusalOf(call.method, call.params);
      if (refusal !== undefined) onIgnored(refusal.message);
      else if (!isFull() || AT_ONCE.has(call.method)) runUnanswered(call);
      else if (waitingBytes + cost > options.maxWaitingBytes)
        onIgnored(`${call.method}: ${waiting.length} unanswered calls are already waiting`);
      else {
        waitingBytes += cost;
        waiting.push({ call, cost });
      }
    },
    cancel: (id) => running.get(id)?.cancel(new RpcError(CANCELLED.code, CANCELLED.message)),
    end: (why) => {
      isOver = true;
      for (const call of [...running.values(), ...unanswerable]) call.cancel(why);
      running.clear();
      unanswerable.clear();
      waiting.length = 0;
    },
  };
}

const CANCELLED: ErrorFields = {
  code: ERROR_CODES.cancelled,
  message: "the request was cancelled",
};

/** A call that has no answer yet. Its signal is created on first use: most handlers never read it. */
class Running {
  #controller: AbortController | undefined;
  #reason: unknown;
  isCancelled = false;
  readonly during: RequestId | undefined;

  constructor(during: RequestId | undefined) {
    this.during = during;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isCancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

function unknownMethod(method: string): string {
  const name = nameOf(method.slice(0, 80));
  if (kindOfMethod(method, "hostToAddon") === undefined) return `unknown method ${name}`;
  return `the method ${name} goes in the other direction: only this side sends it`;
}

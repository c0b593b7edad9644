// The requests of this end: their ids, who waits for them, and how long the other side may be silent about each.

import type { JsonValue } from "indusagi/core";
import { checkResult, withoutNulls } from "./check-message.ts";
import { type Peer, ProtocolBreach, type ProtocolLimits, RpcError } from "./contract.ts";
import { createDeadlines } from "./deadlines.ts";
import { ERROR_CODES } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { Message, RequestId } from "./read-message.ts";

interface OutgoingOptions {
  readonly outbox: Outbox;
  readonly limits: Pick<ProtocolLimits, "acknowledgeMs" | "cancelGraceMs">;
  readonly onBreach: (breach: ProtocolBreach) => void;
}

interface Outgoing {
  readonly request: Peer["request"];
  /** Passes an answer to its waiting request; returns a {@link ProtocolBreach} if none is waiting. */
  readonly settle: (answer: Extract<Message, { kind: "result" | "error" }>) => ProtocolBreach | undefined;
  /** `first`: it was expected. `repeated`: its request is already acknowledged or done. `unknown`: there is no such request. */
  readonly acknowledge: (id: RequestId) => "first" | "repeated" | "unknown";
  readonly rejectAll: (why: ProtocolBreach) => void;
  /** Whether this is an open request of this end, sent back unchanged. */
  readonly isEcho: (id: RequestId, method: string) => boolean;
  readonly pending: () => number;
}

interface Waiting {
  readonly method: string;
  readonly resolve: (result: JsonValue) => void;
  readonly reject: (why: unknown) => void;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
}

export function createOutgoing({ outbox, limits, onBreach }: OutgoingOptions): Outgoing {
  const { acknowledgeMs, cancelGraceMs } = limits;
  const waiting = new Map<RequestId, Waiting>();
  const cancelled = new Map<RequestId, string>();
  let lastId = 0;

  const silent = createDeadlines<RequestId>(acknowledgeMs, (id) => {
    const method = waiting.get(id)?.method;
    const found = `neither acknowledged nor answered ${method} within ${acknowledgeMs} ms`;
    onBreach(new ProtocolBreach("unresponsive", found));
  });
  const stopping = createDeadlines<RequestId>(cancelGraceMs, (id) => {
    const found = `did not answer ${cancelled.get(id)} within ${cancelGraceMs} ms after it was cancelled`;
    onBreach(new ProtocolBreach("hung", found));
  });

  function cancel(id: RequestId): void {
    const request = take(id);
    if (request === undefined) return;
    cancelled.set(id, request.method);
    stopping.add(id);
    request.reject(request.signal.reason);
    outbox.call("cancel", { id });
  }

  function take(id: RequestId): Waiting | undefined {
    const request = waiting.get(id);
    if (request === undefined) return undefined;
    waiting.delete(id);
    silent.remove(id);
    request.signal.removeEventListener("abort", request.onAbort);
    return request;
  }

  return {
    request: (method, params, { signal, onId, isPatient = false }) => {
      if (signal.aborted) return Promise.reject(signal.reason);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const onAbort = (): void => cancel(id);
        waiting.set(id, { method, resolve, reject, signal, onAbort });
        if (!isPatient) silent.add(id);
        signal.addEventListener("abort", onAbort, { once: true });
        try {
          onId?.(id);
          outbox.call(method, params, id);
        } catch (error) {
          take(id);
          reject(error);
        }
      });
    },
    settle: (answer) => {
      const request = take(answer.id);
      if (request === undefined) {
        stopping.remove(answer.id);
        if (cancelled.delete(answer.id)) return undefined; // nobody waits for it any more
        return new ProtocolBreach("message", `answered ${nameOf(answer.id)}, which is not an open request`);
      }
      if (answer.kind === "error") request.reject(answer.error);
      else settleResult(request, answer.result);
      return undefined;
    },
    acknowledge: (id) => {
      if (silent.remove(id)) return "first";
      return typeof id === "number" && id >= 1 && id <= lastId ? "repeated" : "unknown";
    },
    rejectAll: (why) => {
      for (const id of [...waiting.keys()]) take(id)?.reject(why);
      cancelled.clear();
      silent.clear();
      stopping.clear();
    },
    isEcho: (id, method) => waiting.get(id)?.method === method,
    pending: () => waiting.size,
  };
}

function settleResult({ method, resolve, reject }: Waiting, result: JsonValue): void {
  const problem = checkResult(method, result);
  if (problem === undefined) resolve(withoutNulls(method, result ?? {}));
  else
    reject(
      new RpcError(ERROR_CODES.failed, `the answer to ${method} does not match the protocol: ${problem}`),
    );
}

/** An id from the other side, safe to show. */
export function nameOf(id: RequestId): string {
  return JSON.stringify(id).replace(/[^ -~]/g, "?");
}

// One end of the addon protocol over any pipe: incoming messages are checked and limited, outgoing ones tracked and
// bounded. Knows neither processes nor grants: a handler answers, and the caller kills whatever breaks the protocol.

import type { JsonValue } from "indusagi/core";
import { createAllowance } from "./allowance.ts";
import { checkParams } from "./check-message.ts";
import { type Peer, type PeerOptions, ProtocolBreach } from "./contract.ts";
import { createFrameReader } from "./frames.ts";
import { createIncoming } from "./incoming.ts";
import { ERROR_CODES } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import { createOutgoing, nameOf } from "./outgoing.ts";
import { type Message, type RequestId, readMessage } from "./read-message.ts";

/** The host's end, which has sent nothing yet. It starts no timer while nothing waits for the other side. */
export function createPeer(options: PeerOptions): Peer {
  const { limits, onBreach, onIgnored = ignore } = options;
  let ended: ProtocolBreach | undefined;

  const outbox = createOutbox({
    limits,
    write: options.write,
    unsent: options.unsent,
    onOverflow: (bytes) => breach(new ProtocolBreach("unresponsive", `left ${bytes} bytes unread`)),
  });
  const outgoing = createOutgoing({
    outbox,
    limits,
    onBreach: breach,
  });
  const incoming = createIncoming({
    outbox,
    maxConcurrentRequests: limits.maxConcurrentRequests,
    maxWaitingBytes: limits.maxFrameBytes,
    handle: options.handle,
    onIgnored,
  });
  const allowance = createAllowance(limits.maxMessagesPerSecond);
  const reader = createFrameReader({
    limits,
    onMessage: (value, bytes) => dispatch(readMessage(value), bytes),
    onEmptyLine: () => admit(0),
  });

  function end(why: ProtocolBreach): boolean {
    if (ended !== undefined) return false;
    ended = why;
    reader.end();
    outgoing.rejectAll(why);
    incoming.end(why);
    return true;
  }

  function breach(why: ProtocolBreach | undefined): void {
    if (why !== undefined && end(why)) onBreach(why);
  }

  /** Counts an unsolicited message. False if it was one too many and the connection ended. */
  function admit(bytes: number): boolean {
    if (allowance.spend(bytes)) return true;
    const found = `sent more than ${limits.maxMessagesPerSecond} messages in a second`;
    breach(new ProtocolBreach("rate", found));
    return false;
  }

  function dispatch(message: Message, bytes: number): void {
    switch (message.kind) {
      case "broken":
        breach(new ProtocolBreach("message", message.problem));
        break;
      case "result":
      case "error":
        breach(outgoing.settle(message));
        break;
      case "notification":
        if (message.method === "ack") acknowledge(message.params, bytes);
        else if (!admit(bytes)) break;
        else if (message.method === "cancel") cancel(message.params);
        else incoming.notification(message, bytes);
        break;
      case "request":
        if (outgoing.isEcho(message.id, message.method)) breach(echoBreach(message.method));
        else if (admit(bytes)) breach(incoming.request(message));
        break;
      case "refused":
        if (admit(bytes)) outbox.error(message.id, { code: ERROR_CODES.request, message: message.problem });
        break;
    }
  }

  function acknowledge(params: JsonValue, bytes: number): void {
    const id = referenceIn("ack", params);
    const kind = id === undefined ? "unreadable" : outgoing.acknowledge(id);
    if (id !== undefined && kind === "unknown")
      breach(new ProtocolBreach("message", `acknowledged ${nameOf(id)}, which is not a request`));
    else if (kind !== "first") admit(bytes);
  }

  function cancel(params: JsonValue): void {
    const id = referenceIn("cancel", params);
    if (id !== undefined) incoming.cancel(id);
  }

  function referenceIn(method: string, params: JsonValue): RequestId | undefined {
    const problem = checkParams(method, params);
    if (problem === undefined) return (params as { readonly id: RequestId }).id;
    onIgnored(`${method}: ${problem}`);
    return undefined;
  }

  return {
    receive: (chunk) => {
      try {
        reader.receive(chunk);
      } catch (error) {
        if (!(error instanceof ProtocolBreach)) throw error;
        breach(error);
      }
    },
    request: (method, params, requestOptions) =>
      ended === undefined ? outgoing.request(method, params, requestOptions) : Promise.reject(ended),
    notify: (method, params) => {
      if (ended === undefined) outbox.call(method, params);
    },
    close: (why) => {
      end(why);
    },
    pending: () => outgoing.pending(),
  };
}

function echoBreach(method: string): ProtocolBreach {
  const found = `sent the request ${method} back unchanged: a program that echoes its input does not speak the protocol`;
  return new ProtocolBreach("message", found);
}

function ignore(): void {
  // Nobody asked to be told about notifications without effect.
}

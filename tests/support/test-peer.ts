// One end of the protocol under test: the test plays the other side, line by line.

import type { JsonObject, JsonValue } from "indusagi/core";
import {
  DEFAULT_LIMITS,
  type Peer,
  type PeerOptions,
  type ProtocolBreach,
  type ProtocolLimits,
} from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { createPeer } from "../../packages/induscode/src/addons/process/protocol/peer.ts";

export interface TestPeer {
  readonly peer: Peer;
  /** The messages it sent, parsed. */
  readonly sent: readonly JsonObject[];
  readonly breaches: readonly ProtocolBreach[];
  readonly ignored: readonly string[];
  /** Sends input from the other side: a string unchanged, a value as one JSON-RPC message. */
  readonly say: (...messages: readonly (string | JsonObject)[]) => void;
}

/** Uses the default limits unless the test sets others. */
export function startPeer({
  limits,
  ...options
}: Partial<Omit<PeerOptions, "limits">> & { readonly limits?: Partial<ProtocolLimits> } = {}): TestPeer {
  const sent: JsonObject[] = [];
  const breaches: ProtocolBreach[] = [];
  const ignored: string[] = [];
  const peer = createPeer({
    limits: { ...DEFAULT_LIMITS, ...limits },
    write: (line) => {
      sent.push(JSON.parse(line) as JsonObject);
      return true;
    },
    handle: (method, params) => ({ text: `${method} ${JSON.stringify(params)}` }),
    onBreach: (breach) => breaches.push(breach),
    onIgnored: (why) => ignored.push(why),
    ...options,
  });
  const say: TestPeer["say"] = (...messages) => {
    const lines = messages.map((one) =>
      typeof one === "string" ? one : `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`,
    );
    peer.receive(Buffer.from(lines.join("")));
  };
  return { peer, sent, breaches, ignored, say };
}

/** A signal that never fires. */
export const FOREVER: AbortSignal = new AbortController().signal;

/** Valid parameters for `event`. */
export const EVENT_PARAMS: JsonValue = { handler: 0, event: "turn:start", payload: { sessionId: "s" } };

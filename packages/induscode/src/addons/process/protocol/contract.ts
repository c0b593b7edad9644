// The two ends of a pipe that speaks the addon protocol. The messages' shapes are in `messages.ts`.

import type { JsonValue } from "indusagi/core";
import { HostError } from "../../../feature/fault-kind.ts";
import type { ProtocolLimits } from "./limits.ts";

export { DEFAULT_LIMITS, type ProtocolLimits } from "./limits.ts";

/** An error answer. */
export class RpcError extends HostError {
  override readonly name: string = "RpcError";
  readonly code: number;
  /** The answer's `data`, as it came; `{ kind: "load" | "register" }` of a refused `describe`. */
  readonly data: JsonValue | undefined;
  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A message of this end that the limits do not let out. No answer of the other side is one, whatever its code says. */
export class Unsendable extends RpcError {}

/** Why a connection ended that the host did not end. */
type BreachKind = "frame" | "json" | "depth" | "message" | "rate" | "unresponsive" | "hung" | "closed";

/** What the other side did that ends the connection; its message names what was expected and found. */
export class ProtocolBreach extends HostError {
  override readonly name = "ProtocolBreach";
  readonly kind: BreachKind;
  constructor(kind: BreachKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, faultKind: "breach" });
    this.kind = kind;
  }
}

/** Answers the other side's requests and hears its notifications. May throw an {@link RpcError}; any other error is `failed`. */
export type IncomingHandler = (
  method: string,
  params: JsonValue,
  context: {
    readonly signal: AbortSignal;
    /** The request, of those that were sent there, during which this one is made: where it says so. */
    readonly during?: number | string | undefined;
  },
) => JsonValue | undefined | Promise<JsonValue | undefined>;

export interface PeerOptions {
  readonly limits: ProtocolLimits;
  /** Puts bytes on the wire: one message with its line end. `false` means that the pipe is full. */
  readonly write: (line: string) => boolean | undefined;
  /** How many bytes the pipe holds that were not sent yet, e.g. `() => stdin.writableLength`. Asked when it is full. */
  readonly unsent?: () => number;
  readonly handle: IncomingHandler;
  /** Called once, when the other side broke the protocol: pending requests reject with it, the caller kills it. */
  readonly onBreach: (breach: ProtocolBreach) => void;
  /** Called with a sentence for each notification that came to nothing: unknown, misshapen, or its handler failed. */
  readonly onIgnored?: (why: string) => void;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Gets the request's id just before it is sent: `progress` of the other side names it. */
  readonly onId?: (id: number) => void;
  /** The other side may still be starting: it need not acknowledge, and only the signal ends the wait. */
  readonly isPatient?: boolean;
}

/** One end. */
export interface Peer {
  /** Feeds bytes as they come. */
  readonly receive: (chunk: Uint8Array) => void;
  /**
   * Resolves with the other side's result, `{}` for null; rejects with its {@link RpcError}, with one of the code `failed`
   * where the result does not fit the method, with the breach that ended the connection, or with the signal's reason: then
   * the other side was asked to cancel and has `cancelGraceMs` to answer, else it is a breach.
   */
  readonly request: (method: string, params: JsonValue, options: RequestOptions) => Promise<JsonValue>;
  /** Does nothing once the connection has ended. Throws an {@link RpcError} `limit` for what is too long or too deep. */
  readonly notify: (method: string, params: JsonValue) => void;
  /** The other side is gone: every pending request rejects, and the signals of what it asked for fire. */
  readonly close: (why: ProtocolBreach) => void;
  /** How many requests wait for an answer. */
  readonly pending: () => number;
}

/** Names of shapes by method; one without result is a notification. */
export type MethodShapes = Readonly<Record<string, { readonly params: string; readonly result?: string }>>;

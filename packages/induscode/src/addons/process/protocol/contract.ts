// The two ends of a pipe that speaks the addon protocol. The messages' shapes are in `messages.ts`.

import type { JsonValue } from "indusagi/core";
import { HostError } from "../../../feature/fault-kind.ts";
import type { ProtocolLimits } from "./limits.ts";

export { DEFAULT_LIMITS, type ProtocolLimits } from "./limits.ts";

/** An error answer. */
export class RpcError extends HostError {
  override readonly name: string = "RpcError";
  readonly code: number;
  /** The answer's `data`, unchanged; `{ kind: "load" | "register" }` for a refused `describe`. */
  readonly data: JsonValue | undefined;
  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A message of this end that exceeds the limits for sending. An answer of the other side is never one, whatever its code. */
export class Unsendable extends RpcError {}

/** Why a connection ended that the host did not end. */
type BreachKind = "frame" | "json" | "depth" | "message" | "rate" | "unresponsive" | "hung" | "closed";

/** What the other side did that ends the connection; its message says what was expected and found. */
export class ProtocolBreach extends HostError {
  override readonly name = "ProtocolBreach";
  readonly kind: BreachKind;
  constructor(kind: BreachKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, faultKind: "breach" });
    this.kind = kind;
  }
}

/** Answers the other side's requests and receives its notifications. May throw an {@link RpcError}; any other error is `failed`. */
export type IncomingHandler = (
  method: string,
  params: JsonValue,
  context: {
    readonly signal: AbortSignal;
    /** The request to the other side during which this one is made, if it says so. */
    readonly during?: number | string | undefined;
  },
) => JsonValue | undefined | Promise<JsonValue | undefined>;

export interface PeerOptions {
  readonly limits: ProtocolLimits;
  /** Puts bytes on the wire: one message with its line end. `false` means that the pipe is full. */
  readonly write: (line: string) => boolean | undefined;
  /** How many unsent bytes the pipe holds, e.g. `() => stdin.writableLength`. Called when it is full. */
  readonly unsent?: () => number;
  readonly handle: IncomingHandler;
  /** Called once, when the other side broke the protocol: pending requests reject with it, and the caller kills the other side. */
  readonly onBreach: (breach: ProtocolBreach) => void;
  /** Called with a sentence for each notification without effect: unknown, malformed, or its handler failed. */
  readonly onIgnored?: (why: string) => void;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Gets the request's id just before it is sent: the other side's `progress` refers to it. */
  readonly onId?: (id: number) => void;
  /** The other side may still be starting: it need not acknowledge, and only the signal ends the wait. */
  readonly isPatient?: boolean;
}

/** One end. */
export interface Peer {
  /** Feeds bytes as they arrive. */
  readonly receive: (chunk: Uint8Array) => void;
  /**
   * Resolves with the other side's result, `{}` for null. Rejects with its {@link RpcError}; with one of code `failed` if
   * the result does not fit the method; with the breach that ended the connection; or with the signal's reason, in which
   * case the other side was asked to cancel and must answer within `cancelGraceMs`, or else it is a breach.
   */
  readonly request: (method: string, params: JsonValue, options: RequestOptions) => Promise<JsonValue>;
  /** Does nothing once the connection has ended. Throws an {@link RpcError} `limit` for a message that is too long or too deep. */
  readonly notify: (method: string, params: JsonValue) => void;
  /** The other side is gone: every pending request rejects, and the signals of its own requests fire. */
  readonly close: (why: ProtocolBreach) => void;
  /** How many requests wait for an answer. */
  readonly pending: () => number;
}

/** Names of shapes by method; one without a result is a notification. */
export type MethodShapes = Readonly<Record<string, { readonly params: string; readonly result?: string }>>;

// The limits that both ends of a connection obey. Has no imports, because the runners load it at start-up.

/** Bounds of one connection (invariant: nothing is unbounded). A peer that exceeds one is cut off, unless the limit says otherwise. */
export interface ProtocolLimits {
  /** The longest line, in bytes. */
  readonly maxFrameBytes: number;
  /** The deepest nesting of a message. */
  readonly maxDepth: number;
  /** How many values a message may hold, including lists and objects: each costs far more than its bytes. */
  readonly maxValues: number;
  /**
   * Messages from the other side in one second. A long one counts once for each started 16 KiB; an answer and the first
   * acknowledgement of a request are not counted, because they were asked for.
   */
  readonly maxMessagesPerSecond: number;
  /** How many requests of the other side may be unanswered at once; more are refused with the code `limit`. */
  readonly maxConcurrentRequests: number;
  /** How long a request may stay without acknowledgement or answer, in milliseconds. */
  readonly acknowledgeMs: number;
  /** How long a cancelled request may stay unanswered before the other side counts as hung. */
  readonly cancelGraceMs: number;
  /** What the other side may leave unread, in bytes. An answer that would exceed it becomes the error `limit`. */
  readonly maxUnsentBytes: number;
}

export const DEFAULT_LIMITS: ProtocolLimits = {
  maxFrameBytes: 8 * 1024 * 1024,
  maxDepth: 200,
  maxValues: 200_000,
  maxMessagesPerSecond: 5_000,
  maxConcurrentRequests: 32,
  acknowledgeMs: 3_000,
  cancelGraceMs: 500,
  maxUnsentBytes: 16 * 1024 * 1024,
};

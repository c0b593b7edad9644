// What one connection may cost.

const MIB = 1024 * 1024;

export const SERVE_LIMITS = {
  /** The longest line that is read: a task with several pictures. */
  maxMessageBytes: 64 * MIB,
  /** A client this far behind does not read. */
  maxUnreadBytes: 64 * MIB,
  /** Requests of one connection that may wait for an answer. */
  maxWaiting: 100,
} as const;

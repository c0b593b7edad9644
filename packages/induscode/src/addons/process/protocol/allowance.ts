// How fast the other side may send: a token bucket that holds one second's worth and refills at an even rate.

import { monotonicMs } from "indusagi/core";

/** A message counts once for each started piece of this size, so that a few large ones are not free. */
const BYTES_PER_MESSAGE = 16 * 1024;

interface Allowance {
  /** Takes what a message of this many bytes costs; false if not enough is left. */
  readonly spend: (bytes: number) => boolean;
}

export function createAllowance(maxMessagesPerSecond: number): Allowance {
  let left = maxMessagesPerSecond;
  let filledAtMs = monotonicMs();
  return {
    spend: (bytes) => {
      const now = monotonicMs();
      left = Math.min(maxMessagesPerSecond, left + ((now - filledAtMs) * maxMessagesPerSecond) / 1_000);
      filledAtMs = now;
      left -= Math.max(1, Math.ceil(bytes / BYTES_PER_MESSAGE));
      return left >= 0;
    },
  };
}

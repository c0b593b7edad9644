// A bound on how often something may happen: what a stranger sends must not flood a person or a log.

import { monotonicMs } from "indusagi/core";

export interface LineAllowance {
  /** Whether one more, of this size, is allowed; it is if it begins within the allowance. `last`: the first one refused. */
  readonly take: (size?: number) => { readonly ok: true } | { readonly ok: false; readonly last: boolean };
}

/** At most `count` in any window of `perMs` milliseconds, counted from the first one in it. */
export function createLineAllowance({
  count,
  perMs,
}: {
  readonly count: number;
  readonly perMs: number;
}): LineAllowance {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let taken = 0;
  let isTold = false;
  return {
    take(size = 1) {
      const atMs = monotonicMs();
      if (atMs - windowStartMs >= perMs) {
        windowStartMs = atMs;
        taken = 0;
        isTold = false;
      }
      if (taken < count) {
        taken += size;
        return { ok: true };
      }
      const last = !isTold;
      isTold = true;
      return { ok: false, last };
    },
  };
}

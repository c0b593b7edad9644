// A bound on how often something may happen: what a stranger sends must not become a flood for a person or a log.

import { monotonicMs } from "indusagi/core";

export interface LineAllowance {
  /** Whether one more is within the allowance. `last` is true for the first one that is not. */
  readonly take: () => { readonly ok: true } | { readonly ok: false; readonly last: boolean };
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
  return {
    take() {
      const atMs = monotonicMs();
      if (atMs - windowStartMs >= perMs) {
        windowStartMs = atMs;
        taken = 0;
      }
      taken++;
      return taken <= count ? { ok: true } : { ok: false, last: taken === count + 1 };
    },
  };
}

// The only place that reads the time. Durations use the monotonic clock, because the wall clock can step backwards; wall time
// is for display.

import { processWide } from "./copies.ts";
import { createDisposer, type Disposer } from "./disposable.ts";

// Looks up `Date` on each call: a test can replace it.
const clock = processWide("wall-clock", () => ({ tell: (): number => Date.now() }));

/** Wall clock in milliseconds since 1970-01-01 UTC. */
export function nowMs(): number {
  return clock.tell();
}

/**
 * Makes `tell` the wall clock of this process, for reproducible runs. Durations and deadlines still use the machine's clock.
 * The returned disposer restores the previous clock.
 */
export function useWallClock(tell: () => number): Disposer {
  const before = clock.tell;
  clock.tell = tell;
  return createDisposer(() => {
    clock.tell = before;
  });
}

/** Milliseconds on a clock that never steps backwards; only differences are meaningful. */
export function monotonicMs(): number {
  // Not `performance`: Node loads it on first use, which costs a millisecond at each start.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

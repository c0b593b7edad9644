// The only place that asks the machine for the time. Durations use the monotonic clock, because the wall
// clock may step backwards; wall time is for people to read.

import { createDisposer, type Disposer } from "./disposable.ts";

// Called late: a test may put another `Date` in its place.
let wallClock = (): number => Date.now();

/** Wall clock in milliseconds since 1970-01-01 UTC. */
export function nowMs(): number {
  return wallClock();
}

/**
 * From now on the wall time of this process is what `tell` says: for a run that is to be the same every time. Durations and
 * deadlines stay those of the machine. Answers the way back.
 */
export function useWallClock(tell: () => number): Disposer {
  const before = wallClock;
  wallClock = tell;
  return createDisposer(() => {
    wallClock = before;
  });
}

/** Milliseconds on a clock that never steps backwards; only differences mean anything. */
export function monotonicMs(): number {
  // Not `performance`, which Node loads when it is first named: a millisecond of each start.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

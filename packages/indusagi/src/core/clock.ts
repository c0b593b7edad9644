// The only place that asks the machine for the time. Durations use the monotonic clock, because the wall
// clock may step backwards; wall time is for people to read.

/** Wall clock in milliseconds since 1970-01-01 UTC. */
export function nowMs(): number {
  return Date.now();
}

/** Milliseconds on a clock that never steps backwards; only differences mean anything. */
export function monotonicMs(): number {
  return performance.now();
}

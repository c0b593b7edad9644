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
 * Makes `tell` the wall clock of this process, for reproducible runs; a number that is no time counts as 0. Durations and deadlines
 * still use the machine's clock. The returned disposer restores the previous clock.
 */
export function useWallClock(tell: () => number): Disposer {
  const before = clock.tell;
  clock.tell = () => {
    const told = tell();
    return isTime(told) ? told : 0;
  };
  return createDisposer(() => {
    clock.tell = before;
  });
}

/** The years from 0 to 9999, in milliseconds since 1970: later ones have no form that all readers know. */
const FIRST_MS = -62_167_219_200_000;
const AFTER_MS = 253_402_300_800_000;

/** Whether a number is a time that can be written: a file can state any number. */
export function isTime(atMs: number): boolean {
  return atMs >= FIRST_MS && atMs < AFTER_MS;
}

/** A time from outside in ISO 8601, UTC; undefined for what is no {@link isTime}. */
export function isoTime(atMs: number): string | undefined {
  return isTime(atMs) ? new Date(atMs).toISOString() : undefined;
}

/** ISO 8601 in UTC of what a clock tells. Default: this one, now. Throws a RangeError beyond the dates of JavaScript. */
export function isoNow(now: number = nowMs()): string {
  return new Date(now).toISOString();
}

/** Milliseconds on a clock that never steps backwards; only differences are meaningful. */
export function monotonicMs(): number {
  // Not `performance`: Node loads it on first use, which costs a millisecond at each start.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

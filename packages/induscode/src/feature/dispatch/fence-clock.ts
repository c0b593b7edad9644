import { monotonicMs } from "indusagi/core";

/** Time as the fences measure it and wait for it; tests move it by hand. */
export interface FenceClock {
  readonly nowMs: () => number;
  /** Calls `act` once after this many milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, act: () => void) => () => void;
}

export const MACHINE_CLOCK: FenceClock = {
  nowMs: monotonicMs,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

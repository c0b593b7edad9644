// Time that advances only when everything is waiting for it: durations are then sums, the same on every machine.

export interface VirtualTime {
  readonly clock: {
    readonly nowMs: () => number;
    readonly after: (ms: number, act: () => void) => () => void;
  };
  readonly wait: (ms: number) => Promise<void>;
  /** Advances from one timer to the next until `work` has ended; returns its result, and how long that took. */
  readonly settle: <T>(work: Promise<T>) => Promise<{ readonly value: T; readonly tookMs: number }>;
}

interface Timer {
  readonly atMs: number;
  readonly act: () => void;
}

export function virtualTime(): VirtualTime {
  let now = 0;
  const timers = new Set<Timer>();
  const after = (ms: number, act: () => void): (() => void) => {
    const timer = { atMs: now + ms, act };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    clock: { nowMs: () => now, after },
    wait: (ms) => new Promise((resolve) => void after(ms, resolve)),
    async settle(work) {
      const since = now;
      let isSettled = false;
      const settled = work.finally(() => {
        isSettled = true;
      });
      settled.catch(() => undefined);
      for (;;) {
        await nothingRuns();
        if (isSettled) return { value: await settled, tookMs: now - since };
        const next = [...timers].sort((one, other) => one.atMs - other.atMs)[0];
        if (next === undefined) throw new Error("it waits for something else than time");
        timers.delete(next);
        now = next.atMs;
        next.act();
      }
    },
  };
}

/** Lets everything that does not wait for time settle. */
async function nothingRuns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

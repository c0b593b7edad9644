// Many deadlines of one length share one timer. There is no timer while nothing waits, and none keeps the process alive.

import { monotonicMs } from "indusagi/core";

/** The waiting ids, each from the moment it was added. */
export interface Deadlines<Id> {
  readonly add: (id: Id) => void;
  /** False if it was not waiting. */
  readonly remove: (id: Id) => boolean;
  readonly clear: () => void;
}

// Timers fire before the pipe is read. A process that was busy itself must read what arrived meanwhile before it judges.
const LAST_LOOK_MS = 25;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `onMissed` once with the first id that waits longer than `ms`; after that nothing waits any more. */
export function createDeadlines<Id>(ms: number, onMissed: (id: Id) => void): Deadlines<Id> {
  const startedAtMs = new Map<Id, number>(); // in the order of their deadlines, because all have the same length
  let timer: NodeJS.Timeout | undefined;
  let isLastLook = false;

  function arm(delayMs: number): void {
    timer = setTimeout(look, Math.min(MAX_TIMER_MS, Math.max(1, delayMs)));
    timer.unref();
  }

  function look(): void {
    const [first] = startedAtMs;
    if (first === undefined) return;
    const [id, since] = first;
    const leftMs = since + ms - monotonicMs();
    if (leftMs > 0) {
      isLastLook = false;
      arm(leftMs);
    } else if (isLastLook) {
      clear();
      onMissed(id);
    } else {
      isLastLook = true;
      arm(LAST_LOOK_MS);
    }
  }

  function clear(): void {
    startedAtMs.clear();
    clearTimeout(timer);
    timer = undefined;
    isLastLook = false;
  }

  return {
    add: (id) => {
      startedAtMs.set(id, monotonicMs());
      if (timer === undefined) arm(ms);
    },
    remove: (id) => {
      const waited = startedAtMs.delete(id);
      if (startedAtMs.size === 0) clear();
      return waited;
    },
    clear,
  };
}

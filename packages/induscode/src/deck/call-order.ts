// The order of calls that run side by side. A model that asks for an edit and a test run in one reply means the test to
// see the edit, and an edit after a read means what was read. So a call that writes runs alone, at its place in the
// order; everything between two such calls runs at once.

import { deferred } from "indusagi/core";

/** Ends a call's turn. */
export type LeaveOrder = () => void;

export interface CallOrder {
  /** Waits for this call's turn. Calls take their places in the order in which they enter. */
  readonly enter: (alone: boolean) => Promise<LeaveOrder>;
}

export function createCallOrder(): CallOrder {
  let lastAlone: Promise<void> = Promise.resolve();
  let sinceThen: Promise<void>[] = [];
  return {
    async enter(alone) {
      const { promise: left, resolve: leave } = deferred<void>();
      const before = alone ? [lastAlone, ...sinceThen] : [lastAlone];
      if (alone) {
        lastAlone = left;
        sinceThen = [];
      } else sinceThen = [...sinceThen, left];
      left.then(() => {
        sinceThen = sinceThen.filter((each) => each !== left);
      });
      await Promise.all(before);
      return leave;
    },
  };
}

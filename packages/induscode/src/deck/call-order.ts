// The order of calls that run side by side. A model that asks for an edit and a test run in one reply means the test to
// see the edit, and an edit after a read means what was read. So a call that writes runs alone, at its place in the
// order; everything between two such calls runs at once.

import { deferred } from "indusagi/core";

/** Ends a call's turn. */
export type LeaveOrder = () => void;

export interface CallOrder {
  /** Waits for this call's turn, where there is something to wait for. Calls take their places as they enter. */
  readonly enter: (alone: boolean) => LeaveOrder | Promise<LeaveOrder>;
}

export function createCallOrder(): CallOrder {
  let lastAlone: Promise<void> | undefined;
  let sinceThen: Promise<void>[] = [];
  return {
    enter(alone) {
      const { promise: left, resolve } = deferred<void>();
      const before = alone ? sinceThen : [];
      if (lastAlone) before.push(lastAlone);
      if (alone) {
        lastAlone = left;
        sinceThen = [];
      } else sinceThen.push(left);
      const leave = (): void => {
        resolve();
        const at = sinceThen.indexOf(left);
        if (at >= 0) sinceThen.splice(at, 1);
        if (lastAlone === left) lastAlone = undefined;
      };
      return before.length === 0 ? leave : Promise.all(before).then(() => leave);
    },
  };
}

// The order of concurrent calls. A model that asks for an edit and a test run in one reply means the test to see the edit, and an edit
// after a read to apply to what was read. So a call that writes runs alone, at its place in the order; everything between two such calls
// runs concurrently.

import { type Deferred, deferred } from "indusagi/core";

/** Ends a call's turn. */
type LeaveOrder = () => void;

export interface CallOrder {
  /** Waits for this call's turn, if it has to. Calls take their places as they enter. */
  readonly enter: (alone: boolean) => LeaveOrder | Promise<LeaveOrder>;
}

export function createCallOrder(): CallOrder {
  let lastAlone: Turn | undefined;
  let sinceThen: Turn[] = [];
  return {
    enter(alone) {
      const mine: Turn = {};
      const before = alone ? sinceThen : [];
      if (lastAlone) before.push(lastAlone);
      if (alone) {
        lastAlone = mine;
        sinceThen = [];
      } else sinceThen.push(mine);
      const leave = (): void => {
        mine.left?.resolve();
        const at = sinceThen.indexOf(mine);
        if (at >= 0) sinceThen.splice(at, 1);
        if (lastAlone === mine) lastAlone = undefined;
      };
      return before.length === 0 ? leave : Promise.all(before.map(endOf)).then(() => leave);
    },
  };
}

/** For one running call. */
interface Turn {
  /** Created by the first waiter: nobody waits for most calls. */
  left?: Deferred<void>;
}

function endOf(turn: Turn): Promise<void> {
  turn.left ??= deferred();
  return turn.left.promise;
}

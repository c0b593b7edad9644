// Running observers. Nobody waits for them (fire and forget), except the session's end, which waits for
// at most one deadline.

import type { Disposer } from "indusagi/core";
import type { HostHandlerContext } from "../handler.ts";
import { callHandler, type Fence, type HandlerOwner } from "./fence.ts";

/** How many observers of one feature may be running before the next event waits for one of them. */
const MAX_AT_WORK = 16;

export interface ObserverCall {
  readonly owner: HandlerOwner;
  readonly run: (context: HostHandlerContext) => void | Promise<void>;
  readonly onError: (error: unknown) => void;
}

export interface Observers {
  /** Hands an observer its event. Returns a promise when its feature is so far behind that the event has to wait. */
  readonly start: (call: ObserverCall) => Promise<void> | undefined;
  /** Resolves when none is running; after one deadline the rest are stopped, and each reports that as its error. */
  readonly settled: () => Promise<void>;
}

/** `hold` is called for each running observer, and its disposer once that has ended. */
export function createObservers(
  { deadlineMs, clock, session }: Pick<Fence, "deadlineMs" | "clock" | "session">,
  hold: () => Disposer = () => () => undefined,
): Observers {
  const atWork = new Map<string, Set<Promise<unknown>>>();
  let ending = new AbortController();

  return {
    start({ owner, run, onError }) {
      const { feature } = owner;
      const others = atWork.get(feature);
      // A feature that handles its events one at a time reaches this one after the others have had their time.
      const turn = 1 + (others?.size ?? 0);
      const answer = callHandler(run, {
        owner,
        deadlineMs: (owner.patienceMs ?? deadlineMs) * turn,
        clock,
        session,
        signal: ending.signal,
        accept: () => undefined,
        onError,
      });
      if (!(answer instanceof Promise)) return undefined;
      const mine = others ?? new Set();
      atWork.set(feature, mine);
      mine.add(answer);
      const release = hold();
      void answer.then(() => {
        release();
        mine.delete(answer);
        if (mine.size === 0) atWork.delete(feature);
      });
      return mine.size < MAX_AT_WORK ? undefined : Promise.race(mine).then(() => undefined);
    },
    async settled() {
      const open = [...atWork.values()].flatMap((mine) => [...mine]);
      if (open.length === 0) return;
      const stop = ending;
      const stopTimer = clock.after(deadlineMs, () => stop.abort());
      await Promise.all(open);
      stopTimer();
      if (stop.signal.aborted) ending = new AbortController(); // for later events
    },
  };
}

// Asks the handlers of one event, or the stages around one call, one after the other, each within what is left of its
// addon's time. Whoever has none left is not asked any more: that counts as a missed deadline, and is told once.

import type { HandlerContext } from "./contract.ts";
import { callHandler, FAILED, type Fence, type HandlerCall } from "./fence.ts";
import { type CallTime, createEventTime, NotAsked } from "./time-budget.ts";

export interface Question<T, R> extends Pick<HandlerCall<T, R>, "accept" | "onError"> {
  readonly feature: string;
  readonly run: (context: HandlerContext) => T | Promise<T>;
  /** How many of its feature are still to come, with this one. */
  readonly rest: () => number;
}

export interface Asking {
  /** What `accept` made of the answer; FAILED once `onError` has heard why there is none. Never rejects. */
  readonly ask: <T, R>(question: Question<T, R>) => Answer<R> | Promise<Answer<R>>;
}

type Answer<R> = R | typeof FAILED;

export interface AskingFacts extends Pick<Fence, "deadlineMs" | "clock"> {
  readonly call: CallTime;
  readonly signal: AbortSignal;
}

export function createAsking({ deadlineMs, clock, call, signal }: AskingFacts): Asking {
  const time = createEventTime({ deadlineMs, clock, call });
  const withoutTime = new Set<string>();
  return {
    ask({ feature, run, rest, accept, onError }) {
      const allowedMs = time.deadlineMs(feature);
      if (allowedMs === undefined) {
        const isTold = withoutTime.has(feature);
        withoutTime.add(feature);
        const left = rest();
        const told = `${time.why(feature)}; ${left} of them ${left === 1 ? "was" : "were"} not asked`;
        onError(new NotAsked(told, { isTold }));
        return FAILED;
      }
      const isNear = allowedMs < deadlineMs;
      const sinceMs = clock.nowMs();
      const answer = callHandler(run, {
        deadlineMs: allowedMs,
        whyNear: isNear ? () => time.why(feature) : undefined,
        clock,
        signal,
        accept,
        onError,
      });
      if (!(answer instanceof Promise)) {
        time.spend(feature, sinceMs);
        return answer;
      }
      return answer.then((settled) => {
        time.spend(feature, sinceMs);
        return settled;
      });
    },
  };
}

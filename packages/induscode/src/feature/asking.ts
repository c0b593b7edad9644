// Asks the handlers of one event, or the stages around one call, one after the other, each within what is left of its
// addon's time. Whoever has none left is not asked any more: that counts as a missed deadline, and is told once.

import type { HandlerContext } from "./contract.ts";
import { callHandler, FAILED, type Fence, type HandlerCall } from "./fence.ts";
import { type CallTime, createEventTime, type EventTime, NotAsked, UNCOUNTED_MS } from "./time-budget.ts";

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
  // Of whoever took time that counts: most handlers do not, and cost no more than one look at the clock.
  let times: Map<string, EventTime> | undefined;
  const timeOf = (feature: string): EventTime => {
    times ??= new Map();
    let time = times.get(feature);
    if (time === undefined) {
      time = createEventTime(deadlineMs, call.shareOf(feature));
      times.set(feature, time);
    }
    return time;
  };
  let withoutTime: Set<string> | undefined;
  // Where one handler ends, the next begins.
  let sinceMs = clock.nowMs();
  const passed = (): number => {
    const beganMs = sinceMs;
    sinceMs = clock.nowMs();
    return sinceMs - beganMs;
  };
  return {
    ask({ feature, run, rest, accept, onError }) {
      const untouchedMs = times ? undefined : call.untouchedMs();
      const allowedMs =
        untouchedMs === undefined ? timeOf(feature).deadlineMs() : Math.min(deadlineMs, untouchedMs);
      if (allowedMs === undefined) {
        withoutTime ??= new Set();
        const isTold = withoutTime.has(feature);
        withoutTime.add(feature);
        const left = rest();
        const told = `${timeOf(feature).why()}; ${left} of them ${left === 1 ? "was" : "were"} not asked`;
        onError(new NotAsked(told, { isTold }));
        return FAILED;
      }
      const answer = callHandler(run, {
        deadlineMs: allowedMs,
        whyNear: allowedMs < deadlineMs ? timeOf(feature).why : undefined,
        clock,
        signal,
        accept,
        onError,
      });
      const spend = (): void => {
        const ms = passed();
        if (ms >= UNCOUNTED_MS) timeOf(feature).spend(ms);
      };
      if (!(answer instanceof Promise)) {
        spend();
        return answer;
      }
      return answer.then((settled) => {
        spend();
        return settled;
      });
    },
  };
}

// Deadlines add up: two hundred handlers of one second each are in time one by one, and hold up a call for minutes. So the
// handlers of one addon share a budget at each event, and all addons share one in each call.

import type { FenceClock } from "./fence-clock.ts";
import { DEADLINES_AT_ONE_EVENT } from "./handler-limits.ts";

/** Less than this is not worth asking: what is left is used up, in milliseconds. */
const LEAST_MS = 10;

/** What addons may take of one call together, or of one event that belongs to no call. */
export interface CallTime {
  readonly leftMs: (feature: string) => number;
  readonly spend: (feature: string, ms: number) => void;
}

/**
 * Half of `totalMs` is common; of the other half each of so many features has an equal part, which it uses first. So nobody
 * waits longer than the total, and none can use up what another needs to be asked at all.
 */
export function createCallTime(totalMs: number, features: number): CallTime {
  const part = totalMs / 2 / Math.max(1, features);
  const spent = new Map<string, number>();
  let common = totalMs / 2;
  const ownLeft = (feature: string): number => Math.max(0, part - (spent.get(feature) ?? 0));
  return {
    leftMs: (feature) => ownLeft(feature) + Math.max(0, common),
    spend(feature, ms) {
      common -= Math.max(0, ms - ownLeft(feature));
      spent.set(feature, (spent.get(feature) ?? 0) + ms);
    },
  };
}

/** The time of one dispatch, or of one half of the onion around a call. */
export interface EventTime {
  /** What the next handler of `feature` may take; undefined where its time is used up. */
  readonly deadlineMs: (feature: string) => number | undefined;
  /** Counts what has passed since `sinceMs` as time of `feature`. */
  readonly spend: (feature: string, sinceMs: number) => void;
  /** Why the next handler of `feature` is not asked, or was stopped earlier than the deadline of one handler. */
  readonly why: (feature: string) => string;
}

export interface EventTimeFacts {
  /** Of one handler. */
  readonly deadlineMs: number;
  readonly call: CallTime;
  readonly clock: FenceClock;
}

export function createEventTime({ deadlineMs, call, clock }: EventTimeFacts): EventTime {
  const allowed = deadlineMs * DEADLINES_AT_ONE_EVENT;
  const spent = new Map<string, number>();
  const hereLeft = (feature: string): number => allowed - (spent.get(feature) ?? 0);
  return {
    deadlineMs(feature) {
      const left = Math.min(hereLeft(feature), call.leftMs(feature));
      return left < LEAST_MS ? undefined : Math.min(deadlineMs, left);
    },
    spend(feature, sinceMs) {
      const ms = clock.nowMs() - sinceMs;
      spent.set(feature, (spent.get(feature) ?? 0) + ms);
      call.spend(feature, ms);
    },
    why: (feature) =>
      hereLeft(feature) <= call.leftMs(feature)
        ? `its handlers may take ${Math.round(allowed)} ms together at one event`
        : "what its handlers, and those of all addons, may take together in one call is used up",
  };
}

/** What stands for the answer of a handler that was not asked, because its addon had used up what it may take. */
export class NotAsked extends Error {
  override readonly name = "NotAsked";
  /** The first of them speaks for the others of its addon. */
  readonly isTold: boolean;

  constructor(why: string, { isTold }: { readonly isTold: boolean }) {
    super(why);
    this.isTold = isTold;
  }
}

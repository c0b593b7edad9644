// Deadlines add up: two hundred handlers of one second each are all on time, yet hold up a call for minutes. So the handlers
// of one addon share a budget at each event, and all addons share one in each call.

import { DEADLINES_AT_ONE_EVENT } from "../handler-limits.ts";

/** With less than this left, in milliseconds, the time counts as used up. */
const LEAST_MS = 10;
/** Less than this, in milliseconds, is not counted: a thousand handlers come to 50. */
export const UNCOUNTED_MS = 0.05;

/** The time addons may take together for one call, or for one event outside a call. */
export interface CallTime {
  /** The time each feature has while none has used a countable amount; undefined after that. */
  readonly untouchedMs: () => number | undefined;
  /** Returns the same share each time a feature asks. */
  readonly shareOf: (feature: string) => CallShare;
}

/** The time one feature may take of a call. */
export interface CallShare {
  readonly leftMs: () => number;
  readonly spend: (ms: number) => void;
}

/**
 * Half of `totalMs` is shared; the other half is split equally among the features, and each uses its own part first. So
 * nobody waits longer than the total, and no feature can use up the time another needs to be asked at all.
 */
export function createCallTime(totalMs: number, features: number): CallTime {
  return new SharedTime(totalMs / 2, totalMs / 2 / Math.max(1, features));
}

/** A class, because one is created per call. */
class SharedTime implements CallTime {
  #common: number;
  readonly #part: number;
  #shares: Map<string, CallShare> | undefined;

  constructor(common: number, part: number) {
    this.#common = common;
    this.#part = part;
  }

  untouchedMs(): number | undefined {
    return this.#shares === undefined ? this.#part + this.#common : undefined;
  }

  shareOf(feature: string): CallShare {
    this.#shares ??= new Map();
    let share = this.#shares.get(feature);
    if (share === undefined) {
      share = this.#createShare();
      this.#shares.set(feature, share);
    }
    return share;
  }

  #createShare(): CallShare {
    let own = this.#part;
    return {
      leftMs: () => own + Math.max(0, this.#common),
      spend: (ms) => {
        this.#common -= Math.max(0, ms - own);
        own = Math.max(0, own - ms);
      },
    };
  }
}

/** The time one feature's handlers may take in one dispatch, or in one half of the onion around a call. */
export interface EventTime {
  /** The time the next handler may take; undefined when none is left. */
  readonly deadlineMs: () => number | undefined;
  readonly spend: (ms: number) => void;
  /** Why the next handler is not asked, or was stopped before one handler's deadline. */
  readonly why: () => string;
}

/** `deadlineMs` is for one handler. */
export function createEventTime(deadlineMs: number, share: CallShare): EventTime {
  const allowed = deadlineMs * DEADLINES_AT_ONE_EVENT;
  let hereLeft = allowed;
  return {
    deadlineMs() {
      const left = Math.min(hereLeft, share.leftMs());
      return left < LEAST_MS ? undefined : Math.min(deadlineMs, left);
    },
    spend(ms) {
      hereLeft -= ms;
      share.spend(ms);
    },
    why: () =>
      hereLeft <= share.leftMs()
        ? `its handlers may take ${Math.round(allowed)} ms in total at one event`
        : "the time that the handlers of all addons may take in total in one call is used up",
  };
}

/** The error for a handler that was not asked because its addon had used up its time. */
export class NotAsked extends Error {
  override readonly name = "NotAsked";
  /** The first one is reported on behalf of its addon's others. */
  readonly isTold: boolean;

  constructor(why: string, { isTold }: { readonly isTold: boolean }) {
    super(why);
    this.isTold = isTold;
  }
}

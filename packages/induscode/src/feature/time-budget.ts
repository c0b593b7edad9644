// Deadlines add up: two hundred handlers of one second each are in time one by one, and hold up a call for minutes. So the
// handlers of one addon share a budget at each event, and all addons share one in each call.

import { DEADLINES_AT_ONE_EVENT } from "./handler-limits.ts";

/** Less than this is not worth asking: what is left is used up, in milliseconds. */
const LEAST_MS = 10;
/** Less than this is not worth counting: a thousand handlers come to 50 milliseconds. */
export const UNCOUNTED_MS = 0.05;

/** What addons may take of one call together, or of one event that belongs to no call. */
export interface CallTime {
  /** What each feature has as long as nobody has taken time that counts; undefined from then on. */
  readonly untouchedMs: () => number | undefined;
  /** The same for each time that a feature is asked for. */
  readonly shareOf: (feature: string) => CallShare;
}

/** What one feature may take of a call. */
export interface CallShare {
  readonly leftMs: () => number;
  readonly spend: (ms: number) => void;
}

/**
 * Half of `totalMs` is common; of the other half each of so many features has an equal part, which it uses first. So nobody
 * waits longer than the total, and none can use up what another needs to be asked at all.
 */
export function createCallTime(totalMs: number, features: number): CallTime {
  return new SharedTime(totalMs / 2, totalMs / 2 / Math.max(1, features));
}

/** A class, because there is one for each call. */
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

/** What the handlers of one feature may take in one dispatch, or in one half of the onion around a call. */
export interface EventTime {
  /** What the next handler may take; undefined where the time is used up. */
  readonly deadlineMs: () => number | undefined;
  readonly spend: (ms: number) => void;
  /** Why the next handler is not asked, or was stopped earlier than the deadline of one handler. */
  readonly why: () => string;
}

/** `deadlineMs` is that of one handler. */
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

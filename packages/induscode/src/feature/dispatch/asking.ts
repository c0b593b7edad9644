// Asks the handlers of one event, or the stages around one call, one after another, each within the time its addon has left.
// An addon without time left is no longer asked: that counts as a missed deadline and is reported once.

import type { HostHandlerContext } from "../handler.ts";
import { callHandler, FAILED, type Fence, type HandlerCall, type HandlerOwner } from "./fence.ts";
import { type CallTime, createEventTime, type EventTime, NotAsked, UNCOUNTED_MS } from "./time-budget.ts";

export interface Question<T, R> extends Pick<HandlerCall<T, R>, "accept" | "onError"> {
  /** All that are asked, in order, and the index of this one. */
  readonly among: readonly { readonly feature: string }[];
  readonly at: number;
  /** Whose it is. */
  readonly owner: HandlerOwner;
  readonly run: (context: HostHandlerContext) => T | Promise<T>;
}

type NotAskable = Pick<Question<unknown, unknown>, "owner" | "among" | "at" | "onError">;
type Answer<R> = R | typeof FAILED;

/** One per dispatch, and per half of an onion. A handler that takes no time costs one look at the clock. */
export class Asking {
  readonly #fence: Pick<Fence, "deadlineMs" | "clock" | "session">;
  readonly #call: CallTime;
  readonly #signal: AbortSignal;
  /** For features that took time that counts; most do not. */
  #times: Map<string, EventTime> | undefined;
  #withoutTime: Set<string> | undefined;
  /** Where one handler ends, the next begins. */
  #sinceMs: number;

  constructor(fence: Pick<Fence, "deadlineMs" | "clock" | "session">, call: CallTime, signal: AbortSignal) {
    this.#fence = fence;
    this.#call = call;
    this.#signal = signal;
    this.#sinceMs = fence.clock.nowMs();
  }

  /** What `accept` made of the answer, or FAILED after `onError` received the reason. Never rejects. */
  ask<T, R>(question: Question<T, R>): Answer<R> | Promise<Answer<R>> {
    const { owner, run, accept, onError } = question;
    const { feature } = owner;
    if (owner.patienceMs !== undefined) return this.#wait(question, owner.patienceMs);
    const { deadlineMs, clock, session } = this.#fence;
    const untouchedMs = this.#times ? undefined : this.#call.untouchedMs();
    const allowedMs =
      untouchedMs === undefined ? this.#timeOf(feature).deadlineMs() : Math.min(deadlineMs, untouchedMs);
    if (allowedMs === undefined) return this.#pass(question);
    const answer = callHandler(run, {
      owner,
      deadlineMs: allowedMs,
      whyNear: allowedMs < deadlineMs ? this.#timeOf(feature).why : undefined,
      clock,
      session,
      signal: this.#signal,
      accept,
      onError,
    });
    if (!(answer instanceof Promise)) {
      this.#spend(feature);
      return answer;
    }
    return answer.then((settled) => {
      this.#spend(feature);
      return settled;
    });
  }

  /** It takes nobody's time but its own. */
  #wait<T, R>(
    { owner, run, accept, onError }: Question<T, R>,
    deadlineMs: number,
  ): Answer<R> | Promise<Answer<R>> {
    const { clock, session } = this.#fence;
    const signal = this.#signal;
    const answer = callHandler(run, { owner, deadlineMs, clock, session, signal, accept, onError });
    const settle = (settled: Answer<R>): Answer<R> => {
      this.#sinceMs = clock.nowMs();
      return settled;
    };
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  }

  #pass({ owner: { feature }, among, at, onError }: NotAskable): typeof FAILED {
    this.#withoutTime ??= new Set();
    const isTold = this.#withoutTime.has(feature);
    this.#withoutTime.add(feature);
    const left = among.slice(at).filter((each) => each.feature === feature).length;
    const message = `${this.#timeOf(feature).why()}; ${left} of them ${left === 1 ? "was" : "were"} not called`;
    onError(new NotAsked(message, { isTold }));
    return FAILED;
  }

  #spend(feature: string): void {
    const nowMs = this.#fence.clock.nowMs();
    const ms = nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
    if (ms >= UNCOUNTED_MS) this.#timeOf(feature).spend(ms);
  }

  #timeOf(feature: string): EventTime {
    this.#times ??= new Map();
    let time = this.#times.get(feature);
    if (time === undefined) {
      time = createEventTime(this.#fence.deadlineMs, this.#call.shareOf(feature));
      this.#times.set(feature, time);
    }
    return time;
  }
}

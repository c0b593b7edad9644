import type { Disposer } from "indusagi/core";
import type { HookDispatch } from "./contract.ts";
import { createDispatchState } from "./dispatch-state.ts";
import { EventDispatcher } from "./dispatcher.ts";
import { type FenceOptions, fenceOf } from "./fence.ts";
import { DEADLINES_IN_ONE_CALL } from "./handler-limits.ts";
import { InterceptorChain } from "./interceptors.ts";
import type { FeatureRegistry, InstalledFeatures } from "./registry.ts";
import { type CallTime, createCallTime } from "./time-budget.ts";

/** Everything of a session that features hooked into, in install order. */
export interface SessionHooks {
  readonly dispatcher: HookDispatch;
  readonly chain: InterceptorChain;
  /** What all of them may take of one tool call, for everything that is dispatched for it. */
  readonly callTime: () => CallTime;
  /** A call is under way until the answer is called. */
  readonly hold: () => Disposer;
}

/** Hooks that a session keeps while what is committed changes: each look at them sees what counts now. */
export interface LiveHooks extends SessionHooks {
  readonly dispatcher: EventDispatcher;
  /** For whoever holds on to it. */
  readonly dispatch: HookDispatch;
}

/** A registry, or lists that stay as they are. */
export type CommittedHooks = Pick<InstalledFeatures, "subscriptions" | "interceptors"> &
  Partial<Pick<FeatureRegistry, "hold">>;

/** Hooks whose every payload names the delegate that it is about. */
export function hooksOfDelegate(delegate: string, hooks: LiveHooks): SessionHooks {
  const { callTime, hold, dispatch } = hooks;
  return {
    get chain() {
      return hooks.chain;
    },
    callTime,
    hold,
    dispatcher: {
      has: dispatch.has,
      dispatch: (event, payload, options) => dispatch.dispatch(event, payload, { ...options, delegate }),
      settled: async () => undefined, // the end of the session that it works for waits for them
    },
  };
}

/** The hooks that the registry committed. */
export function createHooks(committed: CommittedHooks, options: FenceOptions): LiveHooks {
  const fence = fenceOf(options);
  const { hold = () => () => undefined } = committed;
  const state = createDispatchState(fence, hold);
  const callMs = fence.deadlineMs * DEADLINES_IN_ONE_CALL;
  let made = make();
  const current = (): typeof made => {
    const { subscriptions, interceptors } = committed;
    if (made.subscriptions !== subscriptions || made.interceptors !== interceptors) made = make();
    return made;
  };
  return {
    get dispatcher() {
      return current().dispatcher;
    },
    get chain() {
      return current().chain;
    },
    dispatch: {
      has: (event, kind) => current().dispatcher.has(event, kind),
      async dispatch(event, payload, given) {
        const { dispatcher } = current();
        if (!dispatcher.has(event)) return dispatcher.dispatch(event, payload, given);
        const release = hold();
        try {
          return await dispatcher.dispatch(event, payload, given);
        } finally {
          release();
        }
      },
      settled: state.observers.settled,
    },
    callTime: () => createCallTime(callMs, current().features),
    hold,
  };

  function make() {
    const { subscriptions, interceptors } = committed;
    return {
      subscriptions,
      interceptors,
      dispatcher: new EventDispatcher(subscriptions, fence, state),
      chain: new InterceptorChain(interceptors, fence, state),
      features: new Set([...subscriptions, ...interceptors].map(({ feature }) => feature)).size,
    };
  }
}

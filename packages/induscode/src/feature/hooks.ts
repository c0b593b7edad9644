import type { Disposer } from "indusagi/core";
import type { HookDispatch } from "./contract.ts";
import { createDispatchState } from "./dispatch-state.ts";
import { EventDispatcher } from "./dispatcher.ts";
import { type FenceOptions, fenceOf } from "./fence.ts";
import { DEADLINES_IN_ONE_CALL } from "./handler-limits.ts";
import { InterceptorChain } from "./interceptors.ts";
import type { FeatureRegistry, InstalledFeatures } from "./registry.ts";
import { type CallTime, createCallTime } from "./time-budget.ts";

/** Everything of a session that features hooked into, in install order: what counts when it is looked at. */
export interface SessionHooks {
  readonly dispatcher: HookDispatch;
  readonly chain: InterceptorChain;
  /** What all of them may take of one tool call, for everything that is dispatched for it. */
  readonly callTime: () => CallTime;
  /** A call is under way until the answer is called. */
  readonly hold: () => Disposer;
}

/** Hooks that a session keeps while what is committed changes. */
export interface LiveHooks<Dispatcher extends HookDispatch = EventDispatcher> extends SessionHooks {
  readonly dispatcher: Dispatcher;
  /** For whoever holds on to it: each event meets what counts then. */
  readonly dispatch: HookDispatch;
}

/** A registry, or lists that stay as they are. */
export type CommittedHooks = Pick<InstalledFeatures, "subscriptions" | "interceptors"> &
  Partial<Pick<FeatureRegistry, "hold">>;

/** Hooks whose every payload names the delegate that it is about. */
export function hooksOfDelegate(delegate: string, hooks: LiveHooks): LiveHooks<HookDispatch> {
  const naming = ({ has, dispatch }: HookDispatch): HookDispatch => ({
    has,
    dispatch: (event, payload, options) => dispatch(event, payload, { ...options, delegate }),
    settled: async () => undefined, // the end of the session that it works for waits for them
  });
  return {
    callTime: hooks.callTime,
    hold: hooks.hold,
    dispatch: naming(hooks.dispatch),
    get dispatcher() {
      const { dispatcher } = hooks;
      return naming({
        has: (event, kind) => dispatcher.has(event, kind),
        dispatch: (event, payload, options) => dispatcher.dispatch(event, payload, options),
        settled: hooks.dispatch.settled,
      });
    },
    get chain() {
      return hooks.chain;
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

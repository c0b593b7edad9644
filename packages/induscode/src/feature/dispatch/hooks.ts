import type { Disposer } from "indusagi/core";
import type { HookDispatch } from "../handler.ts";
import { DEADLINES_IN_ONE_CALL } from "../handler-limits.ts";
import type { FeatureRegistry, InstalledFeatures } from "../registry.ts";
import { createDispatchState } from "./dispatch-state.ts";
import { EventDispatcher } from "./dispatcher.ts";
import { type FenceOptions, fenceOf } from "./fence.ts";
import { InterceptorChain } from "./interceptors.ts";
import { type CallTime, createCallTime } from "./time-budget.ts";

/** Everything features hooked into in a session, in install order, as of the moment it is read. */
export interface SessionHooks {
  readonly dispatcher: HookDispatch;
  readonly chain: InterceptorChain;
  /** The time they may take together for one tool call, with everything dispatched for it. */
  readonly callTime: () => CallTime;
  /** A call is in progress until the disposer is called. */
  readonly hold: () => Disposer;
}

/** Hooks that a session keeps while the committed features change. */
export interface LiveHooks<Dispatcher extends HookDispatch = EventDispatcher> extends SessionHooks {
  readonly dispatcher: Dispatcher;
  /** For callers that keep it: each event uses the hooks of its moment. */
  readonly dispatch: HookDispatch;
}

/** A registry, or fixed lists. */
export type CommittedHooks = Pick<InstalledFeatures, "subscriptions" | "interceptors"> &
  Partial<Pick<FeatureRegistry, "hold">>;

/** Hooks that name the delegate in every payload. */
export function hooksOfDelegate(delegate: string, hooks: LiveHooks): LiveHooks<HookDispatch> {
  const naming = ({ has, dispatch }: HookDispatch): HookDispatch => ({
    has,
    dispatch: (event, payload, options) => dispatch(event, payload, { ...options, delegate }),
    settled: async () => undefined, // awaited at the end of the session it works for
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

import type { HookDispatch } from "./contract.ts";
import { createDispatchState } from "./dispatch-state.ts";
import { EventDispatcher } from "./dispatcher.ts";
import { type FenceOptions, fenceOf } from "./fence.ts";
import { DEADLINES_IN_ONE_CALL } from "./handler-limits.ts";
import { InterceptorChain } from "./interceptors.ts";
import type { InstalledFeatures } from "./registry.ts";
import { type CallTime, createCallTime } from "./time-budget.ts";

/** Everything of a session that features hooked into, in install order. */
export interface SessionHooks {
  readonly dispatcher: HookDispatch;
  readonly chain: InterceptorChain;
  /** What all of them may take of one tool call, for everything that is dispatched for it. */
  readonly callTime: () => CallTime;
}

/** Hooks that a session keeps while what is committed changes: each look at them sees what counts now. */
export interface LiveHooks extends SessionHooks {
  readonly dispatcher: EventDispatcher;
  /** For whoever holds on to it. */
  readonly dispatch: HookDispatch;
  /** From the next event on. What runs already ends as it began. */
  readonly replace: (committed: CommittedHooks) => void;
  /** What it was made from. */
  readonly committed: () => CommittedHooks;
}

export type CommittedHooks = Pick<InstalledFeatures, "subscriptions" | "interceptors">;

/** Hooks whose every payload names the delegate that it is about. */
export function hooksOfDelegate(
  delegate: string,
  { dispatcher, chain, callTime }: SessionHooks,
): SessionHooks {
  return {
    chain,
    callTime,
    dispatcher: {
      has: (event, kind) => dispatcher.has(event, kind),
      dispatch: (event, payload, options) => dispatcher.dispatch(event, payload, { ...options, delegate }),
      settled: async () => undefined, // the end of the session that it works for waits for them
    },
  };
}

/** The hooks that the registry committed. */
export function createHooks(first: CommittedHooks, options: FenceOptions): LiveHooks {
  const fence = fenceOf(options);
  const state = createDispatchState(fence);
  const callMs = fence.deadlineMs * DEADLINES_IN_ONE_CALL;
  const make = ({
    subscriptions,
    interceptors,
  }: CommittedHooks): Pick<LiveHooks, "dispatcher" | "chain"> & { readonly features: number } => ({
    dispatcher: new EventDispatcher(subscriptions, fence, state),
    chain: new InterceptorChain(interceptors, fence, state),
    features: new Set([...subscriptions, ...interceptors].map(({ feature }) => feature)).size,
  });
  let committed = first;
  let current = make(first);
  return {
    get dispatcher() {
      return current.dispatcher;
    },
    get chain() {
      return current.chain;
    },
    dispatch: {
      has: (event, kind) => current.dispatcher.has(event, kind),
      dispatch: (event, payload, options) => current.dispatcher.dispatch(event, payload, options),
      settled: () => current.dispatcher.settled(),
    },
    callTime: () => createCallTime(callMs, current.features),
    committed: () => committed,
    replace(next) {
      committed = next;
      current = make(next);
    },
  };
}

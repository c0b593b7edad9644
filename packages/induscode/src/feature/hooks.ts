import type { HookDispatch } from "./contract.ts";
import { createDispatchState } from "./dispatch-state.ts";
import { EventDispatcher } from "./dispatcher.ts";
import type { FenceOptions } from "./fence.ts";
import { InterceptorChain } from "./interceptors.ts";
import type { InstalledFeatures } from "./registry.ts";

/** Everything of a session that features hooked into, in install order. */
export interface SessionHooks {
  readonly dispatcher: HookDispatch;
  readonly chain: InterceptorChain;
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
export function hooksOfDelegate(delegate: string, { dispatcher, chain }: SessionHooks): SessionHooks {
  return {
    chain,
    dispatcher: {
      has: (event, kind) => dispatcher.has(event, kind),
      dispatch: (event, payload, options) => dispatcher.dispatch(event, payload, { ...options, delegate }),
      settled: async () => undefined, // the end of the session that it works for waits for them
    },
  };
}

/** The hooks that the registry committed. */
export function createHooks(first: CommittedHooks, fence: FenceOptions): LiveHooks {
  const state = createDispatchState(fence);
  const make = ({
    subscriptions,
    interceptors,
  }: CommittedHooks): Pick<LiveHooks, "dispatcher" | "chain"> => ({
    dispatcher: new EventDispatcher(subscriptions, fence, state),
    chain: new InterceptorChain(interceptors, fence, state),
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
    committed: () => committed,
    replace(next) {
      committed = next;
      current = make(next);
    },
  };
}

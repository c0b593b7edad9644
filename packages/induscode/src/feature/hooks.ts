import { EventDispatcher } from "./dispatcher.ts";
import type { FenceOptions } from "./fence.ts";
import { InterceptorChain } from "./interceptors.ts";
import type { InstalledFeatures } from "./registry.ts";

/** Everything of a session that features hooked into, in install order. */
export interface SessionHooks {
  readonly dispatcher: EventDispatcher;
  readonly chain: InterceptorChain;
}

/** The hooks that the registry committed. */
export function createHooks(
  { subscriptions, interceptors }: Pick<InstalledFeatures, "subscriptions" | "interceptors">,
  fence: FenceOptions,
): SessionHooks {
  return {
    dispatcher: new EventDispatcher(subscriptions, fence),
    chain: new InterceptorChain(interceptors, fence),
  };
}

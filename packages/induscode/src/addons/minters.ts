// Makes by hand what an addon records: for a dispatcher or a chain without a host, as in a test.

import type { HookEvent } from "../feature/events.ts";
import type { EventSubscription, HookHandler } from "../feature/handler.ts";
import type { InterceptorStage, ToolInterceptor } from "../feature/interceptor.ts";
import { type AddonId, featureIdOf } from "./contract.ts";

/** A handler of an event that belongs to the addon `id`. */
export function subscription<E extends HookEvent>(
  id: AddonId,
  event: E,
  handler: HookHandler<E>,
): EventSubscription {
  // A list holds handlers of every event; the pair is checked here.
  return { feature: featureIdOf(id, "explicit"), event, handler: handler as unknown as HookHandler };
}

/** An interceptor of the tool `match`, or of every tool (`*`), that belongs to the addon `id`. */
export function interceptor(id: AddonId, match: string, stage: InterceptorStage): ToolInterceptor {
  return { feature: featureIdOf(id, "explicit"), match, ...stage };
}

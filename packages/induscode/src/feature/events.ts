// The events: every moment at which a feature may look, change or veto. The table is generated from
// events.schema.json; the dispatcher, the gate set and the manifests' names all come from it.

import { EVENT_TRAITS } from "./event-traits.ts";
import type { EventPayloads, ModelParams } from "./payloads.ts";

export { EVENT_TRAITS, type EventTrait, type PayloadGroup } from "./event-traits.ts";

/** The wire names, `scope:phase`. */
export type HookEvent = keyof typeof EVENT_TRAITS;

/** What an event carries; each field is in docs/reference/events.md. */
export type PayloadOf<E extends HookEvent> = EventPayloads[E];

/**
 * What a transform returns: the payload, or the keys of it that it changes. What it leaves out, or returns as null, stays as
 * it was. Parameters of a request may come next to `params`.
 */
export type ChangeOf<Payload> =
  | (Partial<Payload> & (Payload extends { readonly params: ModelParams } ? ModelParams : unknown))
  | null
  | undefined;

export const HOOK_EVENTS = Object.keys(EVENT_TRAITS) as readonly HookEvent[];

/** The events at which a gate's stop is acted on, derived from the table. */
export const RESERVED_EVENTS: ReadonlySet<HookEvent> = new Set(
  HOOK_EVENTS.filter((event) => EVENT_TRAITS[event].guards),
);

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(EVENT_TRAITS, name);
}

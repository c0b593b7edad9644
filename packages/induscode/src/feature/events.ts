// The event table (seeds 000 and 002): every moment at which a feature may look, change or veto. One row an event; the
// dispatcher, the gate set and the manifests' names all come from it. What each carries and means stands in
// events.schema.json.

import type { EventPayloads, ModelParams } from "./payloads.ts";

/** Events that carry the same kind of thing (seed 000's checked payload). */
export type PayloadGroup =
  | "lifecycle"
  | "tool"
  | "chat"
  | "message"
  | "shell"
  | "input"
  | "context"
  | "compact";

export interface EventTrait {
  readonly group: PayloadGroup;
  /** A gate's stop is acted on; elsewhere it ends the walk through the event's handlers and stops nothing. */
  readonly guards: boolean;
}

export const EVENT_TRAITS = {
  "session:start": { group: "lifecycle", guards: false },
  "session:end": { group: "lifecycle", guards: false },
  "turn:start": { group: "lifecycle", guards: false },
  "turn:end": { group: "lifecycle", guards: false },
  "tool:before": { group: "tool", guards: true },
  "tool:after": { group: "tool", guards: false },
  "chat:params": { group: "chat", guards: false },
  "chat:message": { group: "message", guards: false },
  "shell:env": { group: "shell", guards: false },
  "input:submit": { group: "input", guards: true },
  "context:build": { group: "context", guards: false },
  "compact:build": { group: "compact", guards: false },
  "compact:before": { group: "compact", guards: true },
} as const satisfies Readonly<Record<keyof EventPayloads, EventTrait>>;

/** The wire names, `scope:phase`. */
export type HookEvent = keyof typeof EVENT_TRAITS;

/** What an event carries; each field stands in docs/reference/events.md. */
export type PayloadOf<E extends HookEvent> = EventPayloads[E];

/**
 * What a transform returns: the payload, or the keys of it that it changes. What it leaves out, or returns as null, stays as
 * it was. Parameters of a request may stand next to `params`.
 */
export type ChangeOf<Payload> =
  | (Partial<Payload> & (Payload extends { readonly params: ModelParams } ? ModelParams : unknown))
  | null
  | undefined;

export const HOOK_EVENTS = Object.keys(EVENT_TRAITS) as readonly HookEvent[];

/** The events at which a gate's stop is acted on (seed 002, `RESERVED_EVENTS`), derived from the table. */
export const RESERVED_EVENTS: ReadonlySet<HookEvent> = new Set(
  HOOK_EVENTS.filter((event) => EVENT_TRAITS[event].guards),
);

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(EVENT_TRAITS, name);
}

// The event table (seeds 000 and 002): every moment at which a feature may look, change or veto. One row an event; the
// dispatcher, the gate set, the reference page and the manifests' names all come from it. What each carries stands in
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
  /** A gate's stop is acted on; elsewhere it is only reported. */
  readonly guards: boolean;
  /** What the log says of a change. */
  readonly logged: string;
  /** One line for the reference page. */
  readonly meaning: string;
}

export const EVENT_TRAITS = {
  "session:start": { group: "lifecycle", guards: false, logged: "–", meaning: "A session opened." },
  "session:end": { group: "lifecycle", guards: false, logged: "–", meaning: "A session closed." },
  "turn:start": { group: "lifecycle", guards: false, logged: "–", meaning: "Work on a line began." },
  "turn:end": { group: "lifecycle", guards: false, logged: "–", meaning: "Work on a line settled." },
  "tool:before": {
    group: "tool",
    guards: true,
    logged: "the rewritten arguments, or the refusal, in the tool entry",
    meaning: "A tool call is about to be checked and run.",
  },
  "tool:after": {
    group: "tool",
    guards: false,
    logged: "the changed text in the tool entry",
    meaning: "A tool call ended; `text` is what the model will read.",
  },
  "chat:params": {
    group: "chat",
    guards: false,
    logged: "a prompt entry with the changed parameters",
    meaning: "The options of a model request are being built.",
  },
  "chat:message": {
    group: "message",
    guards: false,
    logged: "the changed message in the assistant entry",
    meaning: "An assistant message was assembled.",
  },
  "shell:env": {
    group: "shell",
    guards: false,
    logged: "the names of the variables in the tool entry",
    meaning: "The environment of a shell command is being prepared.",
  },
  "input:submit": {
    group: "input",
    guards: true,
    logged: "the changed line in the user entry, or a veto entry",
    meaning: "A person's line is entering the loop.",
  },
  "context:build": {
    group: "context",
    guards: false,
    logged: "a context entry with the changed messages, for one request",
    meaning: "The messages of a model request are being assembled.",
  },
  "compact:build": {
    group: "compact",
    guards: false,
    logged: "the changed summary in the summary entry",
    meaning: "The summary that replaces the transcript is being built.",
  },
  "compact:before": {
    group: "compact",
    guards: true,
    logged: "a veto entry",
    meaning: "The transcript is about to be condensed.",
  },
} as const satisfies Readonly<Record<keyof EventPayloads, EventTrait>>;

/** The wire names, `scope:phase`. */
export type HookEvent = keyof typeof EVENT_TRAITS;

/** What an event carries; each field stands in docs/reference/events.md. */
export type PayloadOf<E extends HookEvent> = EventPayloads[E];

/**
 * What a transform returns: the payload, or the keys of it that it changes. What it leaves out, or returns as null, stays as
 * it was. Parameters of a request may stand beside `params`.
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

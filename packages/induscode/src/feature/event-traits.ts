// Generated from events.schema.json by `npm run protocol`: do not edit. One row an event.

import type { EventPayloads } from "./payloads.ts";

/** Events that carry the same kind of thing. */
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

// The event table (seeds 000 and 002): every moment at which a feature may look, change or veto. One row an event; the
// dispatcher, the gate set, the reference page and the manifests' names all come from it.

import type { JsonValue } from "indusagi/core";
import type { AssistantMessage, Message, ModelParams } from "indusagi/llmgateway";

/** What every payload may carry besides. */
interface Whose {
  /** The delegate whose session it is; absent for the session that the person talks to. */
  readonly delegate?: string;
}

/** What an event carries, by group (seed 000's checked payload). */
export interface PayloadGroups {
  readonly lifecycle: { readonly sessionId: string };
  /** `args` are the arguments as they stand; `text` and `isError` are there once the tool has ended. */
  readonly tool: {
    readonly name: string;
    readonly callId: string;
    readonly args: JsonValue;
    readonly text?: string;
    readonly isError?: boolean;
  };
  readonly chat: { readonly params: ModelParams };
  readonly message: { readonly message: AssistantMessage };
  /** Variables laid over the environment of the command that is about to run. */
  readonly shell: { readonly command: string; readonly env: Readonly<Record<string, string>> };
  readonly input: { readonly text: string };
  readonly context: { readonly messages: readonly Message[] };
  /** `summary` is there in `compact:build`. */
  readonly compact: { readonly reason: "asked" | "full"; readonly summary?: string };
}

export type PayloadGroup = keyof PayloadGroups;

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
} as const satisfies Readonly<Record<string, EventTrait>>;

/** The wire names, `scope:phase`. */
export type HookEvent = keyof typeof EVENT_TRAITS;

export type PayloadOf<E extends HookEvent> = PayloadGroups[(typeof EVENT_TRAITS)[E]["group"]] & Whose;

export const HOOK_EVENTS = Object.keys(EVENT_TRAITS) as readonly HookEvent[];

/** The events at which a gate's stop is acted on (seed 002, `RESERVED_EVENTS`), derived from the table. */
export const RESERVED_EVENTS: ReadonlySet<HookEvent> = new Set(
  HOOK_EVENTS.filter((event) => EVENT_TRAITS[event].guards),
);

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(EVENT_TRAITS, name);
}

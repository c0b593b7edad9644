// The spans of tool calls, of a session's own or of one of its delegates.

import { nowMs } from "indusagi/core";
import type { DelegateEvent } from "../../conductor/contract.ts";
import { beginSpan, type Span } from "./span.ts";
import { contentIn, type EntryOf, type SpanFacts } from "./span-attributes.ts";

type EventOf<Kind extends DelegateEvent["kind"]> = Extract<DelegateEvent, { readonly kind: Kind }>;

export interface CallSpans {
  readonly start: (event: EventOf<"tool_start">, within: Span | undefined) => void;
  readonly stop: (event: EventOf<"tool_end">) => void;
  readonly get: (callId: string) => Span | undefined;
  /** The newest that is open with this tool. */
  readonly last: (tool: string) => Span | undefined;
  /** The log has its outcome: nothing more is learnt of it. */
  readonly tell: (entry: EntryOf<"tool">) => void;
  /** Nothing more is learnt of any. */
  readonly end: () => void;
}

export function createCallSpans(facts: SpanFacts): CallSpans {
  const open = new Map<string, Span>();
  return {
    start(event, within) {
      const attributes = {
        ...{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": event.name },
        ...{ "gen_ai.tool.call.id": event.callId, "gen_ai.tool.type": "function" },
        "gen_ai.tool.call.arguments": contentIn(facts, event.input),
      };
      const name = `execute_tool ${event.name}`;
      open.set(event.callId, beginSpan({ name, at: nowMs(), attributes }, within ?? facts.parent));
    },
    stop({ callId, state }) {
      const span = open.get(callId);
      if (!span) return;
      span.endedAt = nowMs();
      if (state === "ok") return;
      span.failure = state;
      span.attributes = { ...span.attributes, "error.type": state };
    },
    get: (callId) => open.get(callId),
    last: (tool) => [...open.values()].findLast(({ name }) => name === `execute_tool ${tool}`),
    tell({ callId, feature, changes, text, at }) {
      const span = open.get(callId);
      if (!span) return;
      open.delete(callId);
      tellChanges(span, changes, at);
      const result = contentIn(facts, text);
      span.attributes = { ...span.attributes, "indus.feature": feature, "gen_ai.tool.call.result": result };
      facts.done(span);
    },
    end() {
      for (const span of open.values()) facts.done(span);
      open.clear();
    },
  };
}

/** Who changed it, and at which event. */
export function tellChanges(
  span: Span | undefined,
  changes: EntryOf<"tool">["changes"] = [],
  at: number,
): void {
  for (const { feature, at: event } of changes)
    span?.events.push({
      name: "indus.change",
      at,
      attributes: { "indus.feature": feature, "indus.event": event },
    });
}

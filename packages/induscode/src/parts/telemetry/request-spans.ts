// The spans of requests to models; one is open at a time.

import { beginSpan, endSpan, type Span } from "./span.ts";
import {
  contentIn,
  type EntryOf,
  messageOf,
  modelAttributes,
  modelIn,
  type SpanFacts,
  usageAttributes,
} from "./span-attributes.ts";

export interface RequestSpans {
  readonly begin: (entry: EntryOf<"request">, model: string, within: Span | undefined) => void;
  readonly answer: (entry: EntryOf<"assistant" | "summary">) => void;
  /** The open one gets no answer. */
  readonly fail: (at: number, why: string) => void;
}

export function createRequestSpans(facts: SpanFacts): RequestSpans {
  let open: Span | undefined;

  function fail(at: number, why: string): void {
    if (open) facts.done(endSpan(open, at, {}, why));
    open = undefined;
  }

  return {
    begin({ at, asksFor }, model, within) {
      fail(at, "failed"); // without an answer, this one is the next try
      const attributes = {
        ...{ "gen_ai.operation.name": "chat", ...modelAttributes(model) },
        ...{ "gen_ai.conversation.id": facts.sessionId(), "indus.request.for": asksFor },
      };
      const name = `chat ${modelIn(model)}`;
      open = beginSpan({ name, at, isClient: true, attributes }, within ?? facts.parent);
    },
    answer(entry) {
      const [stop, parts] =
        entry.type === "assistant" ? [entry.stop, entry.message.content] : [undefined, [entry.text]];
      const attributes = {
        ...usageAttributes(entry.usage),
        "gen_ai.response.finish_reasons": stop === undefined ? undefined : [stop],
        "gen_ai.output.messages": contentIn(facts, [messageOf("assistant", parts)]),
        "indus.cost.usd": entry.cost,
      };
      const failure = stop === "interrupted" ? stop : undefined;
      if (open) facts.done(endSpan(open, entry.at, attributes, failure));
      open = undefined;
    },
    fail,
  };
}

// The spans of delegates: each is an agent below the call that began it.

import { nowMs } from "indusagi/core";
import type { Usage } from "indusagi/llmgateway";
import type { ConductorEvent } from "../../conductor/contract.ts";
import { NO_USAGE, sumUsage } from "../../conductor/usage.ts";
import { type CallSpans, createCallSpans } from "./call-spans.ts";
import { beginSpan, endSpan, type Span } from "./span.ts";
import { contentIn, messageOf, type SpanFacts, usageAttributes } from "./span-attributes.ts";

interface DelegateSpan {
  readonly span: Span;
  readonly calls: CallSpans;
  usage: Usage;
}

export interface DelegateSpans {
  readonly see: (
    news: Extract<ConductorEvent, { readonly kind: "delegate" }>,
    within: Span | undefined,
  ) => void;
  readonly end: () => void;
}

export function createDelegateSpans(facts: SpanFacts): DelegateSpans {
  const open = new Map<string, DelegateSpan>();

  function finish(id: string, failure: string | undefined): void {
    const delegate = open.get(id);
    open.delete(id);
    if (!delegate) return;
    delegate.calls.end();
    facts.done(endSpan(delegate.span, nowMs(), usageAttributes(delegate.usage), failure));
  }

  return {
    see({ agent, sessionId: id, event }, within) {
      if (event.kind === "delegate_start") {
        const attributes = {
          ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent },
          "gen_ai.conversation.id": id,
          "gen_ai.input.messages": contentIn(facts, [messageOf("user", [event.objective])]),
        };
        const name = `invoke_agent ${agent}`;
        const span = beginSpan({ name, at: nowMs(), attributes }, within ?? facts.parent);
        open.set(id, { span, calls: createCallSpans(facts), usage: NO_USAGE });
      }
      const delegate = open.get(id);
      if (event.kind === "entry" && delegate) delegate.usage = sumUsage(delegate.usage, event.entry.usage);
      if (event.kind === "tool_start") delegate?.calls.start(event, delegate.span);
      if (event.kind === "tool_end") delegate?.calls.stop(event);
      if (event.kind === "delegate_end") finish(id, event.state === "ok" ? undefined : event.state);
    },
    end() {
      for (const id of [...open.keys()]) finish(id, "interrupted");
    },
  };
}

// A session's events as spans: a task, its requests to models, its calls, its delegates.

import { nowMs } from "indusagi/core";
import type { Usage } from "indusagi/llmgateway";
import type { ConductorEvent, Entry } from "../../conductor/contract.ts";
import { NO_USAGE, sumUsage } from "../../conductor/usage.ts";
import { createCallSpans, tellChanges } from "./call-spans.ts";
import { createDelegateSpans } from "./delegate-spans.ts";
import { createRequestSpans } from "./request-spans.ts";
import { type Attributes, beginSpan, endSpan, type Span } from "./span.ts";
import {
  contentIn,
  type EntryOf,
  messageOf,
  modelAttributes,
  type SpanFacts,
  usageAttributes,
} from "./span-attributes.ts";

export interface SpanFold {
  readonly see: (event: ConductorEvent) => void;
  /** Nothing more comes: what is open ends now. */
  readonly end: () => void;
}

export function createSpanFold(facts: SpanFacts): SpanFold {
  const calls = createCallSpans(facts);
  const requests = createRequestSpans(facts);
  const delegates = createDelegateSpans(facts);
  let model = facts.model();
  let task: Span | undefined;
  let usage: Usage = NO_USAGE;

  function beginTask({ at, typed, content }: EntryOf<"user">): void {
    endTask(at, "interrupted"); // one whose end the log could not take
    usage = NO_USAGE;
    const attributes = {
      ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "indus" },
      "gen_ai.conversation.id": facts.sessionId(),
      "gen_ai.input.messages": contentIn(facts, [messageOf("user", typed ?? content)]),
    };
    model = facts.model();
    task = beginSpan({ name: "invoke_agent indus", at, attributes }, facts.parent);
  }

  function endTask(at: number, failure: string | undefined): void {
    requests.fail(at, failure ?? "failed");
    calls.end();
    if (task)
      facts.done(endSpan(task, at, { ...modelAttributes(model), ...usageAttributes(usage) }, failure));
    task = undefined;
  }

  function note(name: string, at: number, attributes: Attributes, span = task): void {
    span?.events.push({ name, at, attributes });
  }

  function noteDecision({ at, decision }: EntryOf<"decision">): void {
    const { callId = "", tool, outcome, answer, rulings, changedBy } = decision;
    const [first] = rulings;
    const attributes = {
      ...{ "gen_ai.tool.name": tool, "indus.decision.outcome": outcome, "indus.decision.answer": answer },
      ...{ "indus.decision.layer": first?.layer, "indus.decision.changed_by": changedBy },
      "indus.decision.why": contentIn(facts, first?.why), // it can name files and rules
    };
    note("indus.decision", at, attributes, calls.get(callId));
  }

  function seeEntry(entry: Entry): void {
    switch (entry.type) {
      case "user":
        if (entry.via === "submit") beginTask(entry);
        break;
      case "request":
        model = facts.model(); // not the last prompt's: a session that goes on logs none that is the same
        requests.begin(entry, model, task);
        break;
      case "assistant":
      case "summary":
        usage = sumUsage(usage, entry.usage);
        requests.answer(entry);
        break;
      case "decision":
        noteDecision(entry);
        break;
      case "veto":
        note("indus.veto", entry.at, { "indus.event": entry.event, "indus.feature": entry.by.feature });
        break;
      case "tool":
        calls.tell(entry);
        break;
      case "end":
        endTask(entry.at, entry.how === "complete" ? undefined : (entry.fault?.kind ?? entry.how));
        break;
      default: // nothing that takes time
    }
    if (entry.type !== "tool" && "changes" in entry) tellChanges(task, entry.changes, entry.at);
  }

  return {
    see(event) {
      if (event.kind === "entry") seeEntry(event.entry);
      if (event.kind === "tool_start") calls.start(event, task);
      if (event.kind === "tool_end") calls.stop(event);
      if (event.kind === "delegate") delegates.see(event, calls.last("task") ?? task);
      if (event.kind === "fault") {
        const { kind, owner } = event.fault;
        note("exception", nowMs(), { "exception.type": kind, "indus.feature": owner });
      }
    },
    end() {
      delegates.end();
      endTask(nowMs(), "interrupted");
    },
  };
}

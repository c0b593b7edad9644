// How a task ended: as the loop says it, as the person reads it, as the log keeps it.

import type { AssistantMessage, ModelFault } from "indusagi/llmgateway";
import type { LoopEnd } from "indusagi/runtime";
import type { EntryBody, SubmitEnd } from "../contract.ts";

/** Faults not caused by what was asked. Transient ones were already retried. */
const LACKS_MODEL: Readonly<Partial<Record<ModelFault["kind"], "certain" | "likely">>> = {
  auth: "certain",
  spent: "certain",
  not_found: "certain",
  unreachable: "certain",
  rate_limit: "certain",
  overloaded: "certain",
  transport: "certain",
  server: "likely",
  timeout: "likely",
};

/** What a person reads of it. */
export function submitEnd(end: LoopEnd): SubmitEnd {
  switch (end.kind) {
    case "aborted":
      return end;
    case "complete":
      return { kind: "complete", text: answerText(end.message), stop: end.stop };
    case "turn_budget": {
      const message =
        `Stopped after ${end.maxTurns} model calls, the limit for one task. ` +
        "Send another line to continue, or raise maxTurns in the settings.";
      return { kind: "faulted", fault: { kind: "turn_budget", message } };
    }
    case "repeated_failure": {
      const message =
        `Stopped: the model's call of ${end.tool} failed ${end.times} times with the same result. ` +
        "Send another line to continue, and say what it should do instead.";
      return { kind: "faulted", fault: { kind: "repeated_failure", message } };
    }
    case "faulted": {
      const { kind, message } = end.fault;
      const lacksModel = LACKS_MODEL[kind];
      return { kind: "faulted", fault: { kind: "model", message }, lacksModel };
    }
  }
}

function answerText(message: AssistantMessage): string {
  return message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

const HOW_COMPLETE = {
  complete: "complete",
  tool_calls: "complete",
  max_output: "truncated",
  refusal: "refused",
} as const;

/** What the log keeps of it. */
export function endEntry(end: SubmitEnd): EntryBody {
  if (end.kind === "complete") return { type: "end", how: HOW_COMPLETE[end.stop] };
  if (end.kind === "aborted") return { type: "end", how: "aborted" };
  const { kind, message } = end.fault;
  return { type: "end", how: kind === "turn_budget" ? "turn_budget" : "faulted", fault: { kind, message } };
}

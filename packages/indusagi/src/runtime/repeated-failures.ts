// Notices a model that makes the same failing call again and again, learning nothing in between.

import { createHash } from "node:crypto";
import type { ToolCall, ToolOutcome } from "./contract.ts";

/** From this failure on, the outcome says that the call is repeated. */
export const TOLD_AT = 3;

/** At this failure the task ends. */
export const STOPPED_AT = 10;

export interface RepeatedFailures {
  /** How often this call has failed in the same way since anything new succeeded; 0 if it did not fail. */
  readonly count: (call: ToolCall, outcome: ToolOutcome) => number;
}

/** For one submit. A success with a result that was not seen before counts as progress; a failure in other words, as another failure. */
export function createRepeatedFailures(): RepeatedFailures {
  const failures = new Map<string, number>();
  const results = new Set<string>();
  return {
    count(call, outcome) {
      const key = digestOf(call, outcome);
      if (!outcome.isError) {
        if (!results.has(key)) failures.clear();
        results.add(key);
        return 0;
      }
      const times = (failures.get(key) ?? 0) + 1;
      failures.set(key, times);
      return times;
    },
  };
}

/** The outcome with a word to the model if its call is repeated. */
export function withRepetitionTold(outcome: ToolOutcome, times: number): ToolOutcome {
  if (times < TOLD_AT) return outcome;
  const text =
    outcome.text ?? (typeof outcome.output === "string" ? outcome.output : JSON.stringify(outcome.output));
  return {
    ...outcome,
    text: `${text}\n[This call has failed ${times} times with the same result. Change it, or say what stands in the way; after ${STOPPED_AT} times the task is stopped.]`,
  };
}

function digestOf({ name, input }: ToolCall, { output }: ToolOutcome): string {
  return createHash("sha256")
    .update(JSON.stringify([name, input, output]))
    .digest("base64");
}

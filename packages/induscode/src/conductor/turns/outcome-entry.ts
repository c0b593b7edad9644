import type { ToolCall, ToolOutcome, ToolState } from "indusagi/runtime";
import type { CallOutcome } from "../../deck/contract.ts";
import { toolDetails, toolTitle } from "../call-facts.ts";
import type { SessionRecord } from "../record.ts";

/** How a call ended. */
export function stateOf({ state, isError }: Pick<ToolOutcome, "state" | "isError">): ToolState {
  return state ?? (isError ? "failed" : "ok");
}

export interface EndedCall {
  readonly durationMs: number;
  /** The feature that owns the tool. */
  readonly feature: string | undefined;
  /** The program that called, if the model did not. */
  readonly by?: string;
}

/** Logs how a call ended, and tells the listeners. */
export function logOutcome(
  record: Pick<SessionRecord, "append" | "emit" | "folder">,
  call: ToolCall,
  outcome: CallOutcome,
  { durationMs, feature, by }: EndedCall,
): void {
  const { output, status, cost, images, diff, finalInput, changes, files } = outcome;
  const state = stateOf(outcome);
  const text = outcome.text ?? (typeof output === "string" ? output : JSON.stringify(output));
  const ended = { callId: call.id, name: call.name, state, durationMs: Math.round(durationMs * 10) / 10 };
  const entry = record.append({
    type: "tool",
    ...ended,
    feature,
    text,
    output: typeof output === "string" ? undefined : output,
    input: finalInput ?? (by === undefined ? undefined : call.input), // no answer of a model shows it
    by,
    changes,
    files,
    images,
    status,
    diff,
    cost,
  });
  const details = toolDetails(entry.output);
  record.emit({
    kind: "tool_end",
    ...ended,
    title: toolTitle(entry.input ?? call.input, record.folder()),
    input: entry.input,
    status: entry.status,
    details,
    diff: entry.diff,
  });
}

// What a task says while it runs and how it ends, the same in this process and from another one.

import type { JsonValue } from "indusagi/core";
import type { Usage } from "indusagi/llmgateway";
import type { ToolState } from "indusagi/runtime";

/** What happens in a task, in order. Texts of the model, of tools and of features are untrusted. */
export type TaskEvent =
  /** A text of an answer, whole. */
  | { readonly type: "text"; readonly text: string }
  /** What the model thought before it, where its provider shows that. */
  | { readonly type: "thinking"; readonly text: string }
  /** A piece of a text or a thought, with `pieces`. An answer that is begun anew sends its pieces anew. */
  | { readonly type: "piece"; readonly of: "text" | "thinking"; readonly text: string }
  /** The model wants a tool called. */
  | { readonly type: "call"; readonly id: string; readonly tool: string; readonly input: JsonValue }
  /** What came of that call, as the model reads it. */
  | {
      readonly type: "outcome";
      readonly id: string;
      readonly tool: string;
      readonly state: ToolState;
      readonly text: string;
    }
  /** For a person: what was left out, what a feature says, what went wrong and did not end the task. */
  | { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string };

/** How a task ended. */
export type TaskResult<Output = undefined> = TaskFacts &
  (
    | { readonly kind: "complete"; readonly text: string; readonly output: Output }
    /** The program, or the person at its end of the pipe, interrupted it. */
    | { readonly kind: "aborted" }
    | { readonly kind: "faulted"; readonly fault: TaskFault }
  );

/** What every end says. Cost and usage are the session's so far. */
export interface TaskFacts {
  readonly type: "result";
  /** For `resume`; empty if there was no session yet. */
  readonly sessionId: string;
  /** Dollars, as far as prices are known. */
  readonly cost: number;
  readonly usage: Usage;
}

/** Why a task has no answer. `kind` is as in the log: `model`, `turn_budget`, `busy`, `vetoed`, … */
export interface TaskFault {
  readonly kind: string;
  readonly message: string;
}

/** What the session's numbers are before it answered. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
